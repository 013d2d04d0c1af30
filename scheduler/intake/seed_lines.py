"""Seeds as the lines of a part: most are a URL that names itself, and those are written without making a record.

The shape of such a line is taken from the record type once, so the two cannot differ.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from schemas.canonical import canonical_bytes
from schemas.records.job import Seed

_LINE: Final = 4_242_424_242
_URL: Final = "https://seed.invalid/"


def plain_line(line: int, url: str) -> str:
    """The line, without LF, of a seed that somebody asked for once, under its own identity and without a hit: what
    `canonical_bytes` gives. `url` is printable ASCII without `"` and backslash."""
    before, between, middle, after = _shape()
    return f"{before}{line}{between}{url}{middle}{url}{after}"


def is_plain(url: str) -> bool:
    """Whether a URL that names itself needs no escape in JSON."""
    return '"' not in url


def seed_line(seed: Seed) -> bytes:
    """The line of any seed, without LF."""
    return canonical_bytes(seed)


@cache
def _shape() -> tuple[str, str, str, str]:
    """What stands around number, normalized and requested URL."""
    text = canonical_bytes(Seed(line=_LINE, requested_url=_URL, normalized_url=_URL)).decode()
    before, rest = text.split(str(_LINE))
    between, middle, after = rest.split(_URL)
    return before, between, middle, after
