"""The judge of a run sees what is wrong: a verdict that finds nothing in anything would be worth nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from ulid import ULID

from deploy.chaos.archives import Archived
from deploy.chaos.evidence import Evidence
from deploy.chaos.verdict import Finding, Loss, judge
from schemas.records.job import Lane
from schemas.records.receipt import Receipt
from workers.ports import JobProgress, SegmentEntry

URLS = [f"https://a.test/{number}" for number in range(4)]
BORN = 1_800_000_000.0
SEGMENTS = [f"20261129T10000{number}Z-01ARZ3NDEKTSV4RRFFQ69G5FAV" for number in range(3)]


def batch(seconds: float) -> str:
    """The id of a batch that was formed so long after the first."""
    return f"b-{ULID.from_timestamp(BORN + seconds)}"


@pytest.fixture
def receipts(receipt_of: Callable[..., Receipt]) -> list[Receipt]:
    early = receipt_of(URLS[:2], batch_id=batch(0), segment_id=SEGMENTS[0])
    return [early, receipt_of(URLS[2:], batch_id=batch(1), segment_id=SEGMENTS[1])]


def evidence_of(receipts: list[Receipt]) -> Evidence:
    """As it is after a run in which nothing went wrong."""
    found = {f"commits/job-1/{one.batch_id}-{one.part:04d}.json": one for one in receipts}
    archives = {
        one.warc.key: Archived(
            one.warc.entries, {hop.records[-1].record_id for out in one.outcomes for hop in out.hops}
        )
        for one in receipts
        if one.warc is not None
    }
    entries = [
        SegmentEntry(segment_id=one.segment_id, job_id="job-1", lane=Lane.BULK, stage="published", receipt_key=key)
        for key, one in found.items()
    ]
    progress = JobProgress("job-1", known=4, done=4, outcomes={}, hosts_waiting=0, state="running")
    status = {
        "state": "captured",
        "known": 4,
        "done": 4,
        "hosts_waiting": 0,
        "later": 0,
        "outcomes": {"captured": 4},
        "segments": {"published": len(entries)},
        "missing": [],
        "incomplete": [],
        "stuck": [],
        "unread": [],
        "bad_lines": [],
    }
    return Evidence(found, dict.fromkeys(archives, ""), archives, entries, progress, status=status)


def codes(evidence: Evidence, urls: dict[str, str], losses: list[Loss] | None = None) -> list[str]:
    findings: list[Finding] = judge(urls, evidence, losses or [])[0]
    return [finding.code for finding in findings]


@pytest.fixture
def served(receipts: list[Receipt]) -> dict[str, str]:
    return {out.requested_url: out.hops[-1].content_sha256 or "" for one in receipts for out in one.outcomes}


def test_a_good_run_has_no_findings(receipts: list[Receipt], served: dict[str, str]) -> None:
    assert codes(evidence_of(receipts), served) == []


def test_a_lost_url_is_seen(receipts: list[Receipt], served: dict[str, str]) -> None:
    assert "url.lost" in codes(evidence_of(receipts[:1]), served)


def test_other_bytes_than_were_served_are_seen(receipts: list[Receipt], served: dict[str, str]) -> None:
    assert codes(evidence_of(receipts), served | {URLS[0]: "0" * 64}) == ["url.changed"]


def test_a_missing_file_a_wrong_digest_and_a_miscount_are_seen(receipts: list[Receipt], served: dict[str, str]) -> None:
    evidence = evidence_of(receipts)
    key = next(iter(evidence.archives))
    evidence.archives[key].problems.append("block digest")
    evidence.archives[key].records += 1
    damaged = replace(evidence, files={**evidence.files, key: "no such object"})
    assert codes(damaged, served) == ["receipt.file", "warc.digest", "warc.records"]


def test_a_revisit_that_dangles_is_seen(receipts: list[Receipt], served: dict[str, str]) -> None:
    evidence = evidence_of(receipts)
    next(iter(evidence.archives.values())).refers_to.add("urn:uuid:of-nothing")
    assert codes(evidence, served) == ["revisit.dangles"]


def test_a_lease_that_is_left_and_a_segment_that_stands_are_seen(
    receipts: list[Receipt], served: dict[str, str]
) -> None:
    evidence = replace(evidence_of(receipts), left={"leases": 1}, entries=[])
    assert codes(evidence, served) == ["redis.left", "segment.stands", "segment.stands"]


def test_an_upload_that_nobody_aborts_is_seen(receipts: list[Receipt], served: dict[str, str]) -> None:
    assert codes(replace(evidence_of(receipts), uploads=1), served) == []
    assert codes(replace(evidence_of(receipts), uploads_kept=["warc/a"]), served) == ["upload.left"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("state", "running"), ("done", 3), ("missing", [{"url": URLS[0]}]), ("segments", {"committed": 2})],
)
def test_a_status_that_says_otherwise_is_seen(
    receipts: list[Receipt], served: dict[str, str], name: str, value: object
) -> None:
    good = evidence_of(receipts)
    assert codes(replace(good, status={**good.status, name: value}), served) == ["status.wrong"]
    assert codes(replace(good, status={}), served) == ["status.none"]


def test_an_extra_is_explained_only_by_a_loss_between_the_births_of_its_batches(
    receipt_of: Callable[..., Receipt], receipts: list[Receipt], served: dict[str, str]
) -> None:
    again = receipt_of(URLS[:1], batch_id=batch(9), segment_id=SEGMENTS[2])
    evidence = evidence_of([*receipts, again])
    assert "extra.unexplained" in codes(evidence, served)
    assert "extra.unexplained" in codes(evidence, served, [Loss(BORN + 9.5, "later")])
    assert "extra.unexplained" not in codes(evidence, served, [Loss(BORN + 5, "between")])
    (extra,) = judge(served, evidence, [Loss(BORN + 5, "between")])[1]
    assert (extra.url, extra.explained) == (URLS[0], "between")


def test_two_parts_of_one_batch_with_one_url_are_never_explained(
    receipt_of: Callable[..., Receipt], receipts: list[Receipt], served: dict[str, str]
) -> None:
    again = receipt_of(URLS[:1], batch_id=receipts[0].batch_id, part=1, segment_id=SEGMENTS[2])
    assert "extra.unexplained" in codes(evidence_of([*receipts, again]), served, [Loss(BORN + 0.0, "a kill")])


def test_more_extras_than_two_in_a_hundred_are_too_many(
    receipt_of: Callable[..., Receipt], receipts: list[Receipt], served: dict[str, str]
) -> None:
    again = receipt_of(URLS[:1], batch_id=batch(9), segment_id=SEGMENTS[2])
    assert codes(evidence_of([*receipts, again]), served, [Loss(BORN + 5, "between")]) == ["extra.many"]
