"""A visit on its way into the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from schemas.records.outcome import Hop
from workers.archive.message import StoredMessage, stored_message
from workers.exchange import Exchange
from workers.flows.capture.recall import Recall
from workers.flows.capture.requisite_visit import RequisiteVisit
from workers.flows.capture.visit import Unfinished, Visit


@dataclass(slots=True, eq=False)
class Waiting:
    """With its exchanges in order, robots.txt first, how each is stored, and at the end its hops."""

    visit: Visit | Unfinished | RequisiteVisit
    exchanges: tuple[Exchange, ...]
    messages: list[StoredMessage | None]
    pending: bool
    written: bool = False
    hops: tuple[Hop, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all bodies."""
        return sum([message.payload_bytes for message in self.messages if message is not None])

    def end(self, hops: tuple[Hop, ...]) -> None:
        """It is in the file: its bodies are needed no more."""
        self.hops, self.written = hops, True
        for exchange in self.exchanges:
            if exchange.response is not None:
                exchange.response.content.close()

    def recalls(self) -> Iterator[Recall | None]:
        """For each exchange what was known of its URL; None for robots.txt and for what never took place."""
        visit = self.visit
        yield from (None for _ in visit.robots)
        yield from visit.recalls
        yield from (None for _ in visit.exchanges[len(visit.recalls) :])

    def digests(self) -> Iterator[str]:
        """Of the payloads that an earlier record may hold already."""
        for message in self.messages:
            if message is not None and message.payload_sha256 is not None and message.payload_bytes:
                yield message.payload_sha256


def waiting_of(visit: Visit | Unfinished | RequisiteVisit, *, pending: bool = False) -> Waiting:
    """A visit that has just ended."""
    exchanges = (*visit.robots, *visit.exchanges)
    return Waiting(visit, exchanges, [stored_message(exchange) for exchange in exchanges], pending)
