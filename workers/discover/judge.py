"""One link, one verdict: what is asked of it, in which order, and the reason that it fails for.

Scope comes first, so that of a link to another site nothing else is ever said; then what the owner of the job excludes,
what the owner of the page asks, and traps. Budgets are not decided here: they depend on what the job has already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from schemas.records.discovered import LeftOutReason
from schemas.records.snapshot import RobotsDirective
from schemas.urls.error import UrlError
from schemas.urls.identity import NormalizedUrl
from schemas.urls.location import HttpLocation, read_http_url
from schemas.urls.request import identity_of_request
from workers.discover.calendar import is_endless_calendar
from workers.discover.exclude import Exclusion
from workers.discover.scope import CrawlScope
from workers.discover.traps import (
    has_endless_query,
    is_deep,
    is_long,
    names_a_session,
    query_form,
    repeats_its_path,
)

_NOFOLLOW = frozenset({"nofollow", "none"})


@dataclass(frozen=True, slots=True)
class LinkRules:
    """What a job asks of links."""

    scope: CrawlScope
    excluded: tuple[Exclusion, ...] = ()
    obeys_nofollow: bool = True


@dataclass(frozen=True, slots=True)
class PageSays:
    """What matters of the page on which a link stands. `retrieved_on`: the day, in UTC."""

    retrieved_on: date
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Followed:
    """A link to follow, as far as budgets let it."""

    requested_url: str
    normalized_url: str
    form: str | None
    """What it shares with its variations (`traps.query_form`)."""


def judge(url: str, page: PageSays, rules: LinkRules, *, nofollow: bool) -> Followed | LeftOutReason:
    """What becomes of an absolute link. `nofollow`: it is marked so each time that the page has it."""
    asked = _in_scope(url, page, rules, nofollow=nofollow)
    if isinstance(asked, LeftOutReason):
        return asked
    address, location = asked
    trap = _trap(address, location, page.retrieved_on)
    if trap is not None:
        return trap
    return Followed(url, address, query_form(location))


def judge_listed(url: str, page: PageSays, rules: LinkRules) -> Followed | LeftOutReason:
    """What becomes of an entry of a sitemap. A site names these one by one, so no trap is looked for in them."""
    asked = _in_scope(url, page, rules, nofollow=False)
    if isinstance(asked, LeftOutReason):
        return asked
    return LeftOutReason.LONG_URL if is_long(asked[0]) else Followed(url, asked[0], None)


def asks_not_to_follow(directives: Sequence[RobotsDirective], robot: str) -> bool:
    """Whether a page or its server asks robots, all or this one, not to follow its links. What it says to this one by
    name (`robot`: in lower case) goes before what it says to all."""
    own = [each for each in directives if each.agent == robot]
    addressed = own or [each for each in directives if each.agent is None]
    return any(each.directive in _NOFOLLOW for each in addressed)


def _in_scope(
    url: str, page: PageSays, rules: LinkRules, *, nofollow: bool
) -> tuple[NormalizedUrl, HttpLocation] | LeftOutReason:
    identity = identity_of_request(url)
    if isinstance(identity, UrlError):
        return LeftOutReason.NOT_A_URL
    location = read_http_url(identity.url)
    if isinstance(location, UrlError):
        return LeftOutReason.NOT_A_URL
    if not rules.scope.contains(location):
        return LeftOutReason.OUTSIDE
    if any(each.matches(identity.url) for each in rules.excluded):
        return LeftOutReason.EXCLUDED
    if rules.obeys_nofollow and (page.nofollow or nofollow):
        return LeftOutReason.PAGE_NOFOLLOW if page.nofollow else LeftOutReason.NOFOLLOW
    return identity.url, location


def _trap(url: str, location: HttpLocation, today: date) -> LeftOutReason | None:
    if is_long(url):
        return LeftOutReason.LONG_URL
    if is_deep(location):
        return LeftOutReason.DEEP_PATH
    if repeats_its_path(location):
        return LeftOutReason.REPEATED_PATH
    if names_a_session(location):
        return LeftOutReason.SESSION_ID
    if has_endless_query(location):
        return LeftOutReason.ENDLESS_QUERY
    return LeftOutReason.CALENDAR if is_endless_calendar(location, today) else None
