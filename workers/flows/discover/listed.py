"""What a sitemap lists, as the discover flow is given it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemas.records.receipt import Receipt
from schemas.records.snapshot import SnapshotLine


@dataclass(frozen=True, slots=True)
class Listed:
    """What one sitemap lists, in its order. `unread`: why not all of it was read; empty where it was."""

    urls: tuple[str, ...]
    unread: str = ""


class SitemapReader(Protocol):
    """Finds the sitemaps among the pages of a segment."""

    async def __call__(
        self, receipt: Receipt, lines: Sequence[SnapshotLine], depths: Mapping[str, int]
    ) -> Mapping[str, Listed]:
        """By normalized URL. `depths`: the least that pages were found at. CorruptError where one is not what was
        stored."""
