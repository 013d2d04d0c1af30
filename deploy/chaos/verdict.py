"""What must hold after a run, whatever was killed: from the evidence to findings. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ulid import ULID

from deploy.chaos.evidence import Evidence
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt

MOST_EXTRAS = 0.02
SHOWN = 3
WHOLE = (Outcome.CAPTURED, Outcome.REVISIT)


@dataclass(frozen=True, slots=True)
class Loss:
    """A moment at which Redis was killed or emptied. Seconds since 1970."""

    at: float
    what: str


@dataclass(frozen=True, slots=True)
class Extra:
    """A URL's capture beyond the one in effect, and what explains it; empty: nothing does."""

    url: str
    receipt: str
    explained: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be."""

    code: str
    text: str


def judge(urls: Mapping[str, str], evidence: Evidence, losses: Sequence[Loss]) -> tuple[list[Finding], list[Extra]]:
    """Everything that is wrong, and all extras. `urls`: what was handed in, with the SHA-256 of the right answers."""
    extras = list(extras_of(evidence.receipts, losses))
    findings = [
        *_captures(urls, evidence),
        *_extras(len(urls), extras),
        *(Finding("receipt.file", f"{key}: {wrong}") for key, wrong in evidence.files.items() if wrong),
        *(Finding("warc.digest", problem) for found in evidence.archives.values() for problem in found.problems),
        *_counts(evidence),
        *_dangling(evidence),
        *(Finding("redis.left", f"{count} {what}") for what, count in evidence.left.items()),
        *_stages(evidence),
        *_progress(urls, evidence),
        *_status(urls, evidence),
        *(Finding("upload.left", f"{key}: an upload that nobody aborts") for key in evidence.uploads_kept),
    ]
    return findings, extras


def extras_of(receipts: Mapping[str, Receipt], losses: Sequence[Loss]) -> Iterator[Extra]:
    """Captures of URLs that an earlier receipt has. `receipts`: in the order in which they count. A second batch for a
    URL is formed only where Redis lost the first, so a loss must lie between the birth of the first batch and the
    commit of the second; two receipts of one batch never have a URL in common."""
    first: dict[tuple[str, int], Receipt] = {}
    for key, receipt in receipts.items():
        for outcome in receipt.outcomes:
            if outcome.retry_at is not None:
                continue  # meant to be followed by another
            name = (outcome.normalized_url, outcome.visit)
            before = first.setdefault(name, receipt)
            if before is not receipt:
                yield Extra(outcome.normalized_url, key, _explanation(before, receipt, losses))


def _explanation(before: Receipt, after: Receipt, losses: Sequence[Loss]) -> str:
    if before.batch_id == after.batch_id:
        return ""
    since, until = formed(before), formed(after)
    between = [loss for loss in losses if since <= loss.at <= until]
    return between[-1].what if between else ""


def formed(receipt: Receipt) -> float:
    """When the batch of a receipt was formed, which its id tells."""
    return ULID.from_str(receipt.batch_id.removeprefix("b-").upper()).timestamp


def _captures(urls: Mapping[str, str], evidence: Evidence) -> Iterator[Finding]:
    got: dict[str, str | None] = {}
    odd: defaultdict[str, list[str]] = defaultdict(list)
    for receipt in evidence.receipts.values():
        for outcome in receipt.outcomes:
            final = outcome.final
            got.setdefault(outcome.requested_url, final.content_sha256 if final else None)
            if outcome.outcome not in WHOLE:
                odd[outcome.outcome.value].append(outcome.requested_url)
    missing = [url for url in urls if url not in got]
    if missing:
        yield Finding("url.lost", f"{len(missing)} of {len(urls)} URLs are in no receipt, such as {missing[:SHOWN]}")
    strange = [url for url in got if url not in urls]
    if strange:
        yield Finding("url.strange", f"{len(strange)} URLs that nobody asked for, such as {strange[:SHOWN]}")
    for outcome_name, which in odd.items():
        yield Finding("url.outcome", f"{len(which)} URLs are {outcome_name}, such as {which[:SHOWN]}")
    changed = [url for url, digest in urls.items() if url in got and got[url] != digest]
    if changed:
        yield Finding("url.changed", f"{len(changed)} captures have other bytes than were served: {changed[:SHOWN]}")


def _extras(count: int, extras: Sequence[Extra]) -> Iterator[Finding]:
    if len(extras) > MOST_EXTRAS * count:
        yield Finding("extra.many", f"{len(extras)} extras for {count} URLs, more than {MOST_EXTRAS:.0%}")
    for extra in extras:
        if not extra.explained:
            yield Finding("extra.unexplained", f"{extra.url} once more in {extra.receipt}, and no kill explains it")


def _counts(evidence: Evidence) -> Iterator[Finding]:
    for receipt in evidence.receipts.values():
        if receipt.warc is not None and receipt.warc.key in evidence.archives:
            found = evidence.archives[receipt.warc.key].records
            if found != receipt.warc.entries:
                text = f"{receipt.warc.key}: {found} records, its receipt says {receipt.warc.entries}"
                yield Finding("warc.records", text)


def _dangling(evidence: Evidence) -> Iterator[Finding]:
    responses = {record for found in evidence.archives.values() for record in found.responses}
    for key, found in evidence.archives.items():
        for record in sorted(found.refers_to - responses):
            yield Finding("revisit.dangles", f"{key}: a revisit refers to {record}, which no receipt's file holds")


def _stages(evidence: Evidence) -> Iterator[Finding]:
    stages = {entry.segment_id: "parked" if entry.parked else entry.stage for entry in evidence.entries}
    for key, receipt in evidence.receipts.items():
        if receipt.warc is None:
            continue  # with it the scheduler ended a batch: there is nothing to extract
        stage = stages.get(receipt.segment_id, "unknown to the ledger")
        if stage != "published":
            yield Finding("segment.stands", f"{key}: its segment is {stage}, not published")


def _progress(urls: Mapping[str, str], evidence: Evidence) -> Iterator[Finding]:
    progress = evidence.progress
    if progress is None:
        yield Finding("job.unknown", "the frontier does not know the job")
    elif not progress.captured_all or (progress.known, progress.done) != (len(urls), len(urls)):
        yield Finding("job.open", f"{progress.done} of {progress.known} URLs done, {len(urls)} were handed in")


def _status(urls: Mapping[str, str], evidence: Evidence) -> Iterator[Finding]:
    """What the job says of itself must be what receipts and ledger say."""
    told = evidence.status
    if not told:
        yield Finding("status.none", "`citevault status` does not answer")
        return
    with_file = sum(receipt.warc is not None for receipt in evidence.receipts.values())
    wanted: dict[str, object] = {
        "state": "captured",
        "known": len(urls),
        "done": len(urls),
        "hosts_waiting": 0,
        "later": 0,
        "segments": {"published": with_file},
        **{name: [] for name in ("missing", "incomplete", "stuck", "unread", "bad_lines")},
    }
    for name, value in wanted.items():
        if told.get(name) != value:
            yield Finding("status.wrong", f"{name} is {str(told.get(name))[:200]}, not {value}")
    if sum(told.get("outcomes", {}).values()) != len(urls):
        yield Finding("status.wrong", f"outcomes {told.get('outcomes')} are not {len(urls)}")
