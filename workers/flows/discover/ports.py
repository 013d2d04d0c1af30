"""What the discover flow is given."""

from __future__ import annotations

from dataclasses import dataclass

from workers.flows.discover.listed import SitemapReader
from workers.ports import Catalog, FoundUrls, Frontier, ObjectStore


@dataclass(frozen=True, slots=True)
class DiscoverPorts:
    store: ObjectStore
    catalog: Catalog
    frontier: Frontier
    found: FoundUrls
    sitemaps: SitemapReader
    robot: str
    """Name by which pages address this robot, in lower case."""
