"""Title, author, publisher, dates, language, canonical and links, as the page declares them.

Our own reading rather than trafilatura's: that one does not say where a date came from, sorts and
cleans URLs, and costs nearly as much as the text. Only where
no date is declared does htmldate look for one, with the day of retrieval as its latest date, never
the clock, and without its free search, which takes any year for a publication.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from htmldate import find_date
from lxml.etree import XPath
from lxml.html import HtmlElement

from schemas.records.snapshot import RobotsDirective
from workers.extract.dates import iso_date
from workers.extract.json_ld import LinkedData, read_linked_data
from workers.extract.plain import without_surrogates
from workers.extract.robots_directives import meta_directives

MAX_SCRIPTS = 50
MAX_ITEMPROPS = 2000
MAX_FIELD_CHARACTERS = 1000
_WITH_ITEMPROP = XPath("descendant::*[@itemprop]")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,4}")

_TITLES: Final = ("og:title", "citation_title", "dc.title", "dcterms.title", "twitter:title", "parsely-title")
_AUTHORS: Final = (
    "author",
    "article:author",
    "citation_author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "byl",
)
_PUBLISHERS: Final = (
    "og:site_name",
    "article:publisher",
    "citation_journal_title",
    "dc.publisher",
    "dcterms.publisher",
    "publisher",
    "application-name",
)
_PUBLISHED: Final = (
    "article:published_time",
    "og:article:published_time",
    "citation_publication_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "dcterms.created",
    "dcterms.date",
    "datepublished",
    "date",
    "pubdate",
    "publishdate",
    "publish-date",
    "parsely-pub-date",
    "sailthru.date",
)
_MODIFIED: Final = (
    "article:modified_time",
    "og:updated_time",
    "dcterms.modified",
    "dc.date.modified",
    "datemodified",
    "last-modified",
    "lastmod",
)
"""Names of `meta` elements, the most trusted first."""


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """What the page says. Hrefs are raw: resolving them needs the page's address, which is not of the payload."""

    title: str | None
    author: str | None
    publisher: str | None
    published_at: str | None
    published_source: str | None
    """Where the date stood, such as `json-ld:datePublished`, `meta:article:published_time`, `htmldate`."""
    modified_at: str | None
    language: str | None
    canonical: str | None
    base: str | None
    accessible_for_free: bool | None
    robots_directives: tuple[RobotsDirective, ...]


def read_metadata(tree: HtmlElement, latest: date) -> PageMetadata:
    """Read a parsed page that was retrieved on the day `latest`. The tree is left as it is."""
    scripts = tree.iterfind('.//script[@type="application/ld+json"]')
    data = read_linked_data(script.text for _, script in zip(range(MAX_SCRIPTS), scripts, strict=False) if script.text)
    metas = _metas(tree)
    itemprops = _itemprops(tree)
    published_at, published_source = _published(tree, metas, itemprops, data, latest)
    modified = (data.modified, *_values(metas, _MODIFIED), *_values(itemprops, ("dateModified",)))
    return PageMetadata(
        title=_first(metas, _TITLES) or data.headline or _heading_or_title(tree),
        author=data.author or _people(metas, _AUTHORS) or _byline(tree, itemprops),
        publisher=data.publisher or _people(metas, _PUBLISHERS),
        published_at=published_at,
        published_source=published_source,
        modified_at=next((found for value in modified if value and (found := iso_date(value, latest))), None),
        language=_language(tree, metas, data),
        canonical=_canonical(tree),
        base=next((href for base in tree.iterfind(".//base") if (href := base.get("href"))), None),
        accessible_for_free=data.free,
        robots_directives=meta_directives(_named(tree)),
    )


Metas = Mapping[str, tuple[str, ...]]


def _metas(tree: HtmlElement) -> Metas:
    """All values of `meta` by name, property or http-equiv, in lower case and in document order."""
    found: dict[str, list[str]] = {}
    for element in tree.iter("meta"):
        value = _clean(element.get("content") or "")
        names = [element.get(key) for key in ("name", "property", "http-equiv")]
        for name in {name.strip().lower() for name in names if name} if value else ():
            found.setdefault(name, []).append(value)
    return MappingProxyType({name: tuple(values) for name, values in found.items()})


