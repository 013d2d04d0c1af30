"""Which answers to a conditional request are believed (RFC 9110, 15.4.5)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.records.outcome import Outcome
from workers.capture.belief import disbelief, hidden_change, stays_distrusted
from workers.capture.validators import Validators
from workers.ports import KnownVersion, Original

AT = "2026-11-29T12:00:00.000000Z"
DATE = "Sat, 21 Nov 2026 10:00:00 GMT"
VERSION = KnownVersion(
    Original("urn:uuid:00000000-0000-4000-8000-000000000001", "https://example.com/robots.txt", AT, "ab" * 32),
    content_sha256="ab" * 32,
    content_bytes=1234,
    content_type="text/html",
    etag='W/"v1"',
    last_modified=DATE,
    received_at=AT,
)


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [(b"ETag", b'W/"v1"')],
        [(b"ETag", b'"v1"')],  # the weak comparison
        [(b"Last-Modified", b"Sat Nov 21 10:00:00 2026")],  # the same moment
        [(b"Content-Length", b"1234")],
        [(b"Content-Length", b"0")],  # of the empty message, as many servers have it
        [(b"Content-Length", b"01234"), (b"content-length", b"1234")],
    ],
)
def test_a_304_that_agrees_with_what_we_have_is_believed(answered, fields):
    assert disbelief(answered(304, fields), VERSION) is None


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ([(b"ETag", b'"v2"')], "ETag"),
        ([(b"ETag", b'"v1"'), (b"ETag", b'"v2"')], "ETag"),
        ([(b"ETag", b"v1")], "ETag"),
        ([(b"Last-Modified", b"Sat, 21 Nov 2026 10:00:01 GMT")], "Last-Modified"),
        ([(b"Last-Modified", b"some day")], "Last-Modified"),
        ([(b"Content-Length", b"1235")], "Content-Length"),
        ([(b"Content-Length", b"1234, 99")], "Content-Length"),
        ([(b"Content-Length", b"many")], "Content-Length"),
    ],
)
def test_a_304_that_contradicts_what_we_have_is_not_believed(answered, fields, word):
    assert word in (disbelief(answered(304, fields), VERSION) or "")


def test_what_a_version_does_not_know_cannot_be_contradicted(answered):
    version = replace(VERSION, etag=None, last_modified=None)
    assert disbelief(answered(304, [(b"ETag", b'"v2"'), (b"Last-Modified", DATE.encode())]), version) is None


def test_a_304_whose_extent_is_in_doubt_is_not_believed(answered):
    cut = replace(answered(304), outcome=Outcome.TRUNCATED, truncated="disconnect")
    assert disbelief(cut, VERSION) == "the 304 came truncated"


def test_a_304_without_a_question_is_not_believed(answered):
    assert "nobody had asked" in (disbelief(answered(304), None) or "")


@pytest.mark.parametrize("status", [400, 412, 431])
def test_a_refusal_counts_only_as_an_answer_to_a_condition(answered, status):
    assert disbelief(answered(status), VERSION) is not None
    assert disbelief(answered(status), None) is None


@pytest.mark.parametrize("status", [200, 206, 301, 403, 404, 416, 500, None])
def test_any_other_answer_stands(answered, status):
    assert disbelief(answered(status), VERSION) is None
    assert disbelief(replace(answered(200), response=None, outcome=Outcome.TIMEOUT), VERSION) is None


def test_a_change_under_the_same_validators_is_seen(answered):
    changed = answered(200, [(b"ETag", b'W/"v1"'), (b"Last-Modified", DATE.encode())], b"other content")
    assert "under the same ETag" in (hidden_change(changed, VERSION) or "")
    dated = replace(VERSION, etag=None)
    assert "under the same Last-Modified" in (hidden_change(changed, dated) or "")


def test_no_change_is_seen_where_there_is_none_or_the_validators_tell_of_it(answered):
    fields = [(b"ETag", b'W/"v1"')]
    same = answered(200, fields, b"content")
    version = replace(VERSION, content_sha256=same.response.content.sha256)
    assert hidden_change(same, version) is None
    assert hidden_change(answered(200, [(b"ETag", b'"v2"')], b"x"), VERSION) is None
    assert hidden_change(answered(404, fields, b"x"), VERSION) is None
    assert hidden_change(answered(200, fields, b"x", truncated="length"), VERSION) is None
    assert hidden_change(answered(200, fields, b"x"), None) is None


def test_trust_comes_back_with_other_validators():
    caught = replace(VERSION, distrusted=True)
    assert stays_distrusted(caught, Validators('W/"v1"', None))
    assert not stays_distrusted(caught, Validators('"v2"', DATE))
    assert not stays_distrusted(VERSION, Validators('W/"v1"', None))
    assert not stays_distrusted(None, Validators('W/"v1"', None))
