"""Starting, finding and ending a stack, with its two stores for real."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.stack import control, state
from scheduler.stack.state import StackInfo, StackPaths
from workers.adapters.stores import open_store
from workers.config import Settings
from workers.errors import RetryableError

pytestmark = [pytest.mark.real, pytest.mark.allow_hosts(["127.0.0.1"])]

STORES = ("redis", "s3")


@pytest.fixture
def settings(short_dir: Path) -> Iterator[Settings]:
    yield Settings(data_dir=short_dir, s3_read_seconds=10)
    control.down(short_dir, lambda _line: None)


def complete(settings: Settings, info: StackInfo) -> Settings:
    return info.settings(settings, state.credentials_of(StackPaths(settings.data_dir)))


def put(settings: Settings, key: str, body: bytes) -> None:
    store = open_store(settings)
    asyncio.run(store.put(key, body))
    store.close()


def get(settings: Settings, key: str) -> bytes:
    store = open_store(settings)
    body = asyncio.run(store.get(key))
    store.close()
    return body


def pids_of_parts(settings: Settings) -> list[int]:
    locks = [StackPaths(settings.data_dir).run / f"{name}.lock" for name in STORES]
    return [pid for lock in locks if (pid := state.holder(lock)) is not None]


def test_a_stack_starts_in_the_background_once_and_ends_without_a_trace(settings: Settings, is_alive: Any) -> None:
    lines: list[str] = []
    info = control.ensure_running(settings, lines.append, only=STORES)
    assert [line.split()[0] for line in lines] == ["starting", "redis", "s3", "the"]
    assert lines[-1] == f"the local stack is ready: {info.web}"
    assert info.web.startswith("http://127.0.0.1:")
    assert state.running(settings.data_dir) == info
    pids = [info.pid, *pids_of_parts(settings)]
    assert len(pids) == 3
    assert control.ensure_running(settings, lines.append) == info
    assert len(lines) == 4  # a stack that runs is not told of
    control.up(settings, lines.append)
    assert "already running" in lines[-1]
    assert info.web in lines[-1]
    assert (settings.signing_key.stat().st_mode & 0o777) == 0o600

    put(complete(settings, info), "a/b", b"kept")
    assert control.down(settings.data_dir, lines.append)
    assert not any(is_alive(pid) for pid in pids)
    assert not StackPaths(settings.data_dir).stack.exists()
    assert not control.down(settings.data_dir, lines.append)

    # Other ports, the same data.
    StackPaths(settings.data_dir).ports.unlink()
    again = control.up_detached(settings, lines.append, only=STORES)
    assert again.s3 != info.s3
    assert get(complete(settings, again), "a/b") == b"kept"


def test_nothing_is_left_after_the_supervisor_is_killed_and_the_next_start_is_clean(
    settings: Settings, is_alive: Any, eventually: Any
) -> None:
    info = control.up_detached(settings, lambda _line: None, only=STORES)
    put(complete(settings, info), "a/b", b"kept")
    pids = pids_of_parts(settings)
    os.kill(info.pid, signal.SIGKILL)
    paths = StackPaths(settings.data_dir)
    eventually(lambda: not is_alive(info.pid), "the supervisor is dead")
    assert paths.stack.exists()
    assert state.running(settings.data_dir) is None
    # At once, while the old parts may still be writing their last.
    again = control.up_detached(settings, lambda _line: None, only=STORES)
    eventually(lambda: not any(is_alive(pid) for pid in pids), "the old parts are gone")
    assert again.pid != info.pid
    assert get(complete(settings, again), "a/b") == b"kept"
    assert (again.redis, again.s3) == (info.redis, info.s3)


def test_down_clears_what_a_killed_supervisor_left(settings: Settings, is_alive: Any) -> None:
    info = control.up_detached(settings, lambda _line: None, only=STORES)
    pids = pids_of_parts(settings)
    os.kill(info.pid, signal.SIGKILL)
    control.down(settings.data_dir, lambda _line: None)
    assert not any(is_alive(pid) for pid in pids)
    assert pids_of_parts(settings) == []


def test_two_starts_at_once_give_one_stack(settings: Settings) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from workers.config import Settings; from scheduler.stack import control\n"
        "info = control.up_detached(Settings(data_dir=Path(sys.argv[1])), lambda _: None, only=('redis', 's3'))\n"
        "print(info.pid)"
    )
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-c", code, str(settings.data_dir)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) for _ in range(2)]
    answers = [process.communicate(timeout=60)[0].strip() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert len(set(answers)) == 1
    assert int(answers[0]) == state.holder(StackPaths(settings.data_dir).lock)


def test_a_start_that_fails_says_why_and_where(settings: Settings) -> None:
    (settings.data_dir / "redis").mkdir(parents=True)
    (settings.data_dir / "redis" / "appendonlydir").write_text("not a folder")
    lines: list[str] = []
    with pytest.raises(RetryableError, match=r"supervisor\.log"):
        control.up_detached(settings, lines.append, only=("redis",))
    assert any("redis ended with code" in line for line in lines)
    assert pids_of_parts(settings) == []


def test_a_configured_store_is_used_and_not_started(settings: Settings, redis_url: str) -> None:
    partly = Settings(data_dir=settings.data_dir, redis_url=redis_url)
    info = control.up_detached(partly, lambda _line: None, only=STORES)
    assert info.redis == redis_url
    assert len(pids_of_parts(settings)) == 1


def test_a_fully_configured_command_starts_nothing(short_dir: Path) -> None:
    configured = Settings(data_dir=short_dir / "x", redis_url="redis://h:1/0", s3_endpoint="http://h:2")
    assert control.local_settings(configured) is configured
    assert not (short_dir / "x").exists()


def test_a_foreground_stack_ends_with_its_signal(settings: Settings, is_alive: Any) -> None:
    command = [sys.executable, "-m", "scheduler.stack", "--only", "redis,s3"]
    env = {**os.environ, "CITEVAULT_DATA_DIR": str(settings.data_dir)}
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root) as up:
        assert up.stdout is not None
        assert up.stdout.readline() == "READY\n"
        pids = pids_of_parts(settings)
        stored = json.loads(StackPaths(settings.data_dir).stack.read_text())
        assert stored["pid"] == up.pid
        up.send_signal(signal.SIGINT)
        assert up.wait(30) == 0
    assert not any(is_alive(pid) for pid in pids)
