"""Our own documents are read fast, and what is wrong with them is told as of any other."""

from __future__ import annotations

from schemas.canonical import canonical_bytes
from schemas.reading import DocumentError, read_document, read_stored
from schemas.records.job import SeedPart

PART = SeedPart(key="jobs/x", sha256="0" * 64, seeds=3)


def test_what_was_written_is_what_is_read():
    assert read_stored(canonical_bytes(PART), SeedPart) == PART


def test_a_damaged_document_is_told_as_the_strict_reader_tells_it():
    for damaged in (b"", b"{", canonical_bytes(PART)[:-3], canonical_bytes(PART).replace(b"0", b"g"), b"\xff"):
        error = read_stored(damaged, SeedPart)
        assert isinstance(error, DocumentError)
        assert error == read_document(damaged, SeedPart)
