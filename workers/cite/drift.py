"""Whether a quote still stands in a newer text of its page. Pure; it compares, and anchors nothing anew (C31).

A passage that is merely alike is `changed` with its difference, in which figures and negations are told apart, or the
quote is an `orphan`. A page that answers otherwise than it did is never read as if it were the page.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from schemas.records.claim import MatchLevel
from schemas.records.drift import DriftState
from schemas.records.snapshot import ReaderStatus, Snapshot
from workers.cite.folding import STEPS, Step
from workers.cite.haystack import Haystack
from workers.cite.meaning import telling
from workers.cite.nearest import nearest_passages
from workers.cite.tokens import cuts_a_token

ALIKE_PPM = 600_000
"""From this likeness on a passage is the changed quote, not another one."""
_GONE = frozenset({404, 410})
_REFUSED = frozenset({401, 402, 403, 407, 429, 451})


@dataclass(frozen=True, slots=True)
class Passage:
    """A quote with its surroundings, as an edge has it."""

    quote: str
    prefix: str
    suffix: str


@dataclass(frozen=True, slots=True)
class Drift:
    """What became of it."""

    state: DriftState
    reason: str | None = None
    start: int | None = None
    end: int | None = None
    diff: str | None = None
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()


def unanswered(snapshot: Snapshot) -> Drift | None:
    """What the newest answer itself says; None where it can be read and looked in. A server's error is not the end of a
    page (C41)."""
    status = snapshot.http_status
    if status in _GONE:
        return Drift(DriftState.GONE, f"HTTP {status}")
    if status in _REFUSED or snapshot.reader_status in (ReaderStatus.BLOCKED, ReaderStatus.PAYWALL):
        return Drift(DriftState.BLOCKED, f"HTTP {status}, {snapshot.reader_status.value}")
    if snapshot.reader_status is ReaderStatus.SOFT_404:
        return Drift(DriftState.SOFT_404, snapshot.reader_reason)
    if not snapshot.citeable:
        return Drift(DriftState.UNREPLAYABLE, f"HTTP {status}, {snapshot.reader_status.value}")
    return None


def drift_of(passage: Passage, newest: Haystack) -> Drift:
    """Where the quote stands in the newest text, or what stands there in its place."""
    text = newest.text
    found, more = newest.places(passage.quote, Step(MatchLevel.EXACT))
    places = [place for place in found if not cuts_a_token(text, *place)]
    if len(places) == 1 and not more:
        start, end = places[0]
        same = _surroundings(text, start, end, passage)
        return Drift(DriftState.EXACT if same else DriftState.MOVED, None, start, end)
    if places:
        same_places = [place for place in places if _surroundings(text, *place, passage)]
        if len(same_places) == 1 and not more:
            return Drift(DriftState.EXACT, None, *same_places[0])
        count = f"more than {len(places)}" if more else str(len(places))
        return Drift(DriftState.AMBIGUOUS, f"in {count} places")
    return _changed(passage, newest)


def _surroundings(text: str, start: int, end: int, passage: Passage) -> bool:
    before = text[max(0, start - len(passage.prefix)) : start] == passage.prefix
    return before and text[end : end + len(passage.suffix)] == passage.suffix


def _changed(passage: Passage, newest: Haystack) -> Drift:
    respelled = next((place for step in STEPS[1:] for place in newest.places(passage.quote, step)[0]), None)
    near = nearest_passages(newest.text, passage.quote)
    best = near[0] if near and near[0].similarity_ppm >= ALIKE_PPM else None
    if best is None and respelled is None:
        return Drift(DriftState.ORPHAN)
    start, end = respelled if best is None and respelled is not None else (best.start, best.end) if best else (0, 0)
    old, new = Counter(telling(passage.quote)), Counter(telling(newest.text[start:end]))
    lost, gained = tuple((old - new).elements()), tuple((new - old).elements())
    told = "figures, comparisons or negations differ" if lost or gained else "its words or its spelling differ"
    return Drift(DriftState.CHANGED, told, start, end, best.diff if best else None, lost, gained)
