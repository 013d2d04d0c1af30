"""The whole demo, as `make demo` runs it, and interrupted in the folder that an earlier one left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.demo.folder import MARKER

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

BOUND_SECONDS = 300.0
"""The promise is 90 s on two idle cores; in a test run the cores are shared."""


def processes_of(folder: Path) -> list[str]:
    """Command lines of processes that name this folder, in their arguments or their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
            known = line + (process / "environ").read_bytes()
        except OSError:
            continue
        if int(process.name) != os.getpid() and str(folder).encode() in known:
            found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found


def start(repository: Path, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "deploy.demo", "--data-dir", str(folder)],
        cwd=repository,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for left processes in /proc")
def test_the_demo_does_what_it_must_and_leaves_no_process(
    repository: Path, tmp_path: Path, seed_gate: Callable[[Path], subprocess.CompletedProcess[str]]
) -> None:
    """R100: from seeds to a judged bundle, in the order of the contract. The gate printed in the seed agrees with ours
    on the bundle and on its broken copy."""
    folder = tmp_path / "demo"
    started = time.monotonic()
    run = start(repository, folder)
    output, _ = run.communicate(timeout=BOUND_SECONDS)
    print(output, f"({time.monotonic() - started:.1f} s)")
    assert run.returncode == 0, output
    assert "remark: " not in output, "a part of the stack died on the way"
    assert "Summary" in output
    assert "The demo is done in " in output
    assert (folder / "bundle" / "bundle.json").is_file()
    assert (folder / "first-draft.json").is_file()
    assert processes_of(folder) == []
    accepted, refused = seed_gate(folder / "bundle"), seed_gate(folder / "broken-bundle")
    assert (accepted.returncode, accepted.stdout.strip()) == (0, "citation bundle: ok")
    assert refused.returncode != 0
    assert "digest mismatch" in refused.stderr


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for left processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_leaves_no_process(repository: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Nor anything of the demo before it, whose folder it takes."""
    folder = tmp_path / "demo"
    (folder / "s3").mkdir(parents=True)
    (folder / MARKER).touch()
    (folder / "draft.json").write_text("of the demo before")
    run = start(repository, folder)
    try:
        deadline = time.monotonic() + 60
        while not (folder / "run" / "supervisor.lock").exists():
            assert time.monotonic() < deadline
            assert run.poll() is None
            time.sleep(0.1)
        os.killpg(run.pid, number)  # as a terminal does
        run.communicate(timeout=90)
        assert run.returncode == 3
        assert not (folder / "draft.json").exists()
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
    assert processes_of(folder) == []
