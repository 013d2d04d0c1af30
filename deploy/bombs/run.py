"""Each bomb through what reads pages, as the extract flow does it, and a good page after it."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from deploy.bombs import pages, pdfs
from deploy.hostile.bombs import BOMBS
from schemas.records.outcome import Outcome
from workers.extract.decode import DEFAULT_LIMITS, DecodeFailure, DecodeProblem, remove_codings
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.limits import SandboxLimits
from workers.extract.reader import read_status
from workers.extract.sandbox import Sandbox

MIB = 1024 * 1024
HTML, PDF = "text/html; charset=utf-8", "application/pdf"
RETRIEVED_ON = "2026-11-29"
GOOD = b"<html><body><article><h1>Gates</h1>" + b"<p>" + pages.SENTENCE * 5 + b"</p></article></body></html>"


@dataclass(frozen=True, slots=True)
class Bomb:
    name: str
    content_type: str
    body: Callable[[], bytes]
    codings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Survived:
    """What became of a bomb. `extractor` is None where no text was made."""

    name: str
    bytes: int
    reader_status: str
    reason: str | None
    extractor: str | None
    seconds: float
    child_mib: float
    """The most memory that any child took so far."""
    goes_on: bool
    """Whether the page after it was read as ever."""


def bombs(scale: float = 1.0) -> list[Bomb]:
    """All of them; `scale` 1 is the full size."""

    def many(count: int) -> int:
        return max(1, int(count * scale))

    return [
        Bomb("100 MB of nested divs", HTML, lambda: pages.nested(many(100 * 1000 * 1000))),
        Bomb("60 MB of nested divs", HTML, lambda: pages.nested(many(60 * 1000 * 1000))),
        Bomb("text below 100,000 divs", HTML, lambda: pages.nested_text(many(100_000))),
        Bomb("a million attributes", HTML, lambda: pages.attributes(many(1_000_000))),
        Bomb("a million tables in tables", HTML, lambda: pages.tables(many(1_000_000))),
        Bomb("a million overlapping elements", HTML, lambda: pages.formatting(many(333_333))),
        Bomb("a million open comments", HTML, lambda: pages.comments(many(1_000_000))),
        Bomb("a million open quotes", HTML, lambda: pages.quotes(many(1_000_000))),
        Bomb("a million paragraphs", HTML, lambda: pages.paragraphs(many(1_000_000))),
        *(
            Bomb(f"2 GB under {coding}", HTML, lambda make=make: b"".join(make(many(2048))), (coding,))  # type: ignore[misc]
            for coding, make in BOMBS.items()
        ),
        Bomb("PDF: page tree of 100,000 levels", PDF, lambda: pdfs.deep_pages(many(100_000))),
        Bomb("PDF: array of a million levels", PDF, lambda: pdfs.deep_object(many(1_000_000))),
        Bomb("PDF: a million pages", PDF, lambda: pdfs.many_pages(max(10_000, many(1_000_000)))),
        Bomb("PDF: claims 2,147,483,647 pages", PDF, lambda: pdfs.claimed_pages(2**31 - 1)),
        Bomb("PDF: page tree in a loop", PDF, pdfs.looped_pages),
        Bomb("PDF: table of places in a loop", PDF, pdfs.looped_tables),
        Bomb("PDF: forms drawn 10^9 times", PDF, lambda: pdfs.looped_forms(9)),
        Bomb("PDF: picture of 10^18 pixels", PDF, lambda: pdfs.giant_image(10**9)),
        Bomb("PDF: page of 200 MB", PDF, lambda: pdfs.inflating_page(max(4, many(200)))),
        Bomb("PDF: a million links", PDF, lambda: pdfs.many_links(many(1_000_000))),
        Bomb("PDF: encrypted", PDF, pdfs.encrypted),
    ]


async def run(wanted: Iterable[Bomb], limits: SandboxLimits | None = None) -> list[Survived]:
    """One after the other through one sandbox."""
    box = Sandbox(limits)
    try:
        await box.start()
        return [await _survive(bomb, box) for bomb in wanted]
    finally:
        box.close()


async def _survive(bomb: Bomb, box: Sandbox) -> Survived:
    body = bomb.body()
    started = time.monotonic()
    result = await _read(body, bomb, box)
    seconds = time.monotonic() - started
    verdict = read_status(200, Outcome.CAPTURED, result)
    after = await box.extract(GOOD, ExtractionRequest(content_type=HTML, retrieved_on=RETRIEVED_ON))
    return Survived(
        name=bomb.name,
        bytes=len(body),
        reader_status=verdict.status.value,
        reason=verdict.reason,
        extractor=result.extractor if isinstance(result, Extracted) else None,
        seconds=seconds,
        child_mib=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        goes_on=isinstance(after, Extracted) and "fourteen gates" in after.text,
    )


async def _read(body: bytes, bomb: Bomb, box: Sandbox) -> Extracted | NotExtracted | DecodeFailure:
    """Size, codings, sandbox: as `workers.flows.extract.reading` does it."""
    if len(body) > DEFAULT_LIMITS.max_bytes:
        return DecodeFailure(DecodeProblem.TOO_LARGE, "identity", f"{len(body)} bytes")
    decoded = await asyncio.to_thread(remove_codings, body, bomb.codings)
    if isinstance(decoded, DecodeFailure):
        return decoded
    return await box.extract(decoded.data, ExtractionRequest(content_type=bomb.content_type, retrieved_on=RETRIEVED_ON))
