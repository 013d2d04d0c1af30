"""Whom a text credits for its words: a news agency or a release wire, by a byline, a dateline or a line of credit.

A name in running text is no credit (`a spokesman told Reuters`), and neither is that of a picture (`Photo: AFP`). What
is found suggests that stories are one; it unites nothing by itself (R070).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from workers.dedup.agencies import AgencyKind, agency_names
from workers.dedup.site import site_of

OPENING_CHARS = 400
OPENING_LINES = 6
CLOSING_LINES = 8
CREDIT_CHARS = 160
"""A line of credit is short."""
PLACE_WORDS = 2
"""A place and a day may stand in brackets beside a name."""
FOREIGN_WORDS = 3
"""Words that are neither names nor words of credit: `Mit Material von dpa` has none, a date or a reporter some."""

_AFTER = r"\s*(?=[-–—―.,:=]|$|\n)"
_BRACKETED = re.compile(
    rf"\(([^()\n]{{1,60}})\){_AFTER}"
    rf"|\[([^\[\]\n]{{1,60}})\]{_AFTER}"
    rf"|(?<!\w)/([^/\n]{{1,40}})/{_AFTER}"
    r"|\(([^()=\n]{1,20}=[^()=\n]{1,20})\)"
    r"|[【［〔（]([^【】［］〔〕（）\n]{1,40})[】］〕）]"
)
_DASHED = re.compile(r"(?:^|\n)[^\n]{0,60}?[–—-]\s*([A-Z][A-Za-z-]{1,14})\s*[–—-]\s")
_XINHUA = re.compile(r"(?:新华社|新華社|中新社|中央社)[^\s\n]{0,12}?\d{1,2}\s*[日号]")
_WORD = re.compile(r"[^\W\d_]+|\u00a9|\(c\)", re.IGNORECASE)

How = Literal["byline", "dateline", "credit line", "its own page"]


@dataclass(frozen=True, slots=True, order=True)
class Credit:
    """One agency, and where it is credited."""

    agency: str
    kind: AgencyKind
    how: How
    words: str
    """As they stand on the page."""


def credits_of(
    text: str, *, normalized_url: str = "", author: str | None = None, publisher: str | None = None
) -> tuple[Credit, ...]:
    """The agencies credited, each once, by the strongest of its credits; sorted."""
    found: dict[str, Credit] = {}
    own = agency_names().by_host.get(site_of(normalized_url)) if normalized_url else None
    if own is not None:
        found[own.id] = Credit(own.id, own.kind, "its own page", site_of(normalized_url))
    for field in (author, publisher):
        _take(found, "byline", field or "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for words in _datelines(text[:OPENING_CHARS]):
        _take(found, "dateline", words)
    for line in [*lines[:OPENING_LINES], *lines[max(OPENING_LINES, len(lines) - CLOSING_LINES) :]]:
        if _is_credit_line(line):
            _take(found, "credit line", line)
    return tuple(sorted(found.values()))


def _take(found: dict[str, Credit], how: How, words: str) -> None:
    names = agency_names()
    for match in names.name.finditer(words):
        agency = names.by_name[match.group()]
        found.setdefault(agency.id, Credit(agency.id, agency.kind, how, words.strip()[:CREDIT_CHARS]))


def _datelines(opening: str) -> list[str]:
    """`BERLIN (Reuters) -`, `(서울=연합뉴스)`, `【ロイター】`, `МОСКВА, 3 мая. /ТАСС/.`, `Wien – APA –`, and the line
    that agencies of China begin with."""
    inside = [held for match in _BRACKETED.finditer(opening) for held in match.groups() if held and _is_bare(held)]
    dashed = [match.group(1) for match in _DASHED.finditer(opening)]
    return [*inside, *dashed, *(match.group() for match in _XINHUA.finditer(opening))]


def _is_bare(inside: str) -> bool:
    """Whether brackets hold names and little else: `AP`, `dpa/AFP`, `서울=연합뉴스`; but no sentence."""
    rest = agency_names().name.sub(" ", inside)
    return rest != inside and len(_WORD.findall(rest)) <= PLACE_WORDS


def _is_credit_line(line: str) -> bool:
    if len(line) > CREDIT_CHARS:
        return False
    names = agency_names()
    rest, count = names.name.subn(" ", line)
    if not count:
        return False
    words = [word.casefold() for word in _WORD.findall(rest)]
    if not names.picture_words.isdisjoint(words):
        return False
    credited = [word for word in words if word in names.credit_words]
    return len(words) - len(credited) <= (FOREIGN_WORDS if credited else 0)
