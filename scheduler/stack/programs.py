"""The parts of the local stack that are programs of this project: Celery workers by queue, scheduler, web."""

from __future__ import annotations

import asyncio
import http.client
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from scheduler.stack.part import Part, Probe, RestartPolicy
from scheduler.stack.pings import WorkerPings
from scheduler.stack.state import StackPaths
from workers.adapters.redis.client import connect
from workers.adapters.redis.liveness import Liveness
from workers.config import Settings, process_environment
from workers.errors import CitevaultError

STORES = ("redis", "s3")
WORKER = (sys.executable, "-m", "workers.tasks")
WEB_SECONDS = 2.0
STANDBY_SECONDS = 20.0
PACKAGES = Path(__file__).resolve().parents[2]  # the folder that holds `scheduler`, `workers` and `schemas`

# Celery's warm stop waits for running tasks. A batch ends within some seconds of being told; a segment that is read or
# clustered meanwhile may be cut off after this long, and the ledger sends it again.
WORKER_STOP_SECONDS = 12.0


def concurrency(settings: Settings) -> dict[str, int]:
    """Worker processes by queue. Interactive work has its own, so that it never waits behind bulk."""
    return {
        "interactive": settings.interactive_workers,
        "capture": settings.capture_workers,
        "extract": settings.extract_workers,
        "cluster": settings.cluster_workers,
    }


def program_parts(settings: Settings) -> tuple[Part, ...]:
    """All programs, for a stack whose stores are in these settings (which must name both, and the ports)."""
    paths = StackPaths(settings.data_dir)
    env = {
        **process_environment(settings),
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": str(PACKAGES),
        "PROMETHEUS_MULTIPROC_DIR": str(settings.metrics_dir),
        # One process a core is planned for; numpy's own threads would be in each other's way.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    counts = concurrency(settings)
    pings = WorkerPings(settings.redis_url, [node(queue) for queue in counts])
    workers = [worker(queue, count, settings, paths, env, pings=pings) for queue, count in counts.items()]
    return (
        *workers,
        program("scheduler", "scheduler.service", scheduler_probe(settings.redis_url), paths, env, needs=STORES),
        program("web", "scheduler.web", web_probe(settings.web_port), paths, env, needs=STORES),
    )


def node(queue: str) -> str:
    """How Celery names the worker of a queue on this machine."""
    return f"{queue}@{socket.gethostname()}"


def worker(
    queue: str,
    count: int,
    settings: Settings,
    paths: StackPaths,
    env: Mapping[str, str],
    *,
    pings: WorkerPings,
    command: Sequence[str] = WORKER,
) -> Part:
    """Celery on one queue, with so many processes."""
    name = f"worker-{queue}"
    return Part(
        name=name,
        command=(*command, "--queue", queue, "--concurrency", str(count)),
        env=env,
        probe=pings.probe(node(queue)),
        log=paths.logs / f"{name}.log",
        lock=paths.run / f"{name}.lock",
        needs=STORES,
        death_signal=signal.SIGKILL,  # a busy prefork worker outlives SIGTERM
        stop_seconds=WORKER_STOP_SECONDS,
        restart=RestartPolicy(first=0.2, longest=10.0, settled=10.0),
    )


def program(
    name: str, module: str, probe: Probe, paths: StackPaths, env: Mapping[str, str], *, needs: tuple[str, ...]
) -> Part:
    """One of our own processes, started as a module."""
    return Part(
        name=name,
        command=(sys.executable, "-m", module),
        env=env,
        probe=probe,
        log=paths.logs / f"{name}.log",
        lock=paths.run / f"{name}.lock",
        needs=needs,
        death_signal=signal.SIGKILL,
        stop_seconds=8.0,
        restart=RestartPolicy(first=0.5, longest=10.0, settled=10.0),
    )


def web_probe(port: int) -> Probe:
    """Whether the web process answers HTTP at all; whether work is done is what its health page says."""

    def look() -> str | None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WEB_SECONDS)
        try:
            connection.request("GET", "/")
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as refused:
            return f"no answer on port {port}: {refused}"
        finally:
            connection.close()
        return None if status < 500 else f"HTTP {status}"

    return look


def scheduler_probe(redis_url: str) -> Probe:
    """Whether the scheduler has given a sign of life since this probe was made. One that stands by for a predecessor's
    lease, or rebuilds what Redis lost, gives none for a while: having stayed up then counts."""
    since_ms = int(time.time() * 1000)
    patience = settled(STANDBY_SECONDS)

    async def newest_ms() -> int:
        client = connect(redis_url, connections=1, timeout_seconds=WEB_SECONDS)
        try:
            sign = (await Liveness(client).all()).get("scheduler")
        finally:
            await client.aclose()
        return sign.alive_at_ms if sign is not None else 0

    def look() -> str | None:
        try:
            if asyncio.run(newest_ms()) >= since_ms:
                return None
        except CitevaultError as refused:
            return refused.what
        return None if patience() is None else "it has given no sign of life yet"

    return look


def settled(seconds: float, clock: Callable[[], float] = time.monotonic) -> Probe:
    """For a process that listens nowhere: it counts as answering when it has stayed up for a while. The supervisor
    notices by itself when it ends."""
    first: list[float] = []

    def look() -> str | None:
        if not first:
            first.append(clock())
        left = first[0] + seconds - clock()
        return f"{left:.1f} s to go" if left > 0 else None

    return look
