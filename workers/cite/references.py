"""References of a report: what stands behind each number, for readers and for other programs. Pure.

Only what is cited and was opened is a reference (R117, X23): a number comes from a snapshot, and a rendering is given
the numbers that it is for. The order in which numbers are shown is a map of the rendering and changes no number (X10).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from schemas.records.claim import Support
from schemas.records.snapshot import Snapshot
from schemas.records.source import Tier

_ARXIV_VERSION = re.compile(r"^https?://(?:www\.)?arxiv\.org/(?:abs|pdf|html)/.*?(v[0-9]{1,3})(?:\.pdf)?$")

_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class QuoteLink:
    """A passage of a cited snapshot, with a link that leads a reader to it."""

    claim_id: str
    support: Support
    quote: str
    url: str
    snapshot_id: str


@dataclass(frozen=True, slots=True)
class Version:
    """One archived state of what a number stands for."""

    snapshot: Snapshot
    url: str | None
    """Where the archived copy is served; None where nobody says."""

    @property
    def name(self) -> str:
        """The title that the page had then, or its address."""
        return _in_order(self.snapshot.title) or self.snapshot.final_url


@dataclass(frozen=True, slots=True)
class Reference:
    """One number with the snapshot that it shows: the last one that was cited under it."""

    number: int
    shown: int
    """What the reader sees in the place of the number."""
    snapshot: Snapshot
    tier: Tier
    source_channel: str
    sections: tuple[str, ...]
    title: str | None = None
    earlier: tuple[Snapshot, ...] = ()
    """Other snapshots that were cited under this number."""
    quotes: tuple[QuoteLink, ...] = ()
    archive_base: str | None = None
    """Where mementos are served, for `<base>/<14 digits>/<url>`."""

    @property
    def name(self) -> str:
        """The page's title, or its address."""
        return _in_order(self.snapshot.title or self.title) or self.snapshot.final_url

    @property
    def authors(self) -> tuple[str, ...]:
        """As the page names them; no given and family names are guessed."""
        return tuple(name.strip() for name in _in_order(self.snapshot.author).split(";") if name.strip())

    @property
    def publisher(self) -> str:
        """As the page names it; empty where it does not."""
        return _in_order(self.snapshot.publisher)

    @property
    def version(self) -> str | None:
        """The version of a work that was cited, where the address tells it (X5)."""
        found = _ARXIV_VERSION.match(self.snapshot.final_url)
        return found[1] if found else None

    @property
    def version_url(self) -> str | None:
        """Where the archived copy is served; None where nobody says."""
        return self._served(self.snapshot)

    @property
    def also(self) -> tuple[Version, ...]:
        """The other states that were cited under this number, in the order of their first use (X5)."""
        return tuple(Version(one, self._served(one)) for one in self.earlier)

    def version_of(self, link: QuoteLink) -> Version:
        """The state in which a quote stands, which need not be the one that the reference shows."""
        shots = (self.snapshot, *self.earlier)
        shot = next((one for one in shots if one.id == link.snapshot_id), self.snapshot)
        return Version(shot, self._served(shot))

    def _served(self, shot: Snapshot) -> str | None:
        if self.archive_base is None:
            return shot.archive_url
        digits = "".join(c for c in shot.retrieved_at[:19] if c.isdigit())
        return f"{self.archive_base.rstrip('/')}/{digits}/{shot.final_url}"

    @property
    def published(self) -> str | None:
        """The day, as far as the page tells it: `2026`, `2026-11` or `2026-11-29`."""
        found = re.match(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?", self.snapshot.published_at or "")
        return found[0] if found else None

    @property
    def unverified_merge(self) -> bool:
        """Whether addresses that share this number gave different texts (X1)."""
        others = [other for other in self.earlier if other.source_id != self.snapshot.source_id]
        return any(other.text_sha256 != self.snapshot.text_sha256 for other in others)


def _in_order(text: str | None) -> str:
    """Without characters that turn the direction of what follows them: a title that leaves one open would have the date
    and the address behind it read backwards. Marks of direction stay."""
    return _TURNS.sub("", text or "")


def markdown(references: Iterable[Reference]) -> str:
    """One reference a line, each a paragraph of its own."""
    return "\n".join(f"\\[{one.shown}\\] {_sentence(one)}\n" for one in references)


def _sentence(one: Reference) -> str:
    parts = [
        "; ".join(map(_escaped, one.authors)),
        f"“{_escaped(one.name)}”",
        ", ".join(map(_escaped, filter(None, (one.publisher, one.published, one.version)))),
        f"<{_address(one.snapshot.final_url)}>",
        f"Archived {one.snapshot.retrieved_at}" + (f": <{_address(one.version_url)}>" if one.version_url else ""),
    ]
    also = "".join(f". {_also(one, version)}" for version in one.also)
    return ". ".join(part for part in parts if part) + f" ({one.snapshot.id}){also}."


def _also(one: Reference, version: Version) -> str:
    """Another cited state of the same number: its address where that is another, its time, its copy, its snapshot."""
    shot = version.snapshot
    address = f": <{_address(shot.final_url)}>," if shot.final_url != one.snapshot.final_url else ","
    copy = f": <{_address(version.url)}>" if version.url else ""
    return f"Also cited{address} archived {shot.retrieved_at}{copy} ({shot.id})"


def _escaped(text: str) -> str:
    """Text of a page in a line of Markdown: nothing of it is markup, and it is one line."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", " ".join(text.split()))


def _address(url: str) -> str:
    return quote(url, safe="!#$%&'()*+,/:;=?@[]~._-|^`{}\"\\").replace("\\", "%5C")
