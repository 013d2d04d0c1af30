"""Addresses that a page links to: raw hrefs inside the sandbox, resolved outside where the page's address is known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lxml.html import HtmlElement

from schemas.urls.error import UrlError
from schemas.urls.parse import resolve

MAX_LINKS = 2000
MAX_HREF_CHARACTERS = 2048
MAX_REL_CHARACTERS = 1000
_NO_PAGES = ("#", "javascript:", "mailto:", "tel:", "data:", "sms:", "blob:", "about:")
_CHARACTERS = r"[A-Za-z0-9_~!$&()*+,;=:@%/.-]*"
_ORIGIN = r"https?://(?:(?!xn--)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}"
_ABSOLUTE = re.compile(rf"{_ORIGIN}/{_CHARACTERS}(?:\?{_CHARACTERS})?")
_ROOTED = re.compile(rf"/(?:(?!/){_CHARACTERS})?(?:\?{_CHARACTERS})?")
_BARE_ORIGIN = re.compile(_ORIGIN)
_DOTS = re.compile(r"/(?:\.|%2e)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Links:
    """Hrefs of a page in document order, each spelling once, as they stand in it."""

    hrefs: tuple[str, ...]
    nofollow: tuple[str, ...] = ()
    """Those that every element with them marks `rel="nofollow"`."""
    complete: bool = True
    """False: there are more than 2,000."""


def read_links(tree: HtmlElement) -> Links:
    """Hrefs of `a` and `area`, at most 2,000."""
    return collect_links((element.get("href") or "", element.get("rel") or "") for element in tree.iter("a", "area"))


def collect_links(found: Iterable[tuple[str, str]]) -> Links:
    """Of `href` and `rel` as they stand in a document, in its order, what may lead to a page; at most 2,000."""
    kept: dict[str, bool] = {}
    complete = True
    for href, rel in found:
        href = href.strip()
        if href and len(href) <= MAX_HREF_CHARACTERS and not href.lower().startswith(_NO_PAGES):
            if href not in kept and len(kept) >= MAX_LINKS:
                complete = False
                break
            marked = "nofollow" in rel[:MAX_REL_CHARACTERS].lower().split()
            kept[href] = kept.get(href, True) and marked
    return Links(tuple(kept), tuple(href for href, marked in kept.items() if marked), complete)


def resolution_base(page_url: str, base: str | None) -> str:
    """The address that hrefs of a page are resolved against: its first `base` element's, if that is a web address."""
    if base is None:
        return page_url
    return resolve_link(page_url, base) or page_url


def resolve_link(root: str, href: str) -> str | None:
    """The http(s) address that an href means, its bytes kept; None where it means none.

    Nine hrefs of ten are whole addresses or paths from the root in plain characters and without dot
    segments. What these mean is plain too, and taking it costs a fiftieth of a full resolution (a
    property test holds the two equal).
    """
    if not _DOTS.search(href):
        if _ABSOLUTE.fullmatch(href):
            return href
        origin = _BARE_ORIGIN.match(root) if _ROOTED.fullmatch(href) else None
        if origin is not None and root[origin.end() : origin.end() + 1] in ("", "/", "?", "#"):
            return origin[0] + href
    target = resolve(root, href)
    if isinstance(target, UrlError) or not target.lower().startswith(("http://", "https://")):
        return None
    return target


def resolve_links(page_url: str, base: str | None, hrefs: Iterable[str]) -> tuple[str, ...]:
    """Addresses of all links, fragments left out, each once, the page itself left out."""
    root = resolution_base(page_url, base)
    here = page_url.partition("#")[0]
    found: dict[str, None] = {}
    for href in hrefs:
        target = resolve_link(root, href.partition("#")[0])
        if target is not None and target != here:
            found[target] = None
    return tuple(found)
