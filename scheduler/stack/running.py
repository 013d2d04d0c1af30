"""The stores alone, for as long as a `with` block lasts: what tests and one-shot commands need of the stack."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from scheduler.stack import child, ports
from scheduler.stack.part import Part
from scheduler.stack.ports import StackPorts
from scheduler.stack.state import StackPaths, credentials_of
from scheduler.stack.stores import LOOPBACK, Credentials, seaweed, valkey
from workers.config import Settings, process_environment
from workers.errors import RetryableError

BUCKET = "citevault"
TRIES = 3


@dataclass(frozen=True, slots=True)
class RunningStores:
    """Where the started stores answer; an address is empty where that store was not asked for."""

    redis_url: str
    s3_endpoint: str
    bucket: str
    credentials: Credentials

    def reached_by(self, settings: Settings) -> Settings:
        """The settings, with these stores instead of those that they name; what was not started stays as it is."""
        if self.redis_url:
            settings = replace(settings, redis_url=self.redis_url)
        if self.s3_endpoint:
            settings = replace(
                settings,
                s3_endpoint=self.s3_endpoint,
                s3_bucket=self.bucket,
                aws_access_key_id=self.credentials.access_key,
                aws_secret_access_key=self.credentials.secret_key,
            )
        return settings


@contextmanager
def running_parts(data_dir: Path, parts: Collection[str] = ("redis", "s3")) -> Iterator[RunningStores]:
    """Start these stores on `data_dir`, wait until they answer, and end them with the block. They die with this
    process too, however it ends, so call it from the main thread."""
    settings = Settings(data_dir=data_dir)
    paths = StackPaths(settings.data_dir)
    paths.make()
    credentials = credentials_of(paths)
    env = process_environment(settings)
    with ExitStack() as stack:
        redis_url = endpoint = ""
        if "redis" in parts:
            chosen = _start_somewhere(stack, lambda free: valkey(paths.data_dir, free.redis, credentials, env=env))
            redis_url = f"redis://:{credentials.redis_password}@{LOOPBACK}:{chosen.redis}/0"
        if "s3" in parts:
            chosen = _start_somewhere(
                stack, lambda free: seaweed(paths.data_dir, free, credentials, bucket=BUCKET, env=env)
            )
            endpoint = f"http://{LOOPBACK}:{chosen.s3}"
        yield RunningStores(redis_url, endpoint, BUCKET, credentials)


def _start_somewhere(stack: ExitStack, build: Callable[[StackPorts], Part]) -> StackPorts:
    """Start a store on free ports; should another program take one of them in between, on others."""
    complaint = ""
    for _ in range(TRIES):
        chosen = ports.choose()
        part = build(chosen)
        process = child.start(part)
        with ExitStack() as attempt:
            attempt.callback(child.stop, part, process)
            complaint = child.wait_until_answering(part, process, part.start_seconds) or ""
            if not complaint:
                stack.push(attempt.pop_all())
                return chosen
        complaint = f"{complaint}\n{child.log_tail(part.log)}"
    raise RetryableError(complaint, next_step="look into the log folder")
