"""References gathered from one document, and the addresses that they mean.

A reference is raw until the document has been read to its end, since its `base` element may come late.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.records.requisite import RequisiteKind
from schemas.urls.error import UrlError
from schemas.urls.parse import resolve
from schemas.urls.wire import wire_url

MAX_REFERENCE_CHARACTERS = 8192  # a longer address is inline data, or no server takes it
MAX_FOUND = 1000  # of one document; 300 of a page are fetched
MAX_REFERENCES = 20_000  # raw ones, before they are resolved: a hostile page repeats what leads nowhere
MAX_PLACE_CHARACTERS = 80

_BLANKS = " \t\n\r\f"
_NEVER_FETCHED = ("data:", "blob:", "javascript:", "about:", "mailto:", "#")


@dataclass(frozen=True, slots=True)
class Found:
    """One requisite: an address as it is fetched, what it is to the page, and where it stands (`img/@src`)."""

    url: str
    kind: RequisiteKind
    place: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What one document names, in the order in which it is met, each address once."""

    found: tuple[Found, ...]
    complete: bool
    """False: a bound was reached (size, number, depth), and something may have been passed over."""


class References:
    """Raw references of one document, in order. Bounded in number and in the length of each."""

    def __init__(self) -> None:
        self.complete = True
        self._raw: dict[str, tuple[RequisiteKind, str]] = {}

    def add(self, reference: str, kind: RequisiteKind, place: str) -> None:
        """Note a reference. The first kind that an address is met as counts."""
        if reference[:16].lstrip(_BLANKS)[:11].lower().startswith(_NEVER_FETCHED):
            return
        raw = reference.strip(_BLANKS)
        if not raw or raw in self._raw:
            return
        if len(raw) > MAX_REFERENCE_CHARACTERS or len(self._raw) >= MAX_REFERENCES:
            self.complete = False
            return
        self._raw[raw] = (kind, place[:MAX_PLACE_CHARACTERS])

    def resolved(self, document_url: str, base: str | None = None) -> Findings:
        """Addresses in the web that the references mean. `base`: the first `base` element's href, as it stands."""
        root = _base(document_url, base)
        itself = wire_url(document_url)
        found: dict[str, Found] = {}
        for raw, (kind, place) in self._raw.items():
            url = _address(root, raw)
            if url is None or url == itself or url in found:
                continue
            if len(found) >= MAX_FOUND:
                self.complete = False
                break
            found[url] = Found(url, kind, place)
        return Findings(tuple(found.values()), self.complete)


def _base(document_url: str, base: str | None) -> str:
    """HTML, 2.4.2: a base that is no address, or is inline data, counts for nothing."""
    if base is None or len(base) > MAX_REFERENCE_CHARACTERS:
        return document_url
    return _address(document_url, base.strip(_BLANKS)) or document_url


def _address(root: str, reference: str) -> str | None:
    """What is fetched for a reference, or None where nothing is: another scheme, no host, no URL at all."""
    target = resolve(root, reference)
    if isinstance(target, UrlError):
        return None
    fetched = wire_url(target)
    return None if isinstance(fetched, UrlError) or len(fetched) > MAX_REFERENCE_CHARACTERS else fetched
