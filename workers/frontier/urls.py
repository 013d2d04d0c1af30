"""How a URL is held in Redis: as a digest where only identity matters, packed where it is to be fetched.

Most URLs are queued as they are spelled, on their first visit, untried: then the packed form is the
URL and nothing else. 16 bytes of SHA-256 name it within its job: two URLs of one job would have to
be searched for through 2^64 digests to be taken for each other.
"""

from __future__ import annotations

import hashlib

from workers.ports import QueuedUrl

DIGEST_BYTES = 16
_FRESH = "1.0.0"  # visit, tries, depth


def digest(normalized_url: str, visit: int) -> bytes:
    """Name of one visit of a resource within its job."""
    return hashlib.sha256(f"{visit}\n{normalized_url}".encode()).digest()[:DIGEST_BYTES]


def politeness_key(normalized_url: str) -> str:
    """The host, with its port where that is not the default: whom one request at a time protects.

    http and https of one host are one key. Takes a conservative@1 URL, whose authority has no userinfo and ends
    at the first slash.
    """
    return normalized_url.split("/", 3)[2]


def pack(url: QueuedUrl) -> bytes:
    """Lines: URL, then counts, host, redirects so far, spelling where they are not what the URL alone says. The
    spelling comes last, since it alone may hold line ends. ValueError for a URL or host that no policy of ours can
    give."""
    way = "" if url.resumes_at is None else "\t".join((*url.via, url.resumes_at))
    if "\n" in f"{url.normalized_url}{url.host}{way}" or way.count("\t") > len(url.via):
        raise ValueError("a normalized URL, its host and its redirects are one line each")
    counts = f"{url.visit}.{url.tries}.{url.depth}"
    fields = [
        url.normalized_url,
        "" if counts == _FRESH else counts,
        "" if url.host == politeness_key(url.normalized_url) else url.host,
        way,
        "" if url.requested_url == url.normalized_url else url.requested_url,
    ]
    while not fields[-1]:
        fields.pop()
    return "\n".join(fields).encode()


def unpack(packed: bytes) -> QueuedUrl:
    """The inverse of `pack`."""
    fields = packed.decode().split("\n", 4)
    url, counts, host, way, requested = fields + [""] * (5 - len(fields))
    *via, resumes_at = way.split("\t")
    visit, tries, depth = (counts or _FRESH).split(".")
    return QueuedUrl(
        requested_url=requested or url,
        normalized_url=url,
        host=host or politeness_key(url),
        visit=int(visit),
        tries=int(tries),
        depth=int(depth),
        via=tuple(via),
        resumes_at=resumes_at or None,
    )
