"""A Celery worker under the supervisor: it answers, it comes back, and busy or not it does not outlive its stack."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.stack import control, state
from scheduler.stack.state import StackPaths

pytestmark = [pytest.mark.real, pytest.mark.allow_hosts(["127.0.0.1"])]

APP = """
    import os, pathlib, socket, sys, time
    from celery import Celery
    app = Celery("toy", broker=os.environ["CITEVAULT_REDIS_URL"])

    @app.task(name="toy.busy", acks_late=True)
    def busy(folder):
        pathlib.Path(folder, f"{os.getpid()}.task").write_text("")
        time.sleep(600)

    if __name__ == "__main__":
        queue, count = sys.argv[sys.argv.index("--queue") + 1], sys.argv[sys.argv.index("--concurrency") + 1]
        app.worker_main(["worker", "-Q", queue, "-c", count, "-n", f"{queue}@{socket.gethostname()}", "-P", "prefork",
                         "--without-gossip", "--without-mingle", "--without-heartbeat"])
"""

HOST = """
    import sys
    from dataclasses import replace
    from pathlib import Path
    from scheduler.stack.foreground import serve
    from scheduler.stack.pings import WorkerPings
    from scheduler.stack.programs import node, worker
    from scheduler.stack.state import StackPaths
    from workers.config import Settings, process_environment

    def programs(settings):
        env = {**process_environment(settings), "PYTHONPATH": ":".join([sys.argv[2], sys.argv[3]])}
        capture = worker("capture", 2, settings, StackPaths(settings.data_dir), env,
                         pings=WorkerPings(settings.redis_url, [node("capture")]),
                         command=(sys.executable, "-m", "toy_app"))
        return (replace(capture, stop_seconds=2.0),)

    serve(Settings(data_dir=Path(sys.argv[1])), lambda line: None, only={"redis", "worker-capture"}, prepare=(),
          programs=programs, on_ready=lambda info: print("READY", flush=True))
"""


@pytest.fixture
def host(short_dir: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    (tmp_path / "toy_app.py").write_text(textwrap.dedent(APP))
    (tmp_path / "host.py").write_text(textwrap.dedent(HOST))
    root = str(Path(__file__).resolve().parents[3])
    command = [sys.executable, str(tmp_path / "host.py"), str(short_dir), str(tmp_path), root]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": root}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "READY\n"
        yield process
        process.kill()
    control.down(short_dir, lambda _line: None)


def send_busy(data_dir: Path, folder: Path, count: int) -> None:
    from celery import Celery

    info = state.running(data_dir)
    assert info is not None
    with Celery("sender", broker=info.redis, set_as_current=False) as sender:
        for _ in range(count):
            sender.send_task("toy.busy", args=[str(folder)], queue="capture", ignore_result=True)


def busy_children(folder: Path) -> list[int]:
    return [int(path.stem) for path in folder.glob("*.task")]


def test_a_busy_worker_and_its_children_do_not_outlive_a_killed_supervisor(
    host: subprocess.Popen[str], short_dir: Path, tmp_path: Path, is_alive: Any, eventually: Any
) -> None:
    send_busy(short_dir, tmp_path, 2)
    eventually(lambda: len(busy_children(tmp_path)) == 2, "both children are busy", 30)
    paths = StackPaths(short_dir)
    parts = [state.holder(paths.run / f"{name}.lock") for name in ("redis", "worker-capture")]
    everything = [pid for pid in parts if pid is not None] + busy_children(tmp_path)
    assert len(everything) == 4
    host.send_signal(signal.SIGKILL)
    host.wait(10)
    eventually(lambda: not any(is_alive(pid) for pid in everything), "all are gone", 5)


def test_a_killed_worker_is_back_within_seconds_and_nothing_of_it_is_left(
    host: subprocess.Popen[str], short_dir: Path, tmp_path: Path, is_alive: Any, eventually: Any
) -> None:
    send_busy(short_dir, tmp_path, 2)
    eventually(lambda: len(busy_children(tmp_path)) == 2, "both children are busy", 30)
    lock = StackPaths(short_dir).run / "worker-capture.lock"
    before = state.holder(lock)
    assert before is not None
    old_children = busy_children(tmp_path)
    os.kill(before, signal.SIGKILL)
    eventually(lambda: state.holder(lock) not in (None, before), "a new worker", 10)
    assert not any(is_alive(pid) for pid in old_children)


def test_a_busy_worker_is_ended_within_its_bound(
    host: subprocess.Popen[str], short_dir: Path, tmp_path: Path, is_alive: Any, eventually: Any
) -> None:
    """A warm stop would wait ten minutes for the task; its lease makes that unnecessary."""
    send_busy(short_dir, tmp_path, 1)
    eventually(lambda: len(busy_children(tmp_path)) == 1, "a child is busy", 30)
    assert control.down(short_dir, lambda _line: None)
    assert host.wait(10) == 0
    assert not any(is_alive(pid) for pid in busy_children(tmp_path))


def test_pinging_leaves_nothing_behind_in_the_broker(host: subprocess.Popen[str], short_dir: Path) -> None:
    import redis

    info = state.running(short_dir)
    assert info is not None
    with redis.Redis.from_url(info.redis, decode_responses=True) as client:
        left = list(client.scan_iter("*reply*"))
    assert left == []
