"""RSS and Atom to text: the feed's title, then each entry's title and content, in document order (`feed@1`).

(RSS 2.0, RSS 1.0, RFC 4287.) Entities of its own are not resolved, and nothing is fetched. What an entry holds as
markup is read as a page shows it (`workers.extract.visible`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from html import entities
from typing import Any, Final

from lxml import etree

from schemas.records.snapshot import Heading
from workers.extract.dates import iso_date
from workers.extract.headings import locate_headings
from workers.extract.plain import clean_text, without_surrogates
from workers.extract.visible import read_visible

MAX_ENTRIES: Final = 10_000
MAX_LINKS: Final = 2000
_ROOTS: Final = frozenset({"rss", "RDF", "feed"})
_CONTENTS: Final = ("encoded", "content", "description", "summary")
"""The fullest first; one of them is read."""
_AMPERSAND = re.compile(r"&(?:(#[0-9]{1,7};|#[xX][0-9A-Fa-f]{1,6};)|([A-Za-z][A-Za-z0-9]{0,30});)?")
_OWN: Final = {"amp": "&#38;", "lt": "&#60;", "gt": "&#62;", "quot": "&#34;", "apos": "&#39;"}
"""As numbers: after an error a recovering parser leaves the names out of the text, without a word."""
ENTITIES: Any = "internal"
"""Of nothing outside the document; the stubs of lxml know a `bool` only."""
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class FeedContent:
    """`text` is in text-v1. Headings are the titles of entries."""

    text: str
    headings: tuple[Heading, ...]
    links: tuple[str, ...]
    links_complete: bool
    title: str | None
    author: str | None
    published_at: str | None
    language: str | None


@dataclass(frozen=True, slots=True)
class NoFeed:
    """No feed, or none that can be read whole; `root` is the name of the document's element, if it has one."""

    reason: str
    root: str | None = None


def extract_feed(source: str, *, latest: date) -> FeedContent | NoFeed:
    """Read a decoded XML document that was retrieved on the day `latest` (UTC)."""
    root = _parse(source)
    if isinstance(root, NoFeed):
        return root
    name = _local(root)
    if name not in _ROOTS:
        return NoFeed("feed.none", name)
    entries = list(root.iter("{*}item", "{*}entry"))
    if len(entries) > MAX_ENTRIES:
        return NoFeed(f"feed.more-than-{MAX_ENTRIES}-entries", name)
    head = root if name == "feed" else next(root.iter("{*}channel"), root)
    titles = [_text(_child(entry, "title")) for entry in entries]
    lines = [_text(_child(head, "title")), _text(_child(head, "description", "subtitle"))]
    for entry, title in zip(entries, titles, strict=True):
        lines += [title, _content(entry)]
    text = clean_text("\n".join(line for line in lines if line))
    links = list(dict.fromkeys(_links(root)))
    return FeedContent(
        text=text,
        headings=locate_headings(((2, title) for title in titles if title), text),
        links=tuple(links[:MAX_LINKS]),
        links_complete=len(links) <= MAX_LINKS,
        title=lines[0] or None,
        author=_text(_child(head, "author", "creator", "managingEditor")) or None,
        published_at=iso_date(_text(_child(head, "updated", "lastBuildDate", "pubDate", "date")), latest),
        language=_text(_child(head, "language")) or root.get("{http://www.w3.org/XML/1998/namespace}lang"),
    )


def _parse(source: str) -> etree._Element | NoFeed:
    """Strictly; then as far as a recovering parser gets, if that is to the end."""
    data = _CONTROLS.sub("", without_surrogates(_DECLARATION.sub("", source, count=1).lstrip()))
    encoded = _AMPERSAND.sub(_reference, data).encode("utf-8")
    for recover in (False, True):
        parser = etree.XMLParser(
            encoding="utf-8", resolve_entities=ENTITIES, no_network=True, load_dtd=False, huge_tree=False,
            remove_comments=True, remove_pis=True, recover=recover,
        )  # fmt: skip
        try:
            root = etree.fromstring(encoded, parser)
        except etree.XMLSyntaxError:
            continue
        if root is None:
            break
        if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
            return NoFeed("feed.larger-than-a-tree", _local(root))
        return root
    return NoFeed("feed.broken-xml")


def _reference(found: re.Match[str]) -> str:
    """HTML's names, which feeds use without declaring them, as characters. What is no reference, or one to an entity
    of the document's own, is text: so there is nothing to resolve, and nothing that a recovering parser leaves out."""
    name = found[2]
    if found[1]:
        return found[0]
    if name in _OWN:
        return _OWN[name]
    return entities.html5.get(f"{name};", "&amp;" + found[0][1:]) if name else "&amp;"


def _content(entry: etree._Element) -> str:
    """The lines of an entry's fullest content."""
    element = next((child for name in _CONTENTS if (child := _child(entry, name)) is not None), None)
    if element is None:
        return ""
    if len(element):  # markup as such: Atom's `xhtml`
        return read_visible(etree.tostring(element, encoding="unicode", with_tail=False)).text
    return read_visible(element.text or "").text


def _text(element: etree._Element | None) -> str:
    """One line; markup within, escaped or not, is taken out."""
    if element is None:
        return ""
    whole = "".join(str(piece) for piece in element.itertext())
    return " ".join(read_visible(whole).text.split())


def _child(parent: etree._Element, *names: str) -> etree._Element | None:
    """The first child of the first of these names that there is, in any namespace."""
    for name in names:
        for child in parent:
            if _local(child) == name:
                return child
    return None


def _links(root: etree._Element) -> Iterator[str]:
    for element in root.iter("{*}link"):
        href = (element.get("href") or element.text or "").strip()
        if href.lower().startswith(("http://", "https://", "/")) and len(href) <= 2048:
            yield href


def _local(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