def _named(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    """Name and content of `meta` elements, as text that UTF-8 can hold."""
    for element in tree.iter("meta"):
        name, content = element.get("name"), element.get("content")
        if name and content:
            yield name, without_surrogates(content)


def _published(
    tree: HtmlElement, metas: Metas, itemprops: Metas, data: LinkedData, latest: date
) -> tuple[str | None, str | None]:
    candidates = [("json-ld:datePublished", data.published or "")]
    candidates += [(f"meta:{name}", value) for name in _PUBLISHED for value in metas.get(name, ())]
    candidates += [("itemprop:datePublished", value) for value in itemprops.get("datePublished", ())]
    candidates += [("time:pubdate", e.get("datetime") or "") for e in tree.iterfind(".//time[@pubdate]")]
    for source, value in candidates:
        if (found := iso_date(value, latest)) is not None:
            return found, source
    try:
        guess = find_date(
            tree, extensive_search=False, original_date=True, max_date=f"{latest.isoformat()}T23:59:59", url=None
        )
    except (ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError):
        return None, None  # its parsers meet dates that nobody has thought of; the text is worth more
    found = iso_date(guess, latest) if guess else None
    return (found, "htmldate") if found else (None, None)


def _language(tree: HtmlElement, metas: Metas, data: LinkedData) -> str | None:
    root = tree.getroottree().getroot()
    values = (root.get("lang"), root.get("xml:lang"), *_values(metas, ("content-language", "og:locale")), data.language)
    for value in values:
        first = (value or "").split(",")[0].strip()
        if _LANGUAGE.fullmatch(first):
            return first.replace("_", "-")
    return None


def _canonical(tree: HtmlElement) -> str | None:
    """RFC 6596: the first `link` whose relations name `canonical`; a hint, never a merge (R033)."""
    for element in tree.iterfind(".//link[@href]"):
        if "canonical" in (element.get("rel") or "").lower().split():
            return element.get("href").strip() or None
    return None


def _heading_or_title(tree: HtmlElement) -> str | None:
    headings = tree.findall(".//h1")
    if len(headings) == 1 and (text := _clean(headings[0].text_content())):
        return text
    title = tree.find(".//title")
    return _clean(title.text_content()) or None if title is not None else None


def _byline(tree: HtmlElement, itemprops: Metas) -> str | None:
    links = (_clean(element.text_content()) for element in tree.iterfind('.//a[@rel="author"]'))
    return next((text for text in (*itemprops.get("author", ()), *links) if 2 < len(text) < 120), None)


def _itemprops(tree: HtmlElement) -> Metas:
    """Machine-readable values of elements with `itemprop`, by its words, and the text of authors."""
    found: dict[str, list[str]] = {}
    marked = _WITH_ITEMPROP(tree)
    for element in marked[:MAX_ITEMPROPS] if isinstance(marked, list) else ():
        if not isinstance(element, HtmlElement):
            continue
        value = element.get("content") or element.get("datetime")
        names = element.get("itemprop", "").split()
        if value is None and "author" in names:
            inner = element.find('.//*[@itemprop="name"]')
            value = (element if inner is None else inner).text_content()
        for name in names if value else ():
            found.setdefault(name, []).append(_clean(value or ""))
    return MappingProxyType({name: tuple(values) for name, values in found.items()})


def _values(metas: Metas, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        yield from metas.get(name, ())


def _first(metas: Metas, names: tuple[str, ...]) -> str | None:
    return next(_values(metas, names), None)


def _people(metas: Metas, names: tuple[str, ...]) -> str | None:
    """All values of the first name that has any, links left out."""
    for name in names:
        values = [v for v in dict.fromkeys(metas.get(name, ())) if not v.startswith(("http://", "https://", "@"))]
        if values:
            return "; ".join(values[:50])
    return None


def _clean(text: str) -> str:
    return " ".join(text[: 4 * MAX_FIELD_CHARACTERS].split())[:MAX_FIELD_CHARACTERS]
