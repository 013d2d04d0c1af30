"""Discover: the links of a segment's pages become URLs of their job. Start at `segment.take_links`.

A flow of the extract stage, for jobs that ask for it, since links come out of the same reading as text.
"""

from workers.discover.exclude import MOST_PATTERNS
from workers.discover.sitemap import Entry, Member, Refused, is_relative
from workers.discover.sitemap import read_sitemap as sitemap_entries
from workers.flows.discover.orders import CrawlOrder, CrawlOrders, exclusions
from workers.flows.discover.ports import DiscoverPorts
from workers.flows.discover.segment import Discovery
from workers.flows.discover.stored import Replay, replay_links

__all__ = [
    "MOST_PATTERNS",
    "CrawlOrder",
    "CrawlOrders",
    "DiscoverPorts",
    "Discovery",
    "Entry",
    "Member",
    "Refused",
    "Replay",
    "exclusions",
    "is_relative",
    "replay_links",
    "sitemap_entries",
]
