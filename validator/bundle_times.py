"""Times of a bundle: against each other, and against the one clock there is, the time that the caller gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.bundle import Bundle
from validator.found import Found
from validator.input import BundleInput
from validator.settings import Settings
from validator.times import check_times, sortable


def check_bundle_times(given: BundleInput, settings: Settings, found: Found) -> None:
    """Nothing in a bundle is younger than the bundle; nothing lies after `--time`; evidence is within `--max-age`."""
    _built_after_capture(given, found)
    _built_after_judgement(given.bundle, found)
    if settings.time is None:
        found.add(FindingKind.TIME_NOT_GIVEN)
        return
    check_times(_all(given.bundle), settings.time, found)
    if settings.max_age_seconds is not None:
        _fresh(given, settings.time, settings.max_age_seconds, found)


def _built_after_capture(given: BundleInput, found: Found) -> None:
    created = given.bundle.created_at
    for i, snapshot in enumerate(given.bundle.snapshots):
        if snapshot.id in given.edges_of_snapshot and sortable(snapshot.retrieved_at) > sortable(created):
            found.add(
                FindingKind.TIME_ORDER,
                pointer="/created_at",
                ids=(snapshot.id,),
                expected=f"{snapshot.retrieved_at} (/snapshots/{i}/retrieved_at) or later",
                actual=created,
            )


def _built_after_judgement(bundle: Bundle, found: Found) -> None:
    limit = sortable(bundle.created_at)
    for tokens, utc in _asserted(bundle):
        if sortable(utc) > limit:
            found.add(
                FindingKind.TIME_AFTER_BUILT,
                pointer=pointer(tokens),
                expected=f"at most {bundle.created_at}",
                actual=utc,
            )


def _fresh(given: BundleInput, now: str, seconds: int, found: Found) -> None:
    """To the second: RFC 3339 fractions are left out."""
    try:
        oldest = datetime.fromisoformat(now[:19]).replace(tzinfo=UTC) - timedelta(seconds=seconds)
    except OverflowError:
        return  # before the year 1: nothing is older
    limit = oldest.strftime("%Y-%m-%dT%H:%M:%SZ")
    limit = limit.zfill(20)  # strftime does not pad years below 1000
    for i, snapshot in enumerate(given.bundle.snapshots):
        if snapshot.id in given.edges_of_snapshot:
            found.looked_at("ages of evidence")
            if sortable(snapshot.retrieved_at) < sortable(limit):
                found.add(
                    FindingKind.TIME_TOO_OLD,
                    pointer=pointer(("snapshots", i, "retrieved_at")),
                    ids=(snapshot.id, *(edge.id for _, edge in given.edges_of_snapshot[snapshot.id])),
                    expected=f"{limit} or later",
                    actual=snapshot.retrieved_at,
                )


def _all(bundle: Bundle) -> Iterator[tuple[str, str]]:
    yield "/created_at", bundle.created_at
    yield "/head/created_at", bundle.head.created_at
    for i, snapshot in enumerate(bundle.snapshots):
        yield pointer(("snapshots", i, "retrieved_at")), snapshot.retrieved_at
    for tokens, utc in _asserted(bundle):
        yield pointer(tokens), utc


def _asserted(bundle: Bundle) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What people and checkers said when."""
    for i, edge in enumerate(bundle.evidence):
        yield ("evidence", i, "checked_at"), edge.checked_at
    for i, judgement in enumerate(bundle.judgements):
        yield ("judgements", i, "judged_at"), judgement.judged_at
    for i, arbitration in enumerate(bundle.arbitrations):
        yield ("arbitrations", i, "at"), arbitration.at
    for i, group in enumerate(bundle.independence):
        if group.at is not None:
            yield ("independence", i, "at"), group.at
