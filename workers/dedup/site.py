"""The site of a normalized URL: what two pages share that one owner stands behind.

The host as it stands, in lower case, without one leading `www.`, with its port where the URL has one
(a conservative@1 URL has none if it is the default). The registrable domain takes its place once the
public suffix list is a policy; until then two hosts of one owner need a manual record.
"""

from __future__ import annotations

import re

_AUTHORITY = re.compile(r"^[a-z][a-z0-9+.-]*://([^/?#]*)", re.IGNORECASE)


def site_of(normalized_url: str) -> str:
    """`https://www.example.org:8080/a` to `example.org:8080`. Of what is no such URL, the whole string."""
    found = _AUTHORITY.match(normalized_url)
    authority = (found.group(1) if found else normalized_url).rpartition("@")[2].lower()
    return authority.removeprefix("www.") or authority
