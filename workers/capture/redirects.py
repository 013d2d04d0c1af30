"""Where a redirect leads (RFC 9110, 10.2.2 and 15.4). Every hop is an exchange of its own, and we follow it."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.urls.error import UrlError
from schemas.urls.parse import resolve, unreadable
from schemas.urls.split import split
from schemas.urls.wire import wire_url
from workers.capture.limits import MAX_REDIRECTS
from workers.exchange import Exchange

REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Redirect:
    """The next hop. `url` has no userinfo and the fragment of the location, or the inherited one."""

    url: str


@dataclass(frozen=True, slots=True)
class LeadsNowhere:
    """The answer is a redirect that cannot be followed; it is archived, and the chain ends here."""

    reason: str


def next_hop(url: str, exchange: Exchange) -> Redirect | LeadsNowhere | None:
    """Where to go after this exchange; None where the answer is no redirect.

    `url` is the hop's URL as the caller had it, with its fragment. Of several `Location` fields the first
    counts. Bytes beyond ASCII are kept as percent-encoded bytes, so UTF-8 and Latin-1 servers both
    get back what they sent; that is what browsers do.
    """
    response = exchange.response
    if response is None or response.status not in REDIRECTS:
        return None
    location = next((value for name, value in response.headers if name.lower() == b"location"), None)
    if not location:
        return None
    reference = "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in location)
    resolved = resolve(exchange.url, reference)
    if isinstance(resolved, UrlError):
        return LeadsNowhere(f"the redirect's Location is no URL: {resolved.message}")
    fetched = wire_url(resolved)
    if isinstance(fetched, UrlError):
        return LeadsNowhere(f"the redirect's Location cannot be fetched: {fetched.message}")
    fragment = split(resolved).fragment
    if fragment is None:
        fragment = split(url).fragment
    target = fetched if fragment is None else f"{fetched}#{fragment}"
    if isinstance(too_long := unreadable(target), UrlError):
        return LeadsNowhere(f"the redirect's Location cannot be followed with its fragment: {too_long.message}")
    return Redirect(target)


def may_follow(redirects_followed: int, limit: int = MAX_REDIRECTS) -> bool:
    """Whether one more redirect may be followed."""
    return redirects_followed < limit
