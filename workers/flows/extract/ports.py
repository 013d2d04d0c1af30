"""What the extract flow is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine
from workers.extract.decode import DEFAULT_LIMITS, DecodeLimits
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.ports import Announcer, Catalog, Clock, Ledger, ObjectStore


class TextExtractor(Protocol):
    """Turns payloads into text, away from everything that matters (`workers.extract.sandbox.Sandbox`)."""

    async def extract(self, payload: bytes, request: ExtractionRequest) -> Extracted | NotExtracted:
        """The result is a function of the arguments; whatever a page does to the extractor is a NotExtracted."""


class LinkTaker(Protocol):
    """Makes links of pages into URLs of their job (`workers.flows.discover`)."""

    async def take_links(self, receipt: Receipt, lines: Sequence[SnapshotLine]) -> None:
        """All that the job follows is queued afterwards. Nothing is done for a job that follows none. Again is
        harmless."""


class OutputPorts(Protocol):
    """What it takes to make a segment's texts, lines and fingerprints."""

    @property
    def store(self) -> ObjectStore: ...

    @property
    def catalog(self) -> Catalog: ...

    @property
    def extractor(self) -> TextExtractor: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def software(self) -> str: ...

    @property
    def decoding(self) -> DecodeLimits: ...


@dataclass(frozen=True, slots=True)
class ExtractPorts:
    store: ObjectStore
    catalog: Catalog
    ledger: Ledger
    announcer: Announcer
    extractor: TextExtractor
    links: LinkTaker
    clock: Clock
    software: str
    """Name and version for the warcinfo record, such as `citevault/0.1.0`."""
    decoding: DecodeLimits = DEFAULT_LIMITS
