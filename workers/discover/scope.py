"""How far a crawl goes from its seeds. A URL is in scope if any seed of the job has it in scope.

`http` and `https` are one place, and so are `www.example.org` and `example.org`: most seeds redirect from the one to
the other. `prefix` compares whole path segments, percent-encoding and dot segments undone: `/docs` holds `/docs/a`, and
not `/docs2`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote

from schemas.records.job import Scope
from schemas.urls.location import HttpLocation
from workers.discover.domains import registrable_domain

Place: TypeAlias = tuple[str, ...]
"""Site or domain; in the scope `prefix` followed by the path's segments."""

_PAGE_NAMES = frozenset(
    "asp aspx cfm cgi do htm html jsf jsp md pdf php php5 phtml pl rst shtml txt xhtml xml".split()  # noqa: SIM905
)
"""What a last path segment ends with that names a page and no folder."""


@dataclass(frozen=True, slots=True)
class CrawlScope:
    """The places of all seeds of a job."""

    kind: Scope
    places: frozenset[Place]
    longest: int = 1
    """Of a place; a URL is looked up under as many of its own beginnings at most."""

    @classmethod
    def over(cls, kind: Scope, places: Collection[Place]) -> CrawlScope:
        """The scope of these places, each once."""
        return cls(kind, frozenset(places), max(map(len, places), default=1))

    def contains(self, location: HttpLocation) -> bool:
        """Whether a URL lies in one of the places. Nothing does in the scope `page`, whose seeds follow no link."""
        match self.kind:
            case Scope.PAGE:
                return False
            case Scope.DOMAIN:
                return (registrable_domain(location.host),) in self.places
            case Scope.HOST:
                return (_site(location),) in self.places
            case Scope.PREFIX:
                place = (_site(location), *_segments(location.path))
                return any(place[:length] in self.places for length in range(1, min(len(place), self.longest) + 1))


def scope_of(kind: Scope, seeds: Iterable[HttpLocation]) -> CrawlScope:
    """The scope of a job, from its seeds."""
    return CrawlScope.over(kind, [place_of(kind, seed) for seed in seeds])


def place_of(kind: Scope, seed: HttpLocation) -> Place:
    """What a seed brings into scope."""
    if kind is Scope.DOMAIN:
        return (registrable_domain(seed.host),)
    if kind is Scope.PREFIX:
        return (_site(seed), *_folder(seed.path))
    return (_site(seed),)


def _site(location: HttpLocation) -> str:
    host = location.host.removesuffix(".").removeprefix("www.") or location.host
    return f"{host}:{location.port}" if location.port else host


def _folder(path: str) -> tuple[str, ...]:
    """`/docs/` and `/docs` are the folder `docs`; of `/docs/index.html` the page's name is left out."""
    *folders, last = _segments(path)
    stem, dot, ending = last.rpartition(".")
    if not last or (stem and dot and ending.lower() in _PAGE_NAMES):
        return tuple(folders)
    return (*folders, last)


def _segments(path: str) -> list[str]:
    """What lies between the slashes; always at least one, empty after a slash at the end."""
    kept: list[str] = []
    raw = [unquote(segment) for segment in path.split("/")[1:]] or [""]
    for segment in raw:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if raw[-1] in (".", "..") or not kept:
        kept.append("")
    return kept
