"""`python -m scheduler.service`: the scheduler of one archive, until SIGTERM. Any number may be started."""

from __future__ import annotations

import asyncio
import signal
import sys

from scheduler.service import Service
from scheduler.service.wiring import limits_of, ports_of
from workers.adapters.stores import refuse_if_unsafe
from workers.bootstrap import open_archive
from workers.config import Settings
from workers.metric_files import reserve
from workers.process import run_process


def main() -> int:
    """Run until told to stop. Exit 2: the settings are wrong; 3: the store lets two writers win."""
    return run_process(_work)


def _work(settings: Settings) -> None:
    reserve()
    asyncio.run(_run(settings))


async def _run(settings: Settings) -> None:
    async with open_archive(settings) as archive:
        await refuse_if_unsafe(archive.store)
        service = Service(ports_of(archive), limits_of(settings))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, service.stop)
        await service.run()


if __name__ == "__main__":
    sys.exit(main())
