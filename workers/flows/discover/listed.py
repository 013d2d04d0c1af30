"""What a sitemap lists, as the discover flow is given it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine

NOTHING_READ: Final = "nothing was read"
"""How `unread` ends where a sitemap's address answered with none."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What one sitemap lists, in its order. `unread`: why not all of it was read; empty where it was."""

    urls: tuple[str, ...]
    unread: str = ""
    is_sitemap: bool = True
    """Whether it is one, and not something else under a sitemap's address; links of that are those of any page."""


class SitemapReader(Protocol):
    """Finds the sitemaps among the pages of a segment."""

    async def __call__(
        self, receipt: Receipt, lines: Sequence[SnapshotLine], depths: Mapping[str, int]
    ) -> Mapping[str, Listed]:
        """By normalized URL. `depths`: the least that pages were found at. CorruptError where one is not what was
        stored."""
