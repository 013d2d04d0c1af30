"""The host of a normalized URL, as tiers and the confirmation of near-duplicates take it.

As it stands, in lower case, without one leading `www.` and a final dot, with its port where the URL has one (a
conservative@1 URL has none if it is the default). Who is independent of whom goes by the registrable domain
(`suffixes.py`).
"""

from __future__ import annotations

import re

_AUTHORITY = re.compile(r"^[a-z][a-z0-9+.-]*://([^/?#]*)", re.IGNORECASE)
_FINAL_DOT = re.compile(r"\.(?=(?::[0-9]*)?$)")


def site_of(normalized_url: str, *, www: bool = False) -> str:
    """`https://www.example.org.:8080/a` to `example.org:8080`, or with its `www`. Of what is no such URL, the whole
    string."""
    found = _AUTHORITY.match(normalized_url)
    authority = (found.group(1) if found else normalized_url).rpartition("@")[2].lower()
    authority = _FINAL_DOT.sub("", authority) or authority
    return authority if www else authority.removeprefix("www.") or authority
