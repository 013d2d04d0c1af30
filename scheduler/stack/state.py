"""What a running stack writes into its data directory, and how others tell a running one from a dead one.

The lock decides: it is held exactly as long as the supervisor lives, however that ends. `stack.json` is only what
the holder of the lock wrote; left behind by a SIGKILL it names a dead process and counts for nothing.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import secrets
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from scheduler.stack.stores import Credentials, write_secret
from workers.config import Settings
from workers.errors import PermanentError

STACK_LIMIT_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class StackInfo:
    """Where the parts of a running stack answer. The file is for its owner alone: `redis` holds the password."""

    pid: int
    web: str
    memento: str
    redis: str
    s3: str
    started_at: str
    contact: str | None = None
    """Of its workers, empty where they have none. None: an earlier version wrote the file."""

    def settings(self, base: Settings, credentials: Credentials) -> Settings:
        """The settings of a process that uses this stack; what `base` configures itself stays."""
        own_s3 = not base.s3_endpoint
        return dataclasses.replace(
            base,
            redis_url=base.redis_url or self.redis,
            s3_endpoint=base.s3_endpoint or self.s3,
            aws_access_key_id=credentials.access_key if own_s3 else base.aws_access_key_id,
            aws_secret_access_key=credentials.secret_key if own_s3 else base.aws_secret_access_key,
            aws_session_token="" if own_s3 else base.aws_session_token,
            web_port=_port(self.web) or base.web_port,
            memento_port=_port(self.memento) or base.memento_port,
        )


@dataclass(frozen=True, slots=True)
class StackPaths:
    """The files of one stack."""

    data_dir: Path

    @property
    def run(self) -> Path:
        return self.data_dir / "run"

    @property
    def logs(self) -> Path:
        return self.data_dir / "log"

    @property
    def stack(self) -> Path:
        return self.run / "stack.json"

    @property
    def ports(self) -> Path:
        return self.run / "ports.json"

    @property
    def lock(self) -> Path:
        return self.run / "supervisor.lock"

    @property
    def supervisor_log(self) -> Path:
        return self.logs / "supervisor.log"

    @property
    def credentials(self) -> Path:
        return self.data_dir / "keys" / "local-stack.json"

    def make(self) -> None:
        """Create the folders, for their owner alone."""
        try:
            for folder in (self.data_dir, self.run, self.logs, self.credentials.parent):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as refused:
            raise PermanentError(
                f"the data directory cannot be used: {refused.strerror}",
                where=str(self.data_dir),
                next_step="give another with --data-dir or CITEVAULT_DATA_DIR",
            ) from refused


class SupervisorLock:
    """Held by the supervisor for its whole life; the kernel lets go of it when the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def take(self) -> bool:
        """False: another supervisor lives."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode("ascii"), 0)
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def holder(lock: Path) -> int | None:
    """Process id of whoever holds a lock file, or None where nobody does. Used for supervisor and parts alike."""
    try:
        descriptor = os.open(lock, os.O_RDWR)
    except OSError:
        return None
    try:
        for _ in range(50):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                recorded = os.pread(descriptor, 32, 0)
                if recorded.isdigit():
                    return int(recorded)
                time.sleep(0.01)  # taken just now: the number follows
            else:
                return None
    finally:
        os.close(descriptor)
    return None


def until_free(lock: Path, seconds: float) -> bool:
    """Wait until nobody holds a lock. False: somebody still does."""
    deadline = time.monotonic() + seconds
    while holder(lock) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def running(data_dir: Path) -> StackInfo | None:
    """The stack that runs on this data directory and has started, or None."""
    paths = StackPaths(data_dir)
    pid = holder(paths.lock)
    if pid is None:
        return None
    info = read_info(paths.stack)
    return info if info is not None and info.pid == pid else None


def read_info(path: Path) -> StackInfo | None:
    try:
        with path.open("rb") as stream:
            stored = json.loads(stream.read(STACK_LIMIT_BYTES))
        texts = {each.name: str(stored[each.name]) for each in fields(StackInfo) if each.name not in ("pid", "contact")}
        contact = stored.get("contact")
        return StackInfo(pid=int(stored["pid"]), **texts, contact=None if contact is None else str(contact))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def write_info(path: Path, info: StackInfo) -> None:
    write_secret(path, json.dumps(asdict(info), indent=1) + "\n")


def credentials_of(paths: StackPaths) -> Credentials:
    """The secrets of this data directory, made at the first start and kept: its stores know no others."""
    try:
        stored = json.loads(paths.credentials.read_bytes())
        return Credentials(*(str(stored[each.name]) for each in fields(Credentials)))
    except FileNotFoundError:
        made = Credentials(secrets.token_hex(24), secrets.token_hex(10), secrets.token_hex(24))
        write_secret(paths.credentials, json.dumps(asdict(made), indent=1) + "\n")
        return made
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as damaged:
        raise PermanentError(
            "the secrets of the local stack cannot be read",
            where=str(paths.credentials),
            next_step="restore the file; without it start on another --data-dir",
        ) from damaged


def _port(address: str) -> int:
    tail = address.rpartition(":")[2]
    return int(tail) if tail.isdigit() else 0
