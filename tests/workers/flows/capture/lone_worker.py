"""A capture worker for one batch, without Celery: a process that tests can kill, trace, and start again.

`python lone_worker.py MESSAGE`, the message as JSON; everything else as the environment says.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from schemas.messages import CaptureBatch, TaskMessage
from workers import config
from workers.bootstrap import open_archive
from workers.flows.capture.in_turn import capture_in_turn


class Silent:
    """Nobody extracts meanwhile."""

    async def announce(self, message: TaskMessage) -> None:
        """Say nothing."""


async def main(message: CaptureBatch) -> None:
    """Capture until the end of the batch, or of the process."""
    async with open_archive(config.load(folder=Path("/nowhere"))) as archive:
        archive.announcer = Silent()
        ports, settings = archive.capture_ports(), archive.capture_settings()
        await capture_in_turn(message, ports, settings, archive.transport, archive.robots, most=1)


if __name__ == "__main__":
    asyncio.run(main(CaptureBatch.model_validate_json(sys.argv[1])))
