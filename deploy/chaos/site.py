"""The web that is captured: pages of a seed on many loopback addresses, each answered after a while, so that kills meet
work. Every fifth page has the same content, so that there are revisits to dangle; every hundredth is a large file that
does not shrink, so that there are uploads in parts to be cut off."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.bench.capture import origin
from deploy.bench.capture.pages import Page, Pages

WORDS = ("barrage", "canal", "delta", "dyke", "estuary", "flood", "gate", "harbour", "jetty", "lock", "sluice", "weir")
SAME_EVERY = 5
LARGE_EVERY, LARGE_AT = 100, 7
LARGE_BYTES = 9 * 1024 * 1024
"""More than a part of an upload, which is 8 MiB."""


@dataclass(frozen=True, slots=True)
class Site:
    """URLs with the SHA-256 of what each answers."""

    pages: Mapping[str, str]


@contextmanager
def running_site(
    folder: Path, *, urls: int, hosts: int, seconds: float, seed: int, place: origin.Place | None = None, net: str = ""
) -> Iterator[Site]:
    """Serve until the block ends: on loopback, or at `place`, where all addresses that begin with `net` are its own."""
    pages = _pages(folder / "pages", urls, seed)
    with origin.delaying(pages, folder / "run", seconds, place) as web:
        there = net or f"127.{11 + seed % 100}."
        addresses = [f"{there}{number % hosts // 250}.{1 + number % hosts % 250}" for number in range(urls)]
        named = zip(addresses, pages.pages, strict=True)
        yield Site({f"http://{address}:{web.port}/{page.name}": page.digest for address, page in named})


def _pages(folder: Path, count: int, seed: int) -> Pages:
    dice = random.Random(f"pages {seed}")  # noqa: S311 (dice, not secrets)
    folder.mkdir(parents=True)
    pages = []
    same = _page("the same", dice)
    for number in range(count):
        large = number % LARGE_EVERY == LARGE_AT
        body = same if number % SAME_EVERY == 0 else _page(f"page {number}", dice)
        body = dice.randbytes(LARGE_BYTES) if large else body
        name = f"p{number}.bin" if large else f"p{number}.html"
        (folder / name).write_bytes(body)
        pages.append(Page(name, len(body), hashlib.sha256(body).hexdigest()))
    return Pages(folder, "made", tuple(pages))


def _page(title: str, dice: random.Random) -> bytes:
    paragraphs = "".join(f"<p>{' '.join(dice.choices(WORDS, k=60))}.</p>\n" for _ in range(8))
    return f"<!doctype html><title>{title}</title>\n<h1>{title}</h1>\n{paragraphs}".encode()
