"""URLs on their way into a queue."""

from __future__ import annotations

from struct import unpack_from

from workers.frontier.admission import packed_by_host
from workers.frontier.urls import digest, pack
from workers.ports import QueuedUrl

URLS = [
    QueuedUrl(url, url, host) for host in ("a.test", "b.test") for url in (f"https://{host}/1", f"https://{host}/2")
]


def read(data: bytes) -> list[tuple[bytes, bytes]]:
    """As the script reads it: digest, length, packed URL."""
    found, at = [], 0
    while at < len(data):
        name, length = unpack_from("<16sI", data, at)
        found.append((name, data[at + 20 : at + 20 + length]))
        at += 20 + length
    return found


def test_urls_come_host_by_host_in_their_order():
    packed = packed_by_host([URLS[0], URLS[2], URLS[1], URLS[3]])
    assert {host: read(data) for host, data in packed.items()} == {
        host: [(digest(url.normalized_url, 1), pack(url)) for url in URLS if url.host == host]
        for host in ("a.test", "b.test")
    }
