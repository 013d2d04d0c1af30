"""A field of a head reads alike in the archive that writes it into a snapshot and in the checker."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from validator.snapshot_fields import MAX_VALUE, first_value
from workers.flows.extract.answer import header_values
from workers.flows.extract.snapshot import MAX_HEADER_CHARACTERS

PIECES = [
    b"ETag",
    b"etag ",
    b":",
    b' "x"',
    b"\t",
    b" ",
    b"\r\n",
    b"\n",
    b"\r",
    b"\x0b",
    b"\xa0",
    b"Content-Type: a",
    b"",
]


def archived(head: bytes) -> str | None:
    """As `snapshot_of` takes it."""
    value = next(iter(header_values(head, "ETag")), None)
    return value[:MAX_HEADER_CHARACTERS] if value else None


@given(st.lists(st.sampled_from(PIECES), max_size=24).map(lambda pieces: b"HTTP/1.1 200 OK\r\n" + b"".join(pieces)))
@example(b"HTTP/1.1 200 OK\r\nETag: a\r\n b\r\n\tc\r\nETag: d\r\n\r\n")
@example(b"HTTP/1.1 200 OK\r\nETag:\r\nETag: d\r\n\r\n")
@example(b"HTTP/1.1 200 OK\r\nETag: " + b"x" * 5000 + b"\r\n\r\n")
@example(b"")
def test_archive_and_checker_read_the_same_value(head: bytes) -> None:
    assert first_value(head, b"etag") == archived(head)


def test_both_cut_at_the_same_length() -> None:
    assert MAX_VALUE == MAX_HEADER_CHARACTERS
