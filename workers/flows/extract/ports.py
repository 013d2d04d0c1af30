"""What the extract flow is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from workers.extract.decode import DEFAULT_LIMITS, DecodeLimits
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.ports import Announcer, Catalog, Clock, Ledger, ObjectStore


class TextExtractor(Protocol):
    """Turns payloads into text, away from everything that matters (`workers.extract.sandbox.Sandbox`)."""

    async def extract(self, payload: bytes, request: ExtractionRequest) -> Extracted | NotExtracted:
        """The result is a function of the arguments; whatever a page does to the extractor is a NotExtracted."""


@dataclass(frozen=True, slots=True)
class ExtractPorts:
    store: ObjectStore
    catalog: Catalog
    ledger: Ledger
    announcer: Announcer
    extractor: TextExtractor
    clock: Clock
    software: str
    """Name and version for the warcinfo record, such as `citevault/0.1.0`."""
    decoding: DecodeLimits = DEFAULT_LIMITS
