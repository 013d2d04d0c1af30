"""The supervisor over toy parts: order, restarts, failures at the start, a bounded end."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.stack.part import RestartPolicy
from scheduler.stack.supervisor import StartError, StoppedError, Supervisor


@pytest.fixture
def lines() -> list[str]:
    return []


def test_a_part_starts_when_what_it_needs_answers_and_ends_before_it(
    toy: Any, lines: list[str], pid_of: Any, is_alive: Any, tmp_path: Path
) -> None:
    order = tmp_path / "order"
    note = "import os, pathlib, signal, sys, time; f = open({path!r}, 'a'); print({name!r}, 'up', file=f, flush=True)\n"
    code = note + (
        "def end(*_):\n    print({name!r}, 'down', file=f, flush=True); sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "pathlib.Path(os.environ['PID_FILE']).write_text(str(os.getpid()))\ntime.sleep(600)"
    )
    parts = [
        toy("user", code.format(path=str(order), name="user"), needs=("store",)),
        toy("store", code.format(path=str(order), name="store")),
    ]
    supervisor = Supervisor(parts, lines.append)
    supervisor.start()
    pids = [pid_of("user"), pid_of("store")]
    supervisor.stop()
    assert order.read_text().splitlines() == ["store up", "user up", "user down", "store down"]
    assert not any(is_alive(pid) for pid in pids)
    assert [line.split()[0] for line in lines] == ["store", "user"]


def test_a_dead_part_is_started_again(
    toy: Any, lines: list[str], pid_of: Callable[[str], int], eventually: Any
) -> None:
    supervisor = Supervisor([toy("part")], lines.append)
    with supervisor.signals():
        supervisor.start()
        seen = [pid_of("part")]

        def kill_twice_then_stop() -> None:
            for _ in range(2):
                before = seen[-1]
                os.kill(before, signal.SIGKILL)
                eventually(lambda before=before: pid_of("part") != before, "a new process")
                seen.append(pid_of("part"))
            os.kill(os.getpid(), signal.SIGTERM)

        killer = threading.Thread(target=kill_twice_then_stop)
        killer.start()
        supervisor.run()
        killer.join()
        supervisor.stop()
    assert len(set(seen)) == 3
    assert sum("ended with code -9" in line for line in lines) == 2


def test_pauses_between_restarts_double_up_to_a_bound() -> None:
    policy = RestartPolicy(first=0.2, longest=15)
    assert [policy.delay(deaths) for deaths in (1, 2, 3, 4)] == [0.2, 0.4, 0.8, 1.6]
    assert policy.delay(100) == 15


def test_a_part_that_ends_at_each_start_is_an_error_with_the_end_of_its_log(
    toy: Any, lines: list[str], pid_of: Any, is_alive: Any
) -> None:
    parts = [
        toy("good"),
        toy("bad", "import sys; print('no licence', file=sys.stderr); sys.exit(9)", probe=lambda: "no"),
    ]
    with pytest.raises(StartError, match="bad ended with code 9") as failed:
        Supervisor(parts, lines.append).start()
    assert "no licence" in str(failed.value)
    assert not is_alive(pid_of("good"))


def test_a_part_that_never_answers_is_an_error(toy: Any, lines: list[str], pid_of: Any, is_alive: Any) -> None:
    part = toy("mute", probe=lambda: "silence", start_seconds=3)
    with pytest.raises(StartError, match=r"mute did not answer within 3 s \(silence\)"):
        Supervisor([part], lines.append).start()
    assert not is_alive(pid_of("mute"))


def test_a_command_that_cannot_run_is_an_error(toy: Any, lines: list[str]) -> None:
    part = toy("absent", probe=lambda: "no")
    absent = type(part)(**{**{n: getattr(part, n) for n in part.__slots__}, "command": ("/no/such/binary",)})
    with pytest.raises(StartError, match="absent ended with code"):
        Supervisor([absent], lines.append).start()


def test_a_part_that_ignores_sigterm_is_killed_with_its_group(
    toy: Any, lines: list[str], pid_of: Any, is_alive: Any, tmp_path: Path, eventually: Any
) -> None:
    code = (
        "import os, pathlib, signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"inner = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(tmp_path / 'inner.pid')!r}).write_text(str(inner.pid))\n"
        "pathlib.Path(os.environ['PID_FILE']).write_text(str(os.getpid()))\ntime.sleep(600)"
    )
    supervisor = Supervisor([toy("stubborn", code, stop_seconds=0.3)], lines.append)
    supervisor.start()
    pids = [pid_of("stubborn"), pid_of("inner")]
    began = time.monotonic()
    supervisor.stop()
    assert time.monotonic() - began < 5
    eventually(lambda: not any(is_alive(pid) for pid in pids), "both are gone")
    assert any("is killed" in line for line in lines)


def test_a_second_request_to_stop_does_not_wait(toy: Any, lines: list[str], pid_of: Any) -> None:
    code = (
        "import os, pathlib, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "pathlib.Path(os.environ['PID_FILE']).write_text(str(os.getpid()))\ntime.sleep(600)"
    )
    supervisor = Supervisor([toy("stubborn", code, stop_seconds=60)], lines.append)
    with supervisor.signals():
        supervisor.start()
        pid_of("stubborn")
        os.kill(os.getpid(), signal.SIGTERM)
        supervisor.run()
        os.kill(os.getpid(), signal.SIGINT)
        began = time.monotonic()
        supervisor.stop()
    assert time.monotonic() - began < 5


def test_a_request_to_stop_while_starting_ends_what_was_started(
    toy: Any, lines: list[str], pid_of: Any, is_alive: Any
) -> None:
    supervisor = Supervisor([toy("one"), toy("mute", probe=lambda: "silence", needs=("one",))], lines.append)
    with supervisor.signals():
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(StoppedError):
            supervisor.start()
    assert not is_alive(pid_of("one"))


def test_output_of_a_part_is_in_its_log(toy: Any, lines: list[str], pid_of: Any, tmp_path: Path) -> None:
    code = "print('hello from the part', flush=True); " + (
        "import os, pathlib, time; pathlib.Path(os.environ['PID_FILE']).write_text(str(os.getpid())); time.sleep(600)"
    )
    supervisor = Supervisor([toy("talker", code)], lines.append)
    supervisor.start()
    pid_of("talker")
    supervisor.stop()
    assert (tmp_path / "talker.log").read_text() == "hello from the part\n"


def test_a_part_inherits_no_open_file_of_the_supervisor(
    toy: Any, lines: list[str], pid_of: Any, tmp_path: Path
) -> None:
    """Only its own lock, which is meant to live as long as it does."""
    supervisor = Supervisor([toy("part")], lines.append)
    with (tmp_path / "secret").open("w"):
        supervisor.start()
        listing = subprocess.run(["ls", "-l", f"/proc/{pid_of('part')}/fd"], capture_output=True, text=True)
        supervisor.stop()
    assert "secret" not in listing.stdout
    assert "part.lock" in listing.stdout
