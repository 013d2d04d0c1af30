"""CDXJ lines: the index that pywb reads, one line a capture (`schemas/README.md, CDXJ`).

`<SURT key> <14 digits> <JSON>`, all values strings, equal byte for byte to what cdxj-indexer 1.5 writes
wherever that can parse the record; two differences are wanted. A revisit has no `status`, since pywb
takes it from the original, and a record without payload digest has no `digest`, where the indexer
invents a SHA-1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from schemas.ids import digits_14
from schemas.urls.surt import url_key
from workers.archive import http_head
from workers.archive.parsing import WarcRecord
from workers.archive.record import IndexFacts, sha256_label
from workers.archive.stored_http import split_http

_NEEDS_NO_ESCAPE = re.compile(r"[ !#-\[\]-~]*")
INDEXED = frozenset({"response", "revisit", "resource"})


def line(facts: IndexFacts, *, offset: int, length: int, filename: str) -> bytes:
    """One line, its LF included. `filename` is relative to `warc/`."""
    mime = "" if facts.mime is None else f'"mime": {_quoted_again(facts.mime)}, '
    status = "" if facts.status is None else f'"status": {_quoted_again(facts.status)}, '
    digest = "" if facts.payload_sha256 is None else f'"digest": "{sha256_label(facts.payload_sha256)}", '
    place = f'"length": "{length}", "offset": "{offset}", "filename": {_quoted_again(filename)}'
    fields = f'{{"url": {_quoted(facts.url)}, {mime}{status}{digest}{place}}}'
    return f"{url_key(facts.url)} {digits_14(facts.date)} {fields}\n".encode()


def _quoted(text: str) -> str:
    """As a JSON string. Most texts need no escapes, and one line a page is written."""
    return f'"{text}"' if _NEEDS_NO_ESCAPE.fullmatch(text) else json.dumps(text)


_quoted_again = lru_cache(maxsize=64)(_quoted)
"""For types, statuses and file names, which are the same few again and again."""


def moved(line: bytes, *, by: int, filename: str) -> bytes:
    """A line, its LF included, for a record that lies so many bytes later in another file. ValueError where it is no
    line of ours."""
    where, brace, fields = line.partition(b" {")
    values = json.loads(brace + fields)
    if not isinstance(values, dict) or list(values)[-3:] != ["length", "offset", "filename"] or where.count(b" ") != 1:
        raise ValueError("not a line of this archive")
    values |= {"offset": str(int(values["offset"]) + by), "filename": filename}
    return b"%b %b\n" % (where, json.dumps(values).encode("ascii"))


def sort_lines(lines: Iterable[bytes]) -> bytes:
    """An index: lines in the order of their bytes, no line twice."""
    return b"".join(sorted(set(lines)))


def facts_of(record: WarcRecord) -> IndexFacts | None:
    """What the line of a record that was read back says; None for a type that has no line."""
    url = record.header("WARC-Target-URI")
    if record.type not in INDEXED or url is None:
        return None
    label = record.header("WARC-Payload-Digest") or ""
    payload = label.removeprefix("sha256:") if label.startswith("sha256:") else None
    if record.type == "revisit":
        return IndexFacts(url, record.date, "warc/revisit", None, payload)
    if record.type == "resource":
        content_type = record.header("Content-Type")
        kind = None if content_type is None else content_type.partition(";")[0].strip()
        return IndexFacts(url, record.date, kind, None, payload)
    head = split_http(record.block).head
    return IndexFacts(
        url, record.date, http_head.mime(head), http_head.status_token(head, None) if head else None, payload
    )
