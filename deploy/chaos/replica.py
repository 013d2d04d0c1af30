"""A Valkey with a replica that takes over its place, port and all, without the last writes: what a failover does when
replication is asynchronous."""

from __future__ import annotations

import dataclasses
import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

from scheduler.stack import child, ports
from scheduler.stack.part import Part
from scheduler.stack.state import StackPaths
from scheduler.stack.stores import LOOPBACK, Credentials, valkey
from workers.errors import RetryableError

START_SECONDS, LINK_SECONDS = 60.0, 60.0


@dataclass(slots=True)
class Pair:
    """A primary, and a replica that follows it."""

    url: str
    port: int
    spare_port: int
    password: str
    primary: subprocess.Popen[bytes]

    def lag(self) -> None:
        """From now on the replica hears nothing more of its primary."""
        with self._client(self.spare_port) as replica, self._client(self.port) as primary:
            replica.config_set("primaryauth" if replica.config_get("primaryauth") else "masterauth", "wrong")
            primary.client_kill_filter(_type="replica")

    def take_over(self, counted: str = "") -> int:
        """The primary dies, and the replica answers in its place with what it has heard. How many more fields the
        `counted` hash had in the primary."""
        with self._client(self.port) as primary:
            had = int(primary.hlen(counted)) if counted else 0
        self.primary.kill()
        self.primary.wait()
        with self._client(self.spare_port) as replica:
            had -= int(replica.hlen(counted)) if counted else 0
            replica.execute_command("REPLICAOF", "NO", "ONE")
            replica.config_set("port", self.port)
        return had

    def linked(self) -> bool:
        """Whether the replica has all that the primary has."""
        with self._client(self.spare_port) as replica, self._client(self.port) as primary:
            told = replica.info("replication")
            return bool(
                told.get("master_link_status") == "up"
                and told["master_repl_offset"] == primary.info("replication")["master_repl_offset"]
            )

    def _client(self, port: int) -> redis.Redis:
        return redis.Redis(host=LOOPBACK, port=port, password=self.password)


@contextmanager
def running_pair(folder: Path) -> Iterator[Pair]:
    """Start both, and wait until the replica follows. They end with the block."""
    chosen, spare = ports.choose().redis, ports.choose().redis
    credentials = Credentials(secrets.token_hex(16), "", "")
    with ExitStack() as stack:
        primary = _start(stack, _part(folder / "primary", chosen, credentials))
        following = ("--replicaof", LOOPBACK, str(chosen), "--masterauth", credentials.redis_password)
        _start(stack, _part(folder / "replica", spare, credentials, *following, "--repl-diskless-sync-delay", "0"))
        url = f"redis://:{credentials.redis_password}@{LOOPBACK}:{chosen}/0"
        pair = Pair(url, chosen, spare, credentials.redis_password, primary)
        deadline = time.monotonic() + LINK_SECONDS
        while not pair.linked():
            if time.monotonic() > deadline:
                raise RetryableError("the replica does not follow its primary", where=str(folder))
            time.sleep(0.1)
        yield pair


def _part(folder: Path, port: int, credentials: Credentials, *more: str) -> Part:
    StackPaths(folder).make()
    part = valkey(folder, port, credentials, env=dict(os.environ))
    return dataclasses.replace(part, command=(*part.command, *more))


def _start(stack: ExitStack, part: Part) -> subprocess.Popen[bytes]:
    process = child.start(part)
    stack.callback(child.stop, part, process)
    complaint = child.wait_until_answering(part, process, START_SECONDS)
    if complaint is not None:
        raise RetryableError(f"{complaint}\n{child.log_tail(part.log)}", where=str(part.log))
    return process
