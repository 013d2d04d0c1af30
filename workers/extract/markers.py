"""Traces of bot walls and consent walls in a page's markup. What they mean together with the text, `reader` decides.

Each is a string that the wall's own page carries and that pages which are merely protected by it do not
(Cloudflare, for one, puts a script of its challenge platform into every page it serves).
"""

from __future__ import annotations

import re
from typing import Final

SEARCHED_CHARACTERS = 200_000
WALL_CHARACTERS: Final = 2000
"""A page with so much text is no wall, whatever its markup holds: nobody asks for its traces."""

_MARKERS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("cloudflare", ("_cf_chl_opt", "cf-browser-verification", 'id="challenge-form"', "cf-error-details")),
    ("datadome", ("geo.captcha-delivery.com", "ct.captcha-delivery.com")),
    ("perimeterx", ('id="px-captcha"', "id='px-captcha'")),
    ("imperva", ("_incapsula_resource?swudnsai", "incapsula incident id")),
    ("akamai", ("errors.edgesuite.net/",)),
    ("aws-waf", ("awswafcookiedomainlist", "token.awswaf.com")),
    ("sucuri", ("sucuri_cloudproxy_js", "sucuri website firewall")),
    ("ddos-guard", ("/.well-known/ddos-guard/", "check.ddos-guard.net")),
    ("anubis", ('id="anubis_challenge"',)),
    ("google-sorry", ('action="/sorry/', 'action="https://www.google.com/sorry/')),
    ("consent", ('action="https://consent.', 'action="https://guce.')),
    ("captcha", ("g-recaptcha", "h-captcha", "cf-turnstile")),
)
"""Substrings of the markup in lower case; any of them will do."""
_NO_SCRIPT = re.compile(r"<noscript[^>]*>(.{0,2000}?)</noscript", re.DOTALL)
_ASKS_FOR_SCRIPT = re.compile(
    r"(?:enable|activate|turn on|requires?|need)\b[^<]{0,40}javascript|javascript[^<]{0,40}(?:disabled|required)"
)


def find_markers(source: str) -> tuple[str, ...]:
    """Names of the traces that the first 200,000 characters hold, in a fixed order."""
    head = source[:SEARCHED_CHARACTERS].lower()
    found = [name for name, traces in _MARKERS if any(trace in head for trace in traces)]
    if any(_ASKS_FOR_SCRIPT.search(notice[1]) for notice in _NO_SCRIPT.finditer(head)):
        found.append("needs-script")
    return tuple(found)
