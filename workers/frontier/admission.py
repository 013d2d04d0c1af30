"""URLs on their way into a queue: one argument a host instead of three a URL, which is what an argument costs twice,
in the client and in the script."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct

from workers.frontier.urls import digest, pack
from workers.ports import QueuedUrl

_LENGTH = Struct("<I").pack


def packed_by_host(urls: Iterable[QueuedUrl]) -> dict[str, bytes]:
    """For each host its URLs in their order, as `admit.lua` reads them: digest, length, packed URL."""
    parts: dict[str, list[bytes]] = {}
    for url in urls:
        packed = pack(url)
        parts.setdefault(url.host, []).extend((digest(url.normalized_url, url.visit), _LENGTH(len(packed)), packed))
    return {host: b"".join(pieces) for host, pieces in parts.items()}
