"""Free ports, kept from start to start while they are free."""

import dataclasses
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler.stack import ports

pytestmark = [pytest.mark.real, pytest.mark.allow_hosts(["127.0.0.1"])]


def test_ports_are_different_free_and_below_the_outgoing_range() -> None:
    chosen = ports.choose()
    used = dataclasses.asdict(chosen)
    every = [*used.values(), *(used[name] + ports.GRPC_OFFSET for name in ports.WITH_GRPC)]
    assert len(set(every)) == len(every)
    assert max(every) < 32_768
    assert all(ports.is_free(port) for port in every)


def test_ports_of_last_time_are_taken_again_unless_somebody_has_them(tmp_path: Path) -> None:
    before = ports.choose()
    ports.save(tmp_path / "ports.json", before)
    loaded = ports.load(tmp_path / "ports.json")
    assert loaded == before
    with socket.socket() as other:
        other.bind(("127.0.0.1", before.s3 + ports.GRPC_OFFSET))
        other.listen()
        again = ports.choose(loaded)
    assert again.s3 != before.s3
    assert dataclasses.replace(again, s3=before.s3, web=before.web) == before


def test_the_web_takes_the_next_free_port() -> None:
    first = ports.choose()
    with socket.socket() as other:
        other.bind(("127.0.0.1", first.web))
        other.listen()
        assert ports.choose().web > first.web
    assert ports.choose(web=4711, memento=4712).web == 4711


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"redis": "x"}'])
def test_a_damaged_file_of_ports_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "ports.json").write_text(content)
    assert ports.load(tmp_path / "ports.json") is None
    assert ports.load(tmp_path / "absent.json") is None


def test_two_processes_never_choose_the_same_web_port(short_dir: Path) -> None:
    """Both would find it free: the web process listens only seconds after it was chosen."""
    program = (
        "import sys, time; from scheduler.stack.ports import first_free\n"
        "print(first_free(int(sys.argv[1])), flush=True); sys.stdin.read()"
    )
    start = ports.first_free(23_000)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(start)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    try:
        chosen = [int(process.stdout.readline()) for process in processes if process.stdout]
        assert len({start, *chosen}) == 4
    finally:
        for process in processes:
            process.communicate(timeout=10)
