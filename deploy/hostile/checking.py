"""Holds what the archive says of a case against what the case says, and its bytes against those that were sent."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from deploy.hostile.case import Case
from deploy.hostile.conformance import ANYTHING
from deploy.hostile.held import HeldExchange, HeldFile, NotHeldError
from deploy.hostile.limits import FETCH_LIMITS
from deploy.hostile.run import Run
from schemas.records.outcome import Hop, UrlOutcome
from schemas.records.snapshot import Snapshot


def what_is_wrong(case: Case, url: str, run: Run) -> list[str]:
    """Each difference in a sentence; none where the case is archived as it must be and nothing of it is lost."""
    found = run.outcomes().get(url)
    if found is None:
        return ["no receipt names the URL"]
    outcome, _ = found
    try:
        held = [each for each in HeldFile(run).exchanges(outcome) if urlsplit(each.url).path == case.path]
    except NotHeldError as error:
        return [str(error)]
    wrong = [
        *_told_otherwise(case, outcome, held, HeldFile(run)),
        *_read_otherwise(case, outcome, run.snapshots.get(url)),
    ]
    for exchange in held:
        wrong += _lost(case, exchange)
    return wrong


def _told_otherwise(case: Case, outcome: UrlOutcome, held: list[HeldExchange], file: HeldFile) -> Iterator[str]:
    if case.outcome == ANYTHING:
        if not held:
            yield f"the outcome {outcome.outcome.value} has no response"
        return
    if outcome.outcome.value != case.outcome:
        yield f"the outcome is {outcome.outcome.value}, not {case.outcome}"
    if len(held) != case.exchanges and (case.exchanges or held):
        yield f"{len(held)} answers are in the archive, not {case.exchanges}"
    if not held:
        reason = file.failure(outcome.hops[-1]) if outcome.hops else None
        if not reason or not outcome.failure:
            yield "nobody says why there is no answer"
        return
    last = held[-1]
    status = next(hop.http_status for hop in outcome.hops if _holds(hop, last))
    if status != case.status:
        yield f"the status is {status}, not {case.status}"
    if last.truncated != case.truncated:
        yield f"WARC-Truncated is {last.truncated}, not {case.truncated}"
    if case.content is not None and last.content != case.content:
        yield f"the payload is {last.content[:80]!r}, not {case.content[:80]!r}"
    if last.notes != (*case.notes, *case.remarks):
        yield f"the remarks are {last.notes}, not {(*case.notes, *case.remarks)}"
    if case.truncated == "length" and not _fills_a_limit(last):
        yield f"{len(last.wire)} bytes are kept, and no limit was reached"
    if last.truncated is not None and not outcome.failure:
        yield "nobody says why the answer is cut off"


def _holds(hop: Hop, exchange: HeldExchange) -> bool:
    place = hop.record("response", "revisit")
    return place is not None and place.record_id == exchange.record_id


def _fills_a_limit(exchange: HeldExchange) -> bool:
    """Whether as much is kept as may be kept."""
    content = len(exchange.content)
    return content == FETCH_LIMITS.max_body_bytes or len(exchange.wire) - content >= FETCH_LIMITS.max_head_bytes


def _read_otherwise(case: Case, outcome: UrlOutcome, snapshot: Snapshot | None) -> Iterator[str]:
    if snapshot is None:
        if outcome.outcome.has_response:
            yield "there is no snapshot"
        return
    if case.reader is not None and snapshot.reader_reason != case.reader:
        yield f"the reader's reason is {snapshot.reader_reason}, not {case.reader}"


def _lost(case: Case, exchange: HeldExchange) -> Iterator[str]:
    """Where the bytes of the archive and those of the server part. What was cut off by a limit may be missing."""
    position = 0
    for piece in case.answer(urlsplit(exchange.url).query):
        kept = exchange.wire[position : position + len(piece)]
        if kept != piece[: len(kept)]:
            yield f"the bytes from {position} on are not those that were sent"
            return
        position += len(kept)
        if len(kept) < len(piece):
            if exchange.truncated not in ("length", "time"):
                yield f"only {position} bytes are kept of an answer that was not cut off by us"
            return
    if position < len(exchange.wire):
        yield f"{len(exchange.wire) - position} bytes are kept that nobody sent"
