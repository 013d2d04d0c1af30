"""An empty Valkey for one measurement, and what it says of itself."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis
from redis.exceptions import ConnectionError as NotYetError

from deploy.bench.capture.origin import MissingProgramError
from scheduler.stack.stores import valkey_binary


class Server:
    """Where it listens, the CPU time that it took, and the memory of its data."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._client = Redis(port=port)

    def ping(self) -> None:
        self._client.ping()

    def empty(self) -> None:
        self._client.execute_command("FLUSHALL", "SYNC")  # type: ignore[no-untyped-call]

    def cpu_seconds(self) -> float:
        told = self._client.info("cpu")
        return float(told["used_cpu_user"]) + float(told["used_cpu_sys"])

    def memory_bytes(self) -> int:
        return int(self._client.info("memory")["used_memory"])

    def close(self) -> None:
        self._client.close()


@contextmanager
def running_server(folder: Path) -> Iterator[Server]:
    """Started on an empty folder without an append-only file, ended with the block."""
    binary = valkey_binary()
    if binary is None:
        raise MissingProgramError("there is no embedded Valkey for this platform")
    folder.mkdir(parents=True, exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    flags = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    process = subprocess.Popen([str(binary), *flags], stdout=subprocess.DEVNULL)  # noqa: S603 (our own binary)
    server = Server(port)
    try:
        _wait(server)
        yield server
    finally:
        server.close()
        process.terminate()
        process.wait(30)


def _wait(server: Server) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            return server.ping()
        except NotYetError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
