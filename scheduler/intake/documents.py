"""Formats that are one JSON document: a job file, and a bundle, whose cited pages are archived again."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler.intake.ask import Ask, bad_line
from scheduler.intake.pieces import Broken
from schemas.reading import DocumentError, ReadingLimits, read_document
from schemas.records.bundle import Bundle
from schemas.records.job import BadLine, JobFile

JOB_MARK = b"citevault/job@"
BUNDLE_MARK = b"citevault/bundle@"


def whole(pieces: Iterator[bytes | Broken], max_bytes: int) -> bytes | BadLine:
    """All pieces as one."""
    parts: list[bytes] = []
    total = 0
    for piece in pieces:
        if isinstance(piece, Broken):
            return bad_line(1, piece.code, piece.message)
        total += len(piece)
        if total > max_bytes:
            return bad_line(1, "document.too-large", f"a document of more than {max_bytes} bytes; split it")
        parts.append(piece)
    return b"".join(parts)


def read_job_file(data: bytes) -> JobFile | BadLine:
    """A job file; its first fault where it has one."""
    document = read_document(data, JobFile, limits=ReadingLimits(max_bytes=len(data) + 1))
    return _fault(document) if isinstance(document, DocumentError) else document


def job_asks(job: JobFile) -> Iterator[Ask | BadLine]:
    """The URLs of a job file, numbered by their place in the list."""
    for number, url in enumerate(job.urls, 1):
        yield Ask(number, url)


def bundle_asks(data: bytes) -> Iterator[Ask | BadLine]:
    """The pages that a bundle's evidence cites, as they were requested."""
    bundle = read_document(data, Bundle, limits=ReadingLimits(max_bytes=len(data) + 1))
    if isinstance(bundle, DocumentError):
        yield _fault(bundle)
        return
    cited = {evidence.snapshot_id for evidence in bundle.evidence}
    for number, snapshot in enumerate(bundle.snapshots, 1):
        if snapshot.id in cited:
            yield Ask(number, snapshot.requested_url)


def _fault(error: DocumentError) -> BadLine:
    return bad_line(1, f"document.{error.code.value}", str(error))
