"""What is to be queued of a part of a job's seeds, cut out of its lines instead of making a record of each.

A part is our own object, checked by its SHA-256 before it is looked at, and canonical JSON: its names stand in order,
and a quotation mark within a text is escaped, so `"line":` with bare marks is where a seed says its line and nowhere
else. A part of which not every line has that shape is read strictly instead: twenty times the time, and the same.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Final, NamedTuple

MAX_PLAIN_BYTES: Final = 256 * 1024 * 1024
GZIP_WINDOW: Final = 31  # zlib's 15 bits, and the gzip wrapper
_TEXT: Final = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
_END = re.compile(
    rf'"line":[0-9]+,"normalized_url":{_TEXT},"requested_url":{_TEXT},'
    r'"userinfo_removed":(?:false|true),"visit":(null|[0-9]+)\}\n'
)


class SeedUrl(NamedTuple):
    """What the frontier has to know of a seed."""

    requested_url: str
    normalized_url: str
    visit: int | None


def cut_out(part: bytes, seeds: int) -> list[SeedUrl] | None:
    """The URLs of a packed part that holds so many seeds, in order; None where it has to be read strictly."""
    inflater = zlib.decompressobj(GZIP_WINDOW)
    try:
        text = inflater.decompress(part, MAX_PLAIN_BYTES).decode()
    except (zlib.error, UnicodeDecodeError):
        return None
    found = _END.findall(text)
    if not inflater.eof or inflater.unused_data or len(found) != seeds or text.count("\n") != seeds:
        return None
    return [
        SeedUrl(_plain(requested), _plain(normalized), None if visit == "null" else int(visit))
        for normalized, requested, visit in found
    ]


def _plain(text: str) -> str:
    return str(json.loads(f'"{text}"')) if "\\" in text else text
