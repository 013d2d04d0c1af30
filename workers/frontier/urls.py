"""How a URL is held in Redis: as a digest where only identity matters, packed where it is to be fetched.

Most URLs are queued as they are spelled, on their first visit, untried: then the packed form is what
comes after the host and nothing else. 16 bytes of SHA-256 name it within its job: two URLs of one job would have to
be searched for through 2^64 digests to be taken for each other.
"""

from __future__ import annotations

import hashlib

from schemas.records.outcome import WrittenPage
from workers.frontier.outcomes import CODES, outcome_of
from workers.ports import QueuedUrl

DIGEST_BYTES = 16
_FRESH = "1.0.0"  # visit, tries, depth
_SCHEMES = {"\x01": "https://", "\x02": "http://"}
"""No URL begins with a control character."""


def digest(normalized_url: str, visit: int) -> bytes:
    """Name of one visit of a resource within its job."""
    return hashlib.sha256(f"{visit}\n{normalized_url}".encode()).digest()[:DIGEST_BYTES]


def politeness_key(normalized_url: str) -> str:
    """The host, with its port where that is not the default: whom one request at a time protects.

    http and https of one host are one key. Takes a conservative@1 URL, whose authority has no userinfo and ends
    at the first slash.
    """
    return normalized_url.split("/", 3)[2]


def pack(url: QueuedUrl, *, whole: bool = False) -> bytes:
    """Lines: URL, then counts (and where the page is written, if it is), host, redirects so far, spelling where they
    are not what the URL alone says. The spelling comes last, since it alone may hold line ends. ValueError for a URL
    or host that no policy of ours can give.

    An untried URL lies in the queue of its own host, so scheme and host are one byte: it takes the host to read it.
    One that was tried names its host itself, and so does any with `whole`."""
    name = url.normalized_url
    if (
        url.requested_url == name
        and url.visit == 1
        and not (whole or url.tries or url.depth or url.resumes_at or url.written)
    ):
        short = _shortened(name, url.host)
        if short is not name and "\n" not in short:
            return short.encode()
    own_host = url.host == politeness_key(name)
    short = name if whole or url.tries or not own_host else _shortened(name, url.host)
    way = "" if url.resumes_at is None else "\t".join((*url.via, url.resumes_at))
    if "\n" in f"{name}{url.host}{way}" or way.count("\t") > len(url.via):
        raise ValueError("a normalized URL, its host and its redirects are one line each")
    counts = f"{url.visit}.{url.tries}.{url.depth}{_written(url.written)}"
    fields = [
        short,
        "" if counts == _FRESH else counts,
        "" if own_host else url.host,
        way,
        "" if url.requested_url == name else url.requested_url,
    ]
    while not fields[-1]:
        fields.pop()
    return "\n".join(fields).encode()


def unpack(packed: bytes, host: str = "") -> QueuedUrl:
    """The inverse of `pack`. `host`: in whose queue it was; ValueError where that has to be known and is not."""
    url, counts, other_host, way, requested = (*packed.decode().split("\n", 4), *[""] * 4)[:5]
    if scheme := _SCHEMES.get(url[:1]):
        if not host:
            raise ValueError("a URL in the queue of its own host is read with that host")
        url = f"{scheme}{host}/{url[1:]}"
    *via, resumes_at = way.split("\t")
    visit, tries, depth, *written = (counts or _FRESH).split(".", 3)
    return QueuedUrl(
        requested_url=requested or url,
        normalized_url=url,
        host=other_host or politeness_key(url),
        visit=int(visit),
        tries=int(tries),
        depth=int(depth),
        via=tuple(via),
        resumes_at=resumes_at or None,
        written=_page(written[0]) if written else None,
    )


def _written(page: WrittenPage | None) -> str:
    """The code of its outcome comes first: `cancel.lua` reads it."""
    return "" if page is None else f".{CODES[page.outcome]}{','.join(page.batches)}"


def _page(packed: str) -> WrittenPage:
    return WrittenPage(outcome=outcome_of(packed[0]), batches=tuple(packed[1:].split(",")))


def _shortened(url: str, host: str) -> str:
    """A mark for the scheme, and what comes after host and slash."""
    for mark, scheme in _SCHEMES.items():
        if url.startswith(f"{scheme}{host}/"):
            return mark + url[len(scheme) + len(host) + 1 :]
    return url
