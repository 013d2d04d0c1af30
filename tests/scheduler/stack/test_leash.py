"""A part is tied to its parent: nothing outlives it, and no second copy runs beside a first."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.stack import child
from scheduler.stack.leash import EXIT_ORPHANED, EXIT_STILL_LOCKED

LEASH = child.LEASH

# A supervisor in small: starts one command on the leash, then sleeps until somebody kills it.
PARENT = """
import os, subprocess, sys, time
process = subprocess.Popen([sys.executable, "-I", "-S", sys.argv[1], "--parent", str(os.getpid()), *sys.argv[2:]],
                           process_group=0)
time.sleep(600)
"""


def leash_command(*options: str, parent: int | None = None) -> list[str]:
    return [sys.executable, "-I", "-S", str(LEASH), "--parent", str(parent or os.getpid()), *options]


@pytest.mark.parametrize("how", ["kernel", "guard"])
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("death", [signal.SIGTERM, signal.SIGKILL])
def test_the_command_dies_with_its_parent(
    toy: Any, pid_of: Callable[[str], int], is_alive: Any, eventually: Any, how: str, ending: int, death: int
) -> None:
    """Also by the guard that stands in for the kernel where there is no PR_SET_PDEATHSIG."""
    part = toy("child")
    options = ["--death-signal", str(int(death)), *(["--guard"] if how == "guard" else [])]
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(LEASH), *options, "--", *part.command], env=part.env
    ) as parent:
        pid = pid_of("child")
        assert is_alive(pid)
        parent.send_signal(ending)
        parent.wait(10)
    eventually(lambda: not is_alive(pid), "the child is gone")


@pytest.mark.parametrize("guard", [[], ["--guard"]])
def test_exit_code_and_sigterm_pass_through(toy: Any, pid_of: Any, guard: list[str]) -> None:
    assert subprocess.run([*leash_command(*guard), "--", sys.executable, "-c", "raise SystemExit(7)"]).returncode == 7
    part = toy("child")
    with subprocess.Popen([*leash_command(*guard), "--", *part.command], env=part.env) as process:
        pid_of("child")
        process.terminate()
        assert process.wait(10) in (-signal.SIGTERM, 128 + signal.SIGTERM)


def test_a_parent_that_died_before_the_leash_was_on_is_noticed() -> None:
    done = subprocess.run([*leash_command(parent=1), "--", sys.executable, "-c", "print('ran')"], capture_output=True)
    assert done.returncode == EXIT_ORPHANED
    assert done.stdout == b""


def test_a_second_copy_waits_until_the_first_has_ended(toy: Any, tmp_path: Path, pid_of: Any, eventually: Any) -> None:
    part = toy("first")
    lock = ["--lock", str(part.lock), "--patience", "20"]
    with subprocess.Popen([*leash_command(*lock), "--", *part.command], env=part.env) as first:
        pid_of("first")
        second_command = [*leash_command(*lock), "--", sys.executable, "-c", "print('ran')"]
        with subprocess.Popen(second_command, stdout=subprocess.PIPE) as second:
            with pytest.raises(subprocess.TimeoutExpired):
                second.wait(0.5)
            first.terminate()
            first.wait(10)
            assert second.wait(10) == 0
            assert second.stdout is not None
            assert second.stdout.read() == b"ran\n"


def test_a_leftover_that_does_not_end_is_killed(toy: Any, pid_of: Any, is_alive: Any, eventually: Any) -> None:
    """A supervisor that was killed may leave a part that hangs in its last writes: two must not write one store."""
    part = toy("left")
    lock = ["--lock", str(part.lock), "--patience", "0.2"]
    with subprocess.Popen([*leash_command(*lock), "--", *part.command], env=part.env, process_group=0) as left:
        pid_of("left")
        done = subprocess.run([*leash_command(*lock), "--", sys.executable, "-c", "print('ran')"], capture_output=True)
        assert (done.returncode, done.stdout) == (0, b"ran\n")
        assert left.wait(10) == -signal.SIGKILL


def test_a_lock_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    """Here the holder is this test, which wrote no process id: there is nothing that may be killed."""
    import fcntl

    lock = tmp_path / "part.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        command = [*leash_command("--lock", str(lock), "--patience", "0.1"), "--", sys.executable, "-c", ""]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.returncode == EXIT_STILL_LOCKED
    assert "still holds" in done.stderr
