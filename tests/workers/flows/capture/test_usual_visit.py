"""R083, X14: the short way of a usual page stores what the general way stores, byte for byte, and tells the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from deploy.hostile.cases import STILL
from schemas.records.job import JobOptions, Lane, StoredJob
from schemas.records.outcome import UrlOutcome
from workers.adapters.clock import SystemClock
from workers.archive.exchange_records import ExchangeRecords, exchange_records
from workers.archive.journal import journal_path
from workers.archive.message import stored_message
from workers.archive.revisit import AsResponse
from workers.archive.segment import Owner, SegmentWriter
from workers.archive.warcinfo import Warcinfo
from workers.capture.limits import FetchLimits
from workers.capture.message import ResponseScanner
from workers.capture.result import http_protocol, outcome_of, shortcoming
from workers.capture.scan import End
from workers.capture.validators import validators_of
from workers.catalog.receipts import original_of
from workers.exchange import Exchange
from workers.flows.capture import outcomes
from workers.flows.capture.recall import Recall
from workers.flows.capture.usual_visit import MOST_BYTES, UsualVisit, usual_visit
from workers.flows.capture.visit import Visit
from workers.ports import KnownVersion, Original, QueuedUrl

SEGMENT_ID = "20261129T120000Z-01KB7Q8ZJ4M8V3T0N5R6W9XCDE"
STARTED_AT = "2026-11-29T12:00:00.250001Z"
OWNER = Owner("job-01KB7Q8ZJ4M8V3T0N5R6W9XCDE", "b-01KB7Q8ZJ4M8V3T0N5R6W9XCDF")
REQUEST = b"GET /page HTTP/1.1\r\nHost: example.org\r\n\r\n"
KNOWN = KnownVersion(
    original=Original("urn:uuid:11111111-1111-4111-8111-111111111111", "http://e.org/", STARTED_AT, "0" * 64),
    content_sha256="0" * 64,
    content_bytes=5,
    content_type="text/html",
    etag='"a"',
    last_modified=None,
    received_at=STARTED_AT,
)

lines = st.sampled_from(
    [
        *(
            b"Content-Type: text/html",
            b"content-type: text/html; charset=\xe9",
            b"Content-Type:",
            b"Content-Type: \x01",
        ),
        *(b'ETag: "a"', b'ETag: W/"\xe9\\"', b"ETag: *", b'etag: "' + b"a" * 600 + b'"', b'ETag: "b"'),
        *(b"Last-Modified: Sat, 28 Nov 2026 12:00:00 GMT", b"Last-Modified: Sun, 29 Nov 2026 12:00:00 GMT"),
        *(b"Last-Modified: yesterday", b"Date: Sat, 28 Nov 2026 12:00:30 GMT", b"Date: Sun, 29 Nov 2026 12:00:00 GMT"),
        *(b"Set-Cookie: a=1", b"set-cookie: b=2", b"Server : x", b" folded", b"no colon", b"Content-Encoding: gzip"),
        *(b"Connection: keep-alive", b"Connection: close", b"Content-Type: " + b"x" * 300, b"X-Empty: "),
    ]
)
first_lines = st.sampled_from([b"HTTP/1.1 200 OK"] * 6 + [b"HTTP/1.0 200 OK", b"HTTP/1.1 404 No", b"HTTP/1.1 200"])
urls = st.sampled_from(["http://example.org/page", 'http://example.org/a"b\\c', "https://example.org/ä?b"])


@st.composite
def wires(draw: st.DrawFn) -> bytes:
    """An answer, more or less as most of them are, perhaps cut off or too long."""
    body = draw(st.sampled_from([b"<p>Hello</p>", b"\x89PNG\r\n\x1a\n", b"", b"x" * 70_000]) | st.binary(max_size=40))
    said = [draw(first_lines), *draw(st.lists(lines, max_size=5))]
    if draw(st.sampled_from([True] * 5 + [False])):
        said.append(b"Content-Length: %d" % len(body))
        body += draw(st.sampled_from([b""] * 5 + [b"more"]))
    else:
        said.append(b"Transfer-Encoding: chunked")
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
    wire = b"\r\n".join(said) + b"\r\n\r\n" + body
    return wire[: draw(st.sampled_from([len(wire)] * 5 + [len(wire) - 1]))]


def exchange_of(wire: bytes, piece: int, url: str = "http://example.org/page") -> Exchange:
    """The exchange that the scanner makes of these bytes in pieces of this size."""
    limits, scanner = FetchLimits(), ResponseScanner()
    for at in range(0, len(wire), piece):
        scanner.feed(wire[at : at + piece])
    scan = scanner.finish(End.CLOSED)
    return Exchange(
        url=url,
        started_at=STARTED_AT,
        outcome=outcome_of(scan),
        request=REQUEST,
        response=scan.response,
        truncated=scan.truncated,
        failure=shortcoming(scan, End.CLOSED, limits),
        remote_ip="127.0.0.1",
        protocols=(http_protocol(scan.response),),
        notes=tuple(anomaly.value for anomaly in scan.anomalies),
    )


def visit_of(exchange: Exchange, asked: str = "http://example.org/page") -> Visit:
    queued = QueuedUrl(asked, exchange.url, "example.org", visit=3, tries=1, depth=2)
    return Visit(queued, (exchange,), (), exchange.outcome, exchange.failure, recalls=(Recall(),))


def usual_of(visit: Visit) -> UsualVisit | None:
    return usual_visit(visit, [stored_message(exchange) for exchange in visit.exchanges])


@given(st.lists(st.tuples(wires(), urls, urls), max_size=4), st.sampled_from([7, 4096, 1_000_000]))
def test_both_ways_store_and_tell_the_same(
    segments: Callable[[], SegmentWriter], answers: list[tuple[bytes, str, str]], piece: int
) -> None:
    visits = [visit_of(exchange_of(wire, piece, url), asked) for wire, url, asked in answers]
    usual = [visit for visit in visits if short_records(visit) is not None]
    event(f"{len(usual)} of {len(visits)} are usual")
    assert by_the_short_way(usual, segments()) == by_the_general_way(usual, segments())


@pytest.mark.parametrize("case", STILL, ids=lambda case: case.path)
def test_what_a_hostile_server_says_is_told_the_same(segments: Callable[[], SegmentWriter], case: object) -> None:
    visit = visit_of(exchange_of(case.wire(), 4096))  # type: ignore[attr-defined]
    if short_records(visit) is not None:
        assert by_the_short_way([visit], segments()) == by_the_general_way([visit], segments())


PAGE = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "a"\r\nContent-Length: 5\r\n\r\nhello'


def test_a_usual_page_takes_the_short_way() -> None:
    assert short_records(visit_of(exchange_of(PAGE, 1_000_000))) is not None


@pytest.mark.parametrize(
    "wire",
    [
        PAGE.replace(b"200 OK", b"404 Not Found"),
        PAGE.replace(b"HTTP/1.1", b"ICY"),
        PAGE.replace(b"\r\n", b"\n"),
        PAGE.replace(b"Content-Type:", b"Content-Type :"),
        PAGE.replace(b"ETag", b"Content-Type"),
        PAGE.replace(b"ETag", b"Transfer-Encoding"),
        PAGE.replace(b"text/html", b"x" * 300),
        PAGE[:-1],
        PAGE + b"more",
        PAGE.replace(b"5\r\n\r\nhello", b"0\r\n\r\n"),
        PAGE.replace(b"5\r\n\r\nhello", b"%d\r\n\r\n" % (MOST_BYTES + 1)) + b"x" * (MOST_BYTES + 1 - 5),
        b"HTTP/1.1 103 Hints\r\n\r\n" + PAGE,
        b"hello",
    ],
    ids=lambda wire: repr(wire[:60]),
)
def test_an_odd_answer_takes_the_general_way(wire: bytes) -> None:
    assert short_records(visit_of(exchange_of(wire, 1_000_000))) is None


@pytest.mark.parametrize(
    "odd",
    [
        {"recalls": (Recall(KNOWN),)},
        {"recalls": (Recall(KNOWN, asked=True),)},
        {"recalls": (Recall(distrusted=True),)},
        {"recalls": ()},
        {"remarks": ("the content changed",)},
        {"exchanges": (exchange_of(PAGE, 99), exchange_of(PAGE, 99))},
        {"exchanges": (exchange_of(PAGE, 99, "http://e.org/" + "a" * 9000),)},
        {"exchanges": (replace(exchange_of(PAGE, 99), notes=("certificate not verified",)),)},
        {"queued": QueuedUrl("http://e.org/", "http://e.org/", "e.org", via=("http://e.org/0",))},
    ],
    ids=[
        "recalled",
        "asked for",
        "distrusted",
        "no recall",
        "remark",
        "redirected",
        "long URL",
        "note",
        "via",
    ],
)
def test_an_odd_visit_takes_the_general_way(odd: dict[str, object]) -> None:
    assert short_records(replace(visit_of(exchange_of(PAGE, 99)), **odd)) is None  # type: ignore[arg-type]


@given(st.lists(lines, max_size=6))
def test_validators_are_the_same_however_the_head_is_looked_at(said: list[bytes]) -> None:
    wire = b"\r\n".join([b"HTTP/1.1 200 OK", *said, b"Content-Length: 0"]) + b"\r\n\r\n"
    response = exchange_of(wire, 1_000_000).response
    assert response is not None
    unnamed = replace(response, named=None)
    assert validators_of(response, STARTED_AT) == validators_of(unnamed, STARTED_AT)
    for name in ("Content-Type", "ETag", "Set-Cookie", "X-Empty", "Location"):
        assert response.header(name) == unnamed.header(name)


# --- the two ways -------------------------------------------------------------------------------


def ids() -> Callable[[], str]:
    numbers = count()
    return lambda: f"urn:uuid:00000000-0000-4000-8000-{next(numbers):012d}"


def short_records(visit: Visit) -> object:
    usual = usual_of(visit)
    return None if usual is None else usual.records("urn:uuid:22222222-2222-4222-8222-222222222222")


def by_the_short_way(visits: Sequence[Visit], writer: SegmentWriter) -> dict[str, object]:
    new_id, chosen = ids(), [usual for visit in visits if (usual := usual_of(visit)) is not None]
    records = [usual.records(writer.warcinfo_id, new_id) for usual in chosen]
    told = []
    for usual, (places, index) in zip(chosen, writer.append_each([each for each in records if each], 0.0), strict=True):
        told.append(usual.told(places, OWNER.job_id))
        writer.note(told[-1].outcome, lines=index, json=told[-1].json)
        assert UrlOutcome.model_validate_json(told[-1].json) == told[-1].outcome
    stored = ended(writer)
    outcomes_told = [each.outcome for each in told]
    return {
        **stored,
        "outcomes": outcomes_told,
        "originals": [each.original for each in told],
        "json": [each.json.decode() for each in told],
    }


def by_the_general_way(visits: Sequence[Visit], writer: SegmentWriter) -> dict[str, object]:
    new_id, told = ids(), []
    for visit in visits:
        exchange = looked_through(visit.exchanges[0])
        message = stored_message(exchange)
        assert message is not None
        records = exchange_records(
            exchange, AsResponse("new"), warcinfo_id=writer.warcinfo_id, message=message, new_id=new_id
        )
        assert isinstance(records, ExchangeRecords)
        places = writer.append(records.all, 0.0)
        hop = outcomes.hop_of(exchange, records.outcome, places, reusable=True, recall=Recall())
        outcome = outcomes.outcome_of(replace(visit, exchanges=(exchange,)), (hop,), JOB)
        told.append(outcomes.with_next_try(outcome, outcomes.RetrySchedule(), SystemClock().now(), 4))
        writer.note(told[-1])
    stored = ended(writer)
    return {
        **stored,
        "outcomes": told,
        "originals": [original_of(each.hops[0]) for each in told],
        "json": [each.model_dump_json() for each in told],
    }


def looked_through(exchange: Exchange) -> Exchange:
    """The same, with a head of which it is not known that there is nothing odd in it."""
    assert exchange.response is not None
    return replace(exchange, response=replace(exchange.response, named=None))


def ended(writer: SegmentWriter) -> dict[str, object]:
    """What lies on the disk, and is gone with this."""
    closed = writer.close()
    journal = journal_path(closed.path)
    stored = {"warc": closed.path.read_bytes(), "cdxj": closed.cdxj, "journal": journal.read_bytes()}
    stored |= {"records": closed.record_count, "sha256": closed.sha256}  # type: ignore[dict-item]
    closed.path.unlink()
    journal.unlink()
    return stored  # type: ignore[return-value]


JOB = StoredJob(
    schema="citevault/stored-job@1",
    id=OWNER.job_id,
    collection="default",
    lane=Lane.BULK,
    created_at=STARTED_AT,
    options=JobOptions(),
    seed_parts=(),
    lines=1,
    seeds=1,
    duplicates=0,
    bad_lines=0,
)


@pytest.fixture(scope="module")
def segments(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], SegmentWriter]:
    """Starts a segment, each with the same ids."""
    folder: Path = tmp_path_factory.mktemp("segments")
    info = Warcinfo(software="citevault/test", operator="tests", robots="obey")
    return lambda: SegmentWriter(
        folder,
        SEGMENT_ID,
        "a1",
        info,
        created_at=STARTED_AT,
        owner=OWNER,
        new_id=lambda: "urn:uuid:22222222-2222-4222-8222-222222222222",
    )
