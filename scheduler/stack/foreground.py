"""One run of the local stack, from the lock to the last part's end: what `citevault up` does in its own process and
what `python -m scheduler.stack --detach` does in another."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime

from scheduler.stack import ports, state
from scheduler.stack.part import Part
from scheduler.stack.ports import StackPorts
from scheduler.stack.preparation import PREPARE, Step
from scheduler.stack.programs import STORES, program_parts
from scheduler.stack.state import StackInfo, StackPaths, SupervisorLock
from scheduler.stack.stores import LOOPBACK, Credentials, seaweed, valkey, weed_binary
from scheduler.stack.supervisor import Say, StartError, StoppedError, Supervisor
from workers.config import Settings, process_environment

TRIES = 3
LEFTOVER_SECONDS = 10.0


class AlreadyRunning(Exception):  # noqa: N818 (not an error: what was asked for is there)
    """Another supervisor holds the lock of this data directory."""


def serve(
    settings: Settings,
    say: Say,
    *,
    only: Collection[str] | None = None,
    prepare: Sequence[Step] = PREPARE,
    programs: Callable[[Settings], Sequence[Part]] = program_parts,
    on_ready: Callable[[StackInfo], None] = lambda _info: None,
) -> None:
    """Run the stack until SIGTERM, SIGINT or SIGHUP. Raises AlreadyRunning, or StartError where a part does not
    come up; nothing is left running then. `only` names parts, for less than the whole."""
    paths = StackPaths(settings.data_dir)
    paths.make()
    lock = SupervisorLock(paths.lock)
    if not lock.take():
        raise AlreadyRunning
    try:
        paths.stack.unlink(missing_ok=True)
        _serve_locked(settings, paths, say, only, prepare, programs, on_ready)
    finally:
        paths.stack.unlink(missing_ok=True)
        lock.release()


def _serve_locked(
    settings: Settings,
    paths: StackPaths,
    say: Say,
    only: Collection[str] | None,
    prepare: Sequence[Step],
    programs: Callable[[Settings], Sequence[Part]],
    on_ready: Callable[[StackInfo], None],
) -> None:
    credentials = state.credentials_of(paths)
    for left in paths.run.glob("*.lock"):  # parts of a killed supervisor: they are ending, and hold their ports yet
        if left != paths.lock:
            state.until_free(left, LEFTOVER_SECONDS)
    for attempt in range(TRIES):
        chosen = ports.choose(ports.load(paths.ports), web=settings.web_port, memento=settings.memento_port)
        ports.save(paths.ports, chosen)
        info = _info(settings, chosen, credentials)
        complete = info.settings(settings, credentials)
        table = [*_stores(settings, chosen, credentials), *programs(complete)]
        supervisor = Supervisor([part for part in table if only is None or part.name in only], say)
        with supervisor.signals():
            try:
                supervisor.start(STORES)
                for step in prepare:
                    step(complete)
                supervisor.start()
            except StoppedError:
                return
            except StartError as failed:
                if attempt == TRIES - 1 or not failed.ended or ports.choose(chosen, web=settings.web_port) == chosen:
                    raise
                say("another program has taken one of our ports; trying others")
                continue
            except BaseException:
                supervisor.stop()
                raise
            try:
                state.write_info(paths.stack, info)
                on_ready(info)
                supervisor.run()
            finally:
                supervisor.stop()
            return


def _stores(settings: Settings, chosen: StackPorts, credentials: Credentials) -> list[Part]:
    """The stores that are not configured elsewhere."""
    env = process_environment(settings)
    parts = []
    if not settings.redis_url:
        parts.append(valkey(settings.data_dir, chosen.redis, credentials, env=env))
    if not settings.s3_endpoint and weed_binary() is not None:
        parts.append(seaweed(settings.data_dir, chosen, credentials, bucket=settings.s3_bucket, env=env))
    return parts


def _info(settings: Settings, chosen: StackPorts, credentials: Credentials) -> StackInfo:
    own_s3 = f"http://{LOOPBACK}:{chosen.s3}"
    if weed_binary() is None:
        own_s3 = (settings.data_dir / "store").as_uri()  # no SeaweedFS for this machine: a directory does
    return StackInfo(
        pid=os.getpid(),
        web=f"http://{_reachable(settings.web_host)}:{chosen.web}",
        memento=f"http://{_reachable(settings.web_host)}:{chosen.memento}",
        redis=settings.redis_url or f"redis://:{credentials.redis_password}@{LOOPBACK}:{chosen.redis}/0",
        s3=settings.s3_endpoint or own_s3,
        started_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        contact=settings.contact,
    )


def _reachable(host: str) -> str:
    """How this machine reaches what listens there, as it stands in a URL."""
    if host in ("", "0.0.0.0", "::"):  # noqa: S104 (compared, not bound)
        return LOOPBACK
    return f"[{host}]" if ":" in host else host
