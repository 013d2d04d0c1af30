"""`python -m workers.tasks --queue capture --concurrency 2`: one Celery worker on one queue."""

from __future__ import annotations

import argparse
import asyncio
import logging
import socket
import sys

from celery.signals import worker_process_init, worker_process_shutdown, worker_shutting_down
from prometheus_client import multiprocess

from workers.adapters.celery_app import QUEUES, make_app
from workers.adapters.stores import open_store, refuse_if_unsafe
from workers.config import Settings
from workers.metric_files import reserve
from workers.process import run_process
from workers.tasks.runtime import Runtime
from workers.tasks.shells import register
from workers.tasks.stopping import StopFlag

LOG = logging.getLogger(__name__)
READS = ("extract", "interactive")
"""Queues whose workers extract: their sandbox is started with them, so that the first page need not wait for it."""


def main(arguments: list[str] | None = None) -> int:
    """Run until told to stop. Exit 2: the settings are wrong; 3: the store lets two writers win."""
    parser = argparse.ArgumentParser(prog="python -m workers.tasks", description=__doc__)
    parser.add_argument("--queue", required=True, choices=QUEUES)
    parser.add_argument("--concurrency", type=int, default=1)
    given = parser.parse_args(arguments)
    return run_process(lambda settings: work(settings, given.queue, given.concurrency))


def work(settings: Settings, queue: str, concurrency: int) -> None:
    """Work a queue off, until Celery ends the process."""
    asyncio.run(_refuse_an_unsafe_store(settings))
    if queue in READS:
        _say_if_slow()
    app = make_app(settings.redis_url)
    flag = StopFlag()
    runtime = Runtime(settings, stopping=flag.is_raised)
    register(app, runtime)

    def ended(pid: int, **_: object) -> None:
        runtime.close()
        multiprocess.mark_process_dead(pid)  # type: ignore[no-untyped-call]

    def began(**_: object) -> None:
        reserve()
        if queue in READS:
            runtime.warm(lambda archive: archive.sandbox.start())

    def told_to_stop(**_: object) -> None:
        flag.raise_()

    worker_process_init.connect(began, weak=False)
    worker_shutting_down.connect(told_to_stop, weak=False)
    worker_process_shutdown.connect(ended, weak=False)
    options = ["worker", "-Q", queue, "-c", str(concurrency), "-n", f"{queue}@{socket.gethostname()}"]
    options += ["-P", "prefork", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    app.worker_main([*options, "-l", settings.log_level])


def _say_if_slow() -> None:
    from workers.flows.compiled import uncompiled  # with numpy, which capture workers do without

    if (slow := uncompiled()) is not None:
        LOG.warning("%s next_step=%s", slow.what, slow.next_step)


async def _refuse_an_unsafe_store(settings: Settings) -> None:
    """Every start tries the conditions that commits rest on."""
    store = open_store(settings)
    try:
        await refuse_if_unsafe(store)
    finally:
        store.close()


if __name__ == "__main__":
    sys.exit(main())
