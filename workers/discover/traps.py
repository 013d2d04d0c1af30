"""Where a crawl would never end: addresses that a site makes up faster than anybody can fetch them.

Each decider looks at one URL alone, so that it says the same in every order and after every restart. What no single URL
shows (thousands of pages that differ in a query) is bounded by budgets (`workers/frontier/lua/offer.lua`).
Sources: Heritrix's PathologicalPathDecideRule and TooManyPathSegmentsDecideRule, and the traps that its users report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote

from schemas.urls.location import HttpLocation

MAX_URL_CHARACTERS: Final = 2000
MAX_SEGMENTS: Final = 20
REPEATED_IN_A_ROW: Final = 3
"""Of a group of up to four segments: `/a/b/a/b/a/b`."""
REPEATED_AT_ALL: Final = 5
LONGEST_GROUP: Final = 4
MAX_PARAMETERS: Final = 16
SAME_PARAMETER: Final = 6
"""So often one name in a query: facets that are added with every click."""

QUERIES_IN_A_QUERY: Final = 8
NESTED_PARAMETER: Final = 3
"""So often one name behind several question marks: a page that appends to its own address, `?s=1?s=2?s=3`."""

_SESSION_NAMES: Final = (
    r"jsessionid|phpsessid|aspsessionid[a-z]{0,16}|sessionid|session_id|sessid|sid|oscsid|xtcsid|zenid|cftoken"
)
_SESSION_IN_PATH: Final = re.compile(
    rf";(?:{_SESSION_NAMES})=|/\((?:[a-z]\([0-9a-z]{{24}}\)){{1,4}}\)(?:/|$)|/\([0-9a-z]{{24}}\)(?:/|$)", re.IGNORECASE
)
_SESSION_IN_QUERY: Final = re.compile(rf"(?:^|[&;?])(?:{_SESSION_NAMES})=[0-9a-z_,.-]{{16,}}", re.IGNORECASE)
_ENCODED_SIGN: Final = re.compile("%(?:3[fd]|26)", re.IGNORECASE)
_ENCODED_THRICE: Final = "%2525"
"""A query that carries itself, encoded once more with every click: `?next=/login?next=…`."""


def is_long(url: str) -> bool:
    """More characters than pages for people have."""
    return len(url) > MAX_URL_CHARACTERS


def is_deep(location: HttpLocation) -> bool:
    """More path segments than folders that anybody made by hand."""
    return location.path.count("/") > MAX_SEGMENTS


def repeats_its_path(location: HttpLocation) -> bool:
    """A relative link that resolves to a page of the same content one level deeper: `/a/a/a`, `/a/b/a/b/a/b`."""
    segments = location.path.split("/")[1:]
    if len(segments) > MAX_SEGMENTS:
        segments = segments[: MAX_SEGMENTS + 1]
    named = Counter(segment for segment in segments if segment)
    if named and named.most_common(1)[0][1] >= REPEATED_AT_ALL:
        return True
    return any(_in_a_row(segments, size) for size in range(1, LONGEST_GROUP + 1))


def names_a_session(location: HttpLocation) -> bool:
    """An address that is made for one visitor, and anew for every request of a visitor without cookies."""
    if _SESSION_IN_PATH.search(location.path):
        return True
    return location.query is not None and _SESSION_IN_QUERY.search(location.query) is not None


def has_endless_query(location: HttpLocation) -> bool:
    """A query that grows with every click: many parameters, a name again and again, a pair twice, itself in itself, or
    one query behind the other."""
    if not location.query:
        return False
    if _ENCODED_THRICE in location.query or _queries_in_a_row(location.query):
        return True
    pairs = [pair for pair in re.split("[&;]", location.query) if pair]
    if len(pairs) > MAX_PARAMETERS or len(set(pairs)) < len(pairs):
        return True
    return max(Counter(pair.partition("=")[0] for pair in pairs).values(), default=0) >= SAME_PARAMETER


def query_form(location: HttpLocation) -> str | None:
    """What is equal of all URLs that differ in the values or the order of several parameters; None where there are
    fewer than two, as in `?id=7`, by which whole sites are addressed."""
    names = {pair.partition("=")[0] for pair in re.split("[&;]", location.query or "") if pair}
    if len(names) < 2:
        return None
    return f"{location.host}:{location.port}{location.path}?{'&'.join(sorted(names))}"


def _queries_in_a_row(query: str) -> bool:
    """Whether several queries stand one behind the other, by question marks as they are or encoded once."""
    plain = _ENCODED_SIGN.sub(lambda sign: unquote(sign[0]), query)
    queries = [part for part in plain.split("?") if part]
    if len(queries) < NESTED_PARAMETER:
        return False
    names = ({pair.partition("=")[0] for pair in re.split("[&;/]", part) if pair} for part in queries)
    often = Counter(name for each in names for name in each)
    return len(queries) > QUERIES_IN_A_QUERY or max(often.values(), default=0) >= NESTED_PARAMETER


def _in_a_row(segments: Sequence[str], size: int) -> bool:
    span = size * REPEATED_IN_A_ROW
    return any(
        segments[start : start + span] == list(segments[start : start + size]) * REPEATED_IN_A_ROW
        for start in range(len(segments) - span + 1)
    )
