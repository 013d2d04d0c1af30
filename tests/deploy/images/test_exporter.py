"""The exporter adds up what several containers counted, though their processes have the same ids."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from deploy.images.exporter import Exporter, exposition

COUNT = """
import os, sys
os.getpid = lambda: 7  # every container has a process 7
from workers import metrics
metrics.HEADS.inc(int(sys.argv[1]))
metrics.URLS_WAITING.set(int(sys.argv[1]))
"""


@pytest.fixture
def counted(repository: Path, tmp_path: Path) -> Path:
    for name, count in (("one", 2), ("two", 3)):
        folder = tmp_path / name
        folder.mkdir()
        environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder), "PYTHONPATH": str(repository)}
        subprocess.run([sys.executable, "-c", COUNT, str(count)], env=environment, check=True, timeout=60)
    return tmp_path


def test_counters_of_containers_with_equal_process_ids_are_added(counted: Path) -> None:
    text = exposition(counted).decode()
    assert "citevault_manifests_total 5.0" in text


def test_a_gauge_is_the_newest(counted: Path) -> None:
    assert "citevault_urls_waiting 3.0" in exposition(counted).decode()


def test_a_folder_without_metrics_is_empty(tmp_path: Path) -> None:
    assert exposition(tmp_path) == b""


@pytest.mark.real
def test_it_serves_metrics_and_nothing_else_and_says_when_a_file_is_torn(counted: Path) -> None:
    with Exporter(("127.0.0.1", 0), counted) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

        def get(path: str) -> tuple[int, bytes]:
            connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                return answer.status, answer.read()
            finally:
                connection.close()

        try:
            assert get("/metrics")[0] == 200
            assert get("/etc/passwd")[0] == 404
            (counted / "one" / "counter_9.db").write_bytes(b"\xff\xff\xff\x7f torn")
            status, said = get("/metrics")
            assert status == 503
            assert b"cannot be read" in said
        finally:
            server.shutdown()
