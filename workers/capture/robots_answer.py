"""What an attempt to fetch robots.txt means for a site (RFC 9309, 2.3.1)."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.records.outcome import Outcome
from workers.capture.coding import Undecodable, decoded_prefix
from workers.capture.redirects import REDIRECTS
from workers.capture.robots import MAX_ROBOTS_BYTES, RobotsRules, parse_robots
from workers.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Rules:
    """The file was there: it decides, URL by URL."""

    rules: RobotsRules


@dataclass(frozen=True, slots=True)
class AllowAll:
    """There is no file: everything may be fetched."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Nobody knows what the site wants: nothing may be fetched now; an older copy may serve, and a retry."""

    reason: str


RobotsDecision = Rules | AllowAll | Unreachable


def robots_decision(exchange: Exchange | None, agent: str) -> RobotsDecision:
    """Read the last exchange of a robots.txt fetch, redirects followed; None if there was none.

    2xx: rules. Other 4xx than 429, and a redirect that goes on after five or nowhere: unavailable, so
    everything is allowed. 429, 5xx, other statuses, no answer, an incomplete one: unreachable.
    """
    if exchange is None:
        return Unreachable("robots.txt was not asked for")
    response = exchange.response
    if response is None:
        return Unreachable(f"robots.txt: {exchange.failure or exchange.outcome.value}")
    status = response.status
    if status is None:
        return Unreachable("robots.txt: the answer has no status")
    if status in REDIRECTS:
        return AllowAll(f"robots.txt redirects further than is followed (status {status})")
    if 400 <= status < 500 and status != 429:
        return AllowAll(f"there is no robots.txt (status {status})")
    if not 200 <= status < 300:
        return Unreachable(f"robots.txt: status {status}")
    body = decoded_prefix(response, MAX_ROBOTS_BYTES + 1)
    if isinstance(body, Undecodable):
        return Unreachable(f"robots.txt: {body.reason}")
    if exchange.truncated is not None and len(body) <= MAX_ROBOTS_BYTES:
        return Unreachable(f"robots.txt came incomplete ({exchange.truncated}), and the missing part may forbid")
    return Rules(parse_robots(body, agent))


def robots_refusal(decision: RobotsDecision, url: str) -> Outcome | None:
    """The outcome that a URL gets instead of a fetch, or None where it may be fetched."""
    if isinstance(decision, Unreachable):
        return Outcome.ROBOTS_UNREACHABLE
    if isinstance(decision, Rules) and not decision.rules.allows(url):
        return Outcome.ROBOTS_DENIED
    return None
