"""Which validators are sent back (R082 keeps all of them in the record), and for how long a server's word is taken."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.capture.conditional import MAX_URL_CHARACTERS, STRONG_PATIENCE, WEAK_PATIENCE, condition, request_headers
from workers.capture.request_head import request_head, target_of
from workers.capture.validators import Validators, same_validators, validators_of
from workers.exchange import Response, Spool
from workers.ports import KnownVersion, Original

URL = "https://example.org/page"
AT = "2026-11-29T12:00:00.000000Z"
RECEIVED = datetime(2026, 11, 29, 12, tzinfo=UTC)
DATE = "Sat, 28 Nov 2026 10:00:00 GMT"


def response(*fields: tuple[str, str]) -> Response:
    headers = tuple((name.encode(), value.encode("latin-1")) for name, value in fields)
    return Response(head=b"HTTP/1.1 200 OK\r\n\r\n", content=Spool(), framing="length", status=200, headers=headers)


def known(etag: str | None = '"v1"', last_modified: str | None = None, **more: object) -> KnownVersion:
    original = Original("urn:uuid:00000000-0000-4000-8000-000000000001", URL, AT, "ab" * 32)
    return replace(KnownVersion(original, "ab" * 32, 5, "text/html", etag, last_modified, AT), **more)


@pytest.mark.parametrize("etag", ['"abc123"', 'W/"abc"', '""', '"a,b"', '"\xe4"', '"' + "x" * 500 + '"'])
def test_an_etag_by_the_grammar_is_sent_back(etag):
    """RFC 9110, 8.8.3."""
    assert validators_of(response(("etag", etag)), AT) == Validators(etag, None)


@pytest.mark.parametrize(
    "etag",
    ["", "*", "a", '"a', 'a"', 'w/"a"', '"a", "b"', '"a" ', '"a"b"', '"a b"', '"a"\rX: y', '"a\x00"', f'"{600 * "x"}"'],
)
def test_an_etag_that_is_none_is_not_sent_back(etag):
    """`*` would match anything, a list asks another question, and a line end would begin another field."""
    assert not validators_of(response(("ETag", etag)), AT)


def test_of_two_etags_that_differ_neither_is_sent_back():
    assert not validators_of(response(("ETag", '"a"'), ("ETag", '"b"')), AT)
    assert validators_of(response(("ETag", '"a"'), ("etag", '"a"')), AT) == Validators('"a"')


@pytest.mark.parametrize("text", [DATE, "Saturday, 28-Nov-26 10:00:00 GMT", "Sat Nov 28 10:00:00 2026"])
def test_a_date_in_any_of_the_three_forms_is_sent_back_as_it_stands(text):
    """R082; RFC 9110, 5.6.7: some servers compare the strings."""
    assert validators_of(response(("Last-Modified", text)), AT) == Validators(None, text)


@pytest.mark.parametrize(
    ("modified", "date"),
    [
        ("yesterday", None),
        ("0", None),
        ("Sun, 29 Nov 2026 11:59:30 GMT", None),  # half a minute before it was asked for
        ("Mon, 30 Nov 2026 12:00:00 GMT", None),  # of tomorrow: everything later would be "not modified"
        (DATE, "Sat, 28 Nov 2026 10:00:30 GMT"),  # half a minute old by the server's own clock
    ],
)
def test_a_date_that_does_not_tell_of_changes_is_not_sent_back(modified, date):
    """RFC 9110, 8.8.2.2: what was modified in the second of the answer can be modified again in that second."""
    fields = [("Last-Modified", modified), *([("Date", date)] if date else [])]
    assert not validators_of(response(*fields), AT)


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_no_validator_ever_adds_a_line_to_a_request(etag, modified):
    """Whatever bytes a server sends as ETag and Last-Modified, the request built from them is the same but for at most
    the two fields, each on one line."""
    headers = ((b"ETag", etag.strip()), (b"Last-Modified", modified.strip()))
    answer = Response(head=b"", content=Spool(), framing="close", status=200, headers=headers)
    ask = validators_of(answer, AT)
    head = request_head(target_of(URL), request_headers("c", ask=ask))
    lines = head.split(b"\r\n")
    assert head.endswith(b"\r\n\r\n")
    assert b"\n" not in head.replace(b"\r\n", b"")
    assert len(lines) == 5 + 2 + (ask.etag is not None) + (ask.last_modified is not None)


def test_what_is_sent_is_what_the_version_has():
    version = known(last_modified=DATE)
    assert condition(version, URL, RECEIVED) == Validators('"v1"', DATE)
    assert condition(None, URL, RECEIVED) is None
    assert condition(replace(version, distrusted=True), URL, RECEIVED) is None
    assert condition(known(None, None), URL, RECEIVED) is None


@pytest.mark.parametrize(
    ("version", "patience"),
    [(known(), STRONG_PATIENCE), (known('W/"v1"'), WEAK_PATIENCE), (known(None, DATE), WEAK_PATIENCE)],
)
def test_after_so_many_304_or_so_much_time_the_content_is_wanted_in_full(version, patience):
    last = patience.confirmations - 1
    moment = timedelta(microseconds=1)
    assert condition(replace(version, confirmed=last), URL, RECEIVED) is not None
    assert condition(replace(version, confirmed=last + 1), URL, RECEIVED) is None
    assert condition(version, URL, RECEIVED + patience.age - moment) is not None
    assert condition(version, URL, RECEIVED + patience.age) is None


def test_a_url_that_does_not_fit_a_revisit_twice_is_asked_in_full():
    assert condition(known(), "https://example.org/" + "x" * MAX_URL_CHARACTERS, RECEIVED) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (known('"a"'), Validators('"a"'), True),
        (known('"a"'), Validators('W/"a"'), True),  # If-None-Match compares weakly: RFC 9110, 13.1.2
        (known('"a"', DATE), Validators('"b"', DATE), False),
        (known(None, DATE), Validators(None, DATE), True),
        (known(None, DATE), Validators('"a"', DATE), True),
        (known('"a"', None), Validators(None, DATE), False),
    ],
)
def test_validators_are_the_same_where_a_server_would_answer_304(ours, theirs, same):
    assert same_validators(ours, theirs) is same
