"""When each capture process fetched and when it did not, told from the receipts of a run.

A process that stores and commits a segment, or waits for its next batch, asks nobody for a page meanwhile: on two
cores that is time lost, however little CPU a page costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ulid import ULID

from schemas.records.receipt import Receipt


@dataclass(frozen=True, slots=True)
class Part:
    """One receipt. Times by the wall clock: its batch formed, its first and last answer, its commit begun."""

    worker: str
    formed: float
    first: float
    last: float
    committed: float
    urls: int


def parts_of(receipts: Sequence[Receipt]) -> tuple[Part, ...]:
    """By worker, in the order in which it fetched. `retrieved_at` is when a request began."""
    parts = []
    for receipt in receipts:
        times = [_seconds(hop.retrieved_at) for outcome in receipt.outcomes for hop in outcome.hops]
        formed = ULID.from_str(receipt.batch_id.removeprefix("b-")).timestamp
        committed = _seconds(receipt.committed_at)
        parts.append(Part(receipt.worker, formed, min(times), max(times), committed, len(receipt.outcomes)))
    return tuple(sorted(parts, key=lambda part: (part.worker, part.first)))


def fetching_share(parts: Sequence[Part], workers: int) -> float:
    """Of all the time of all processes from the first batch to the last commit, what lies between a part's first and
    last request."""
    whole = (max(part.committed for part in parts) - min(part.formed for part in parts)) * workers
    return sum(part.last - part.first for part in parts) / whole


def told(parts: Sequence[Part]) -> str:
    """A line a part; seconds since the first batch was formed."""
    begin = min(part.formed for part in parts)
    lines = ["worker                urls   formed    first     last   commit  (seconds)"]
    for part in parts:
        moments = (part.formed, part.first, part.last, part.committed)
        lines.append(f"{part.worker:20} {part.urls:5} " + " ".join(f"{moment - begin:8.2f}" for moment in moments))
    return "\n".join(lines) + "\n"


def _seconds(utc: str) -> float:
    return datetime.fromisoformat(utc).timestamp()
