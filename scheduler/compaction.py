"""`python -m scheduler.compaction`: one compaction by itself, in a process of its own: join files, then delete what was
joined long enough ago.

The scheduler runs it, so that neither the index of a large file (some 150 MB, sorted at once) nor hours of reading
stand in the way of the release of batches. It ends when its standard input does, so with whoever started it, and may
be killed at any moment (`workers/flows/compact/`). Its answer is one line of JSON on stdout.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final

from workers import config
from workers.adapters.scratch import exclusive_folder
from workers.bootstrap import open_archive
from workers.config import Settings, process_environment
from workers.errors import CitevaultError, RetryableError
from workers.flows.compact import JoinLimits, clear, compact
from workers.flows.compact.ports import told_nobody

LOG = logging.getLogger(__name__)
FOLDER: Final = ".compact"
"""In the spool, beside the folders of workers: a name with a dot is none of theirs."""
NICENESS: Final = 10
END_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Tidied:
    """What one run did. `busy`: nothing, since another process on this machine is at it."""

    made: int = 0
    joined: int = 0
    deleted: int = 0
    damaged: tuple[str, ...] = ()
    """Keys of files that are left alone."""
    busy: bool = False


async def tidied(settings: Settings) -> Tidied:
    """Join what is worth it and delete what may go, here."""
    try:
        with exclusive_folder(settings.spool_dir / FOLDER, whose="`citevault compact`") as folder:
            async with open_archive(settings) as archive:
                ports = archive.compact_ports(folder, told_nobody)
                done = await compact(ports, JoinLimits(bytes=settings.compact_bytes))
                gone = await clear(ports, grace_seconds=settings.compact_grace_seconds)
    except RetryableError as error:
        if error.where != str(settings.spool_dir / FOLDER):
            raise
        return Tidied(busy=True)
    return Tidied(
        made=len(done.made),
        joined=sum(len(entry.sources) for entry in done.made),
        deleted=gone.files,
        damaged=tuple(dict.fromkeys(each.key for each in (*done.damaged, *gone.damaged))),
    )


async def tidy(settings: Settings) -> Tidied:
    """The same in a process of its own. RetryableError where that did not come to its end; the log has its words."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scheduler.compaction"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=process_environment(settings),
    )
    try:
        told, _ = await process.communicate()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), END_SECONDS)
    if process.returncode != 0:
        raise RetryableError(
            f"a compaction ended with {process.returncode}",
            where="compaction",
            next_step="see the log; `citevault compact` does the same by hand",
        )
    found = json.loads(told)
    return Tidied(**{**found, "damaged": tuple(found["damaged"])})


def _end_with_parent() -> None:
    while os.read(0, 1024):  # unbuffered: a buffer's lock would be in the way at the end
        pass
    os._exit(1)


def main() -> int:
    """Exit 0: done, 3: a store is away or there is no room."""
    settings = config.load()
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    os.nice(NICENESS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        done = asyncio.run(tidied(settings))
    except CitevaultError as error:
        LOG.warning("compaction not done error=%s", error)
        return 3
    sys.stdout.write(json.dumps(asdict(done)) + "\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
