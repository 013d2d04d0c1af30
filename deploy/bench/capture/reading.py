"""Whether a side archived what the origin served: every page once, its bytes and digests right. Read by FastWARC,
which nobody here writes with. What is wrong ends the benchmark: the speed of a wrong answer means nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from deploy.bench.capture.pages import Page

SHOWN = 5
PIECE_BYTES = 1024 * 1024
END = b"\r\n\r\n"


class WrongAnswerError(AssertionError):
    """A side lost, doubled or changed a page."""


def check_archives(who: str, files: Iterable[Path], urls: Sequence[str], pages: Sequence[Page]) -> int:
    """Bytes of all files, when each URL has one response in them with its page's bytes. WrongAnswerError where not."""
    wanted = dict(zip(urls, pages, strict=True))
    seen: dict[str, str] = {}
    size = 0
    for file in files:
        size += file.stat().st_size
        for url, digest in _responses(who, file):
            if url in seen and url in wanted:  # robots.txt of one host may lie in two files
                raise WrongAnswerError(f"{who}: two responses for {url}")
            seen[url] = digest
    _compare(who, wanted, seen)
    return size


def _compare(who: str, wanted: Mapping[str, Page], seen: Mapping[str, str]) -> None:
    missing = [url for url in wanted if url not in seen]
    if missing:
        raise WrongAnswerError(f"{who}: {len(missing)} of {len(wanted)} pages missing, such as {missing[:SHOWN]}")
    strange = [url for url in seen if url not in wanted and urlsplit(url).path != "/robots.txt"]
    if strange:
        raise WrongAnswerError(f"{who}: responses that nobody asked for, such as {strange[:SHOWN]}")
    changed = [url for url, page in wanted.items() if seen[url] != page.digest]
    if changed:
        raise WrongAnswerError(f"{who}: other bytes than the origin's, such as {changed[:SHOWN]}")


def _responses(who: str, file: Path) -> Iterable[tuple[str, str]]:
    """Target URI and SHA-256 of the payload of each response, both digests of the record compared on the way."""
    with file.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=False):
            url = str(record.headers.get("WARC-Target-URI")).strip("<>")
            block, payload = _Digest(record, "WARC-Block-Digest"), _Digest(record, "WARC-Payload-Digest")
            content = hashlib.sha256()
            head = b""
            while END not in head and (piece := record.reader.read(PIECE_BYTES)):
                head += piece
            block.update(head)
            rest = head.partition(END)[2]
            while rest:
                payload.update(rest)
                content.update(rest)
                rest = record.reader.read(PIECE_BYTES)
                block.update(rest)
            for digest in (block, payload):
                if not digest.holds():
                    raise WrongAnswerError(f"{who}: {digest.field} of {url} in {file.name} is wrong")
            yield url, content.hexdigest()


class _Digest:
    """A digest that a record names, in hex or base32, computed again. One that is absent is no proof, and wrong."""

    def __init__(self, record: WarcRecord, field: str) -> None:
        self.field = field
        algorithm, _, self._named = str(record.headers.get(field, "")).partition(":")
        self._known = algorithm in ("sha1", "sha256")
        self._digest = hashlib.new(algorithm if self._known else "sha256")

    def update(self, data: bytes) -> None:
        self._digest.update(data)

    def holds(self) -> bool:
        base32 = base64.b32encode(self._digest.digest()).decode()
        return self._known and (self._named.lower() == self._digest.hexdigest() or self._named == base32)
