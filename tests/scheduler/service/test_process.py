"""The scheduler as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis

from workers.frontier import names


def start(redis_url: str, folder: Path, **more: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CITEVAULT_")}
    environment |= {
        "CITEVAULT_REDIS_URL": redis_url,
        "CITEVAULT_S3_ENDPOINT": (folder / "store").as_uri(),
        "CITEVAULT_DATA_DIR": str(folder),
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "scheduler.service"],
        env=environment | more,
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_settles_a_new_archive_shows_that_it_lives_and_stops_on_sigterm(redis_url: str, tmp_path: Path):
    (tmp_path / "store").mkdir()
    process = start(redis_url, tmp_path)
    try:
        with redis.Redis.from_url(redis_url) as client:
            deadline = time.monotonic() + 30
            while not client.hexists(names.ALIVE, "scheduler"):
                assert process.poll() is None, process.stderr and process.stderr.read()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert client.get(names.EPOCH) == b"1"
            assert client.exists(names.SINGLETON)
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=15)
            assert process.returncode == 0, said
            assert not client.exists(names.SINGLETON)
            assert "Traceback" not in said
            assert "ERROR" not in said
    finally:
        process.kill()
        process.wait()


@pytest.mark.real
def test_wrong_settings_are_exit_2_and_a_sentence(tmp_path: Path):
    process = start("not a url", tmp_path)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "CITEVAULT_REDIS_URL" in said
    assert "Traceback" not in said
