"""What somebody asked to be archived. A search hit is retrieval history, never evidence (R004, R017)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Count, Id, LongText, Record, Sha256, ShortText, Url, UtcTime

SITEMAP_LEVELS: Final = 4
"""How far from a seed sitemaps are read: robots.txt, an index, an index within it, a sitemap."""
CollectionName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]


class SearchHit(Record):
    """One row of a provider's answer. It has no field that could be taken for evidence of a claim."""

    url: Url
    query: ShortText | None = None
    provider: ShortText | None = None
    rank: Count | None = None
    title: ShortText | None = None
    snippet: ShortText | None = None


class Scope(StrEnum):
    """How far a crawl may go from its seed."""

    PAGE = "page"
    PREFIX = "prefix"
    HOST = "host"
    DOMAIN = "domain"


class RobotsPolicy(StrEnum):
    OBEY = "obey"
    IGNORE = "ignore"


class Lane(StrEnum):
    """Which workers take it: one page asked for by a person never waits behind bulk."""

    INTERACTIVE = "interactive"
    BULK = "bulk"


class JobOptions(Record):
    depth: Count = 0
    scope: Scope = Scope.PAGE
    requisites: bool = True
    """Whether pages are captured with what they need to look as they did."""
    exclude: tuple[ShortText, ...] = ()
    """Patterns of URLs that are not followed."""
    max_pages: Count = 100_000
    """Pages that are found by links, at most; seeds are not counted."""
    max_pages_per_host: Count = 10_000
    """The same of one host and port."""
    render: bool = False
    robots: RobotsPolicy = RobotsPolicy.OBEY
    allow_networks: tuple[ShortText, ...] = ()
    insecure_tls: bool = False
    fresh: bool = False
    """Fetch everything in full: no request asks whether something has changed."""
    sitemaps: bool = False
    """Whether the pages are archived that sitemaps among the pages list, and the sitemaps that a robots.txt names."""

    @property
    def follow_depth(self) -> int:
        """How many links from a seed pages may be so that their own are looked at; 0: those of none."""
        return max(self.depth, SITEMAP_LEVELS if self.sitemaps else 0)


class Seed(Record):
    """One good line of the input: a distinct resource of the job, with every spelling that asked for it."""

    line: Count
    requested_url: Url
    normalized_url: Url
    fragment: LongText | None = None
    userinfo_removed: bool = False
    also: tuple[Url, ...] = ()
    """Other spellings of the same resource, in the order in which they were met."""
    hits: tuple[SearchHit, ...] = ()
    visit: Annotated[int, Field(ge=1)] | None = None
    """Which visit of the resource this is, where its job does not say it for all of them."""


class BadLine(Record):
    """One line of the input that could not be taken, kept with the job so that nothing vanishes."""

    line: Count
    code: ShortText
    message: ShortText
    excerpt: ShortText = ""
    """At most 200 characters of the line, undecodable bytes escaped."""


class JobFile(Record):
    """A job as a person writes it down and keeps it under version control."""

    schema_id: Literal["citevault/job@1"] = Field(alias="schema")
    collection: CollectionName = "default"
    urls: tuple[Url, ...] = Field(min_length=1)
    options: JobOptions = JobOptions()


class SeedPart(Record):
    """One object of a job's seeds: gzip JSONL of `Seed`."""

    key: ShortText
    sha256: Sha256
    seeds: Count


class StoredJob(Record):
    """A job as it lies in the archive: durable before anything is queued."""

    schema_id: Literal["citevault/stored-job@1"] = Field(alias="schema")
    id: Id
    collection: CollectionName
    lane: Lane
    created_at: UtcTime
    visit: Count = 1
    options: JobOptions
    seed_parts: tuple[SeedPart, ...]
    bad_lines_key: ShortText | None = None
    lines: Count
    seeds: Count
    duplicates: Count
    bad_lines: Count
