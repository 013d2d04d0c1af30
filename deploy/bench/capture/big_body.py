"""Memory of a worker while it takes one body of 2 GB: what comes must go to disk, not pile up."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.bench.capture import ours, processes
from deploy.bench.capture.origin import Origin
from deploy.bench.capture.pages import Page, Pages
from deploy.bench.capture.stack import Stack
from workers.bootstrap import open_archive

SIZE = 2 * 1024**3
PIECE_BYTES = 8 * 1024 * 1024
NAME = "big.bin"


@contextmanager
def big_page(pages: Pages, size: int = SIZE) -> Iterator[Page]:
    """A file of this size beside the pages, made of them, for the length of a block."""
    path = pages.folder / NAME
    try:
        yield _write(path, pages, size)
    finally:
        path.unlink(missing_ok=True)


def growth_bytes(stack: Stack, origin: Origin, page: Page, net: int, scratch: Path) -> int:
    """By how much the worker that took it grew at most, above what it held before. It is checked byte for byte."""
    return asyncio.run(_measure(stack, origin, page, net, scratch))


async def _measure(stack: Stack, origin: Origin, page: Page, net: int, scratch: Path) -> int:
    async with open_archive(stack.settings) as archive:
        before = {pid: processes.resident_bytes(pid) for pid in stack.capture_processes()}
        for pid in before:
            processes.reset_peak(pid)
        urls = origin.urls([page], net=net)
        job = await ours.hand_in(archive, urls)
        await ours.until_done(archive, job.id, 1)
        grown = max(processes.peak_bytes(pid) - held for pid, held in before.items())
        receipts = await ours.receipts_of(archive, job.id)
        await ours.check(archive, ours.Handed(job, urls, [page]), receipts, scratch)
        return grown


def _write(path: Path, pages: Pages, size: int) -> Page:
    digest = hashlib.sha256()
    written = 0
    piece = b"".join((pages.folder / page.name).read_bytes() for page in pages.pages[:400])[:PIECE_BYTES]
    with path.open("wb") as out:
        for number in itertools.count():
            # Each piece begins otherwise, so that none is the one before.
            part = (number.to_bytes(8, "big") + piece)[: size - written]
            if not part:
                break
            out.write(part)
            digest.update(part)
            written += len(part)
    return Page(path.name, size, digest.hexdigest())
