"""The links of a captured page that a job follows, and why it does not follow the others.

Written before anything of it is queued (`scheduler/README.md`, "Crawls"): what a crawl has found is in the archive,
not in Redis.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from schemas.records.base import Count, Id, ParameterId, Record, ShortText, Url
from schemas.records.outcome import Outcome


class LeftOutReason(StrEnum):
    """Why a link is not followed."""

    OUTSIDE = "outside"
    EXCLUDED = "excluded"
    NOT_A_URL = "not-a-url"
    LONG_URL = "trap-long-url"
    DEEP_PATH = "trap-deep-path"
    REPEATED_PATH = "trap-repeated-path"
    SESSION_ID = "trap-session-id"
    ENDLESS_QUERY = "trap-endless-query"
    CALENDAR = "trap-calendar"
    NOFOLLOW = "nofollow"
    PAGE_NOFOLLOW = "page-nofollow"
    JOB_BUDGET = "job-budget"
    HOST_BUDGET = "host-budget"
    QUERY_BUDGET = "query-budget"

    @property
    def outcome(self) -> Outcome:
        """The reason in the one vocabulary of outcomes."""
        if self in (LeftOutReason.JOB_BUDGET, LeftOutReason.HOST_BUDGET, LeftOutReason.QUERY_BUDGET):
            return Outcome.BUDGET_SPENT
        if self in (LeftOutReason.NOFOLLOW, LeftOutReason.PAGE_NOFOLLOW):
            return Outcome.ROBOTS_DENIED
        return Outcome.OUT_OF_SCOPE


class FoundLink(Record):
    """A link that is followed. Its depth is that of its page and one more."""

    requested_url: Url
    """As the page has it, resolved, without fragment."""
    normalized_url: Url
    nearer: bool = False
    """The job knew it already, by a longer way."""


class LeftOutLinks(Record):
    """Links of one page that are not followed for one reason."""

    reason: LeftOutReason
    links: Count
    examples: tuple[Url, ...] = Field(default=(), max_length=3)


class PageLinks(Record):
    """One line of `discovered/<job>/<segment>-<part>.jsonl.gz`: what one page brought its job."""

    schema_id: Literal["citevault/page-links@1"] = Field(alias="schema")
    page: Url
    """Normalized URL of the page as the job asked for it."""
    visit: Count
    depth: Count
    """Links between a seed and this page, by the shortest way that was known."""
    snapshot_id: Id
    suffix_list: ParameterId
    """Which public suffix list was in force."""
    links: tuple[FoundLink, ...] = ()
    """Those that the job had not queued before, or knew by a longer way."""
    known: Count = 0
    """Links in scope that it had."""
    left_out: tuple[LeftOutLinks, ...] = ()
    complete: bool = True
    """False: the page has more links than are read."""
    unread: ShortText | None = None
    """Of a sitemap: why not all of it was read."""
