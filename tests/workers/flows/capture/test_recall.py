"""What a receipt says of how its URLs can be asked for news, and what an index makes of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from schemas.records.outcome import Hop, Outcome, RecordLocation, UrlOutcome
from workers.capture.conditional import condition
from workers.catalog.receipts import versions
from workers.exchange import Exchange, Response, Spool
from workers.flows.capture.outcomes import hop_of
from workers.flows.capture.recall import Recall
from workers.ports import KnownVersion, Original, VersionSeen

URL = "https://example.org/page"
RECORD = "urn:uuid:00000000-0000-4000-8000-000000000001"
OTHER_RECORD = "urn:uuid:00000000-0000-4000-8000-000000000002"
FIRST, SECOND = "2026-11-29T12:00:00.000000Z", "2026-11-30T12:00:00.000000Z"
CONTENT = b"<p>content</p>"
DIGEST = Spool(CONTENT).sha256
TYPE = ("Content-Type", "text/html")
KNOWN = KnownVersion(
    Original(RECORD, URL, FIRST, DIGEST), DIGEST, len(CONTENT), "text/html", '"v1"', None, FIRST, confirmed=4
)
WHOLE = (RecordLocation(record_id=RECORD, type="response", offset=0, length=9),)


def exchange(status: int, *fields: tuple[str, str], body: bytes = CONTENT, at: str = SECOND) -> Exchange:
    headers = tuple((name.encode(), value.encode("latin-1")) for name, value in fields)
    response = Response(
        head=b"HTTP/1.1 %d x\r\n\r\n" % status, content=Spool(body), framing="length", status=status, headers=headers
    )
    return Exchange(url=URL, started_at=at, outcome=Outcome.CAPTURED, response=response)


def captured(answer: Exchange, recall: Recall) -> Hop:
    """A hop whose own response was stored whole."""
    return hop_of(answer, Outcome.CAPTURED, WHOLE, reusable=True, recall=recall)


def revisited(answer: Exchange, recall: Recall, outcome: Outcome = Outcome.REVISIT, refers_to: str = RECORD) -> Hop:
    return hop_of(answer, outcome, (), refers_to=refers_to, reusable=True, recall=recall)


def seen(hop: Hop, receipt_of) -> list[VersionSeen]:
    outcome = UrlOutcome(requested_url=URL, normalized_url=URL, visit=1, outcome=hop.outcome, hops=(hop,))
    return versions(receipt_of([]).model_copy(update={"outcomes": (outcome,)}))


def test_a_whole_200_begins_a_version(receipt_of):
    hop = captured(exchange(200, TYPE, ("ETag", '"v2"')), Recall())
    assert hop.revalidation.representation is None
    assert seen(hop, receipt_of) == [
        VersionSeen(
            URL,
            SECOND,
            KnownVersion(Original(RECORD, URL, SECOND, DIGEST), DIGEST, 14, "text/html", '"v2"', None, SECOND),
        )
    ]


def test_a_believed_304_carries_the_version_on_and_counts(receipt_of):
    hop = revisited(exchange(304, body=b""), Recall(KNOWN, asked=True), Outcome.NOT_MODIFIED)
    assert seen(hop, receipt_of) == [VersionSeen(URL, SECOND, replace(KNOWN, confirmed=5))]


def test_the_same_content_in_full_begins_to_count_anew_with_the_newer_validators(receipt_of):
    hop = revisited(exchange(200, TYPE, ("ETag", '"v2"')), Recall(KNOWN))
    assert seen(hop, receipt_of) == [
        VersionSeen(URL, SECOND, replace(KNOWN, etag='"v2"', received_at=SECOND, confirmed=0))
    ]


@pytest.mark.parametrize(
    ("answer", "refers_to"),
    [
        (exchange(200, TYPE, ("ETag", '"v1"')), OTHER_RECORD),  # first stored under another URL, with another head
        (exchange(200, ("Content-Type", "text/plain"), ("ETag", '"v1"')), RECORD),
    ],
)
def test_a_revisit_whose_original_would_not_replay_it_rightly_is_remembered_and_not_asked_about(
    answer, refers_to, receipt_of
):
    """A 304 is replayed with the original's status and type, so these must be the page's own."""
    (entry,) = seen(revisited(answer, Recall(KNOWN), refers_to=refers_to), receipt_of)
    assert (entry.version.original, entry.version.content_sha256, entry.version.etag) == (None, DIGEST, '"v1"')
    assert condition(entry.version, URL, datetime.fromisoformat(SECOND)) is None


def test_a_page_without_validators_any_more_is_forgotten(receipt_of):
    assert seen(revisited(exchange(200, TYPE), Recall(KNOWN)), receipt_of) == [VersionSeen(URL, SECOND, None)]


def test_a_page_that_never_had_validators_costs_the_index_nothing(receipt_of):
    assert seen(captured(exchange(200, TYPE), Recall()), receipt_of) == []


@pytest.mark.parametrize("status", [204, 206, 301, 404, 503])
def test_other_answers_leave_the_version_as_it_is(status, receipt_of):
    assert seen(captured(exchange(status, TYPE, ("ETag", '"v2"')), Recall(KNOWN)), receipt_of) == []


@pytest.mark.parametrize("outcome", [Outcome.TRUNCATED, Outcome.MALFORMED])
def test_an_answer_that_is_not_whole_leaves_the_version_as_it_is(outcome, receipt_of):
    cut = replace(exchange(200, TYPE, ("ETag", '"v2"')), outcome=outcome)
    assert seen(hop_of(cut, outcome, WHOLE, reusable=True, recall=Recall(KNOWN)), receipt_of) == []


def test_an_empty_page_is_not_asked_about(receipt_of):
    """No revisit may refer to it."""
    (entry,) = seen(captured(exchange(200, TYPE, ("ETag", '"v2"'), body=b""), Recall()), receipt_of)
    assert entry.version.original is None


def test_who_was_caught_is_distrusted_whatever_comes_next(receipt_of):
    caught = Recall(KNOWN, distrusted=True)
    for hop in (
        captured(exchange(200, TYPE, ("ETag", '"v1"'), body=b"other"), caught),
        revisited(exchange(200, TYPE, ("ETag", '"v1"')), caught),
        captured(exchange(503, TYPE), caught),
    ):
        (entry,) = seen(hop, receipt_of)
        assert entry.version is not None
        assert (entry.version.etag, entry.version.distrusted) == ('"v1"', True)


def test_distrust_lasts_until_the_validators_change(receipt_of):
    distrusted = Recall(replace(KNOWN, distrusted=True))
    (same,) = seen(captured(exchange(200, TYPE, ("ETag", '"v1"'), body=b"other"), distrusted), receipt_of)
    (other,) = seen(captured(exchange(200, TYPE, ("ETag", '"v2"'), body=b"other"), distrusted), receipt_of)
    assert (same.version.distrusted, other.version.distrusted) == (True, False)


@pytest.mark.parametrize("kind", ["text/html;" + "x" * 300, "text/\thtml"])
def test_a_page_whose_type_cannot_stand_in_the_index_is_not_asked_about(kind, receipt_of):
    answer = exchange(200, ("Content-Type", kind), ("ETag", '"v2"'))
    for hop in (captured(answer, Recall()), revisited(answer, Recall(replace(KNOWN, content_type=None)))):
        (entry,) = seen(hop, receipt_of)
        assert (entry.version.original, entry.version.content_type) == (None, None)


def test_a_type_of_any_length_makes_a_hop():
    """The record keeps it whole."""
    hop = captured(exchange(200, ("Content-Type", "x" * 100_000)), Recall())
    assert len(hop.content_type) == 4096


def test_robots_txt_has_no_version(receipt_of):
    hop = captured(exchange(200, TYPE, ("ETag", '"v2"')), Recall())
    assert versions(receipt_of([]).model_copy(update={"robots": (hop,)})) == []
