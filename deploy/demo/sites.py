"""The sample web: which page stands where, and how it is sent. Written for the demo; every name in it is made up."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PAGES = Path(__file__).parent / "pages"


WRONG_DIGEST = f"sha-256=:{'A' * 43}=:"
"""Of nothing that is served here."""


@dataclass(frozen=True, slots=True)
class Page:
    """One address of a site. `file` is relative to the folder of pages; a page without one has only a status."""

    file: str = ""
    status: int = 200
    location: str = ""
    kind: str = "text/html"
    charset: str = "utf-8"
    gzipped: bool = False
    """Sent with `Content-Encoding: gzip` and `Transfer-Encoding: chunked`."""
    changes: bool = False
    """Its text is another one on every request."""
    fields: tuple[tuple[str, str], ...] = ()
    """Further fields of the answer's head."""

    @property
    def content_type(self) -> str:
        return f"{self.kind}; charset={self.charset}" if self.kind.startswith("text/") else self.kind

    def body(self, request_number: int) -> bytes:
        """The representation, content coding applied."""
        if not self.file:
            return f"<!doctype html><title>{self.status}</title><p>Nothing here.</p>".encode()
        if self.kind != "text/html":
            return (PAGES / self.file).read_bytes()
        text = (PAGES / self.file).read_text(encoding="utf-8")
        if self.changes:
            state = "raised" if request_number % 2 == 0 else "at rest"
            text = text.format(number=100 + request_number, state=state, level=f"{1 + request_number / 100:.2f}")
        data = text.encode(self.charset)
        return gzip.compress(data, mtime=0) if self.gzipped else data


@dataclass(frozen=True, slots=True)
class Site:
    """All addresses of one host."""

    name: str
    pages: Mapping[str, Page]
    robots: str = "User-agent: *\nAllow: /\n"


SITES: tuple[Site, ...] = (
    Site(
        "courier",
        {
            "/news/tidal-barrier": Page("courier/tidal-barrier.html"),
            "/go/barrier": Page(status=301, location="/go/news"),
            "/go/news": Page(status=302, location="/news/tidal-barrier"),
            "/news/withdrawn": Page(status=404),
            "/drafts/next-week": Page("courier/tidal-barrier.html"),
        },
        robots="User-agent: *\nDisallow: /drafts/\n",
    ),
    Site(
        "portal",
        {"/stories/tidal-barrier": Page("portal/tidal-barrier.html", fields=(("Content-Digest", WRONG_DIGEST),))},
    ),
    Site("daily", {"/2026/09/15/barrier": Page("daily/tidal-barrier.html")}),
    Site(
        "authority",
        {
            "/barrier": Page("authority/barrier.html"),
            "/status": Page("authority/status.html", changes=True),
            "/style/site.css": Page("authority/site.css", kind="text/css"),
            "/style/type.css": Page("authority/type.css", kind="text/css"),
            "/style/sluice.ttf": Page("authority/sluice.ttf", kind="font/ttf"),
            "/style/water.svg": Page("authority/water.svg", kind="image/svg+xml"),
            "/style/mark.svg": Page("authority/mark.svg", kind="image/svg+xml"),
            "/pictures/gate.svg": Page("authority/gate.svg", kind="image/svg+xml"),
        },
    ),
    Site("hydrology", {"/notes/first-closure": Page("hydrology/measurements.html", gzipped=True)}),
    Site("vestnik", {"/2026/zakrytie": Page("vestnik/zakrytie.html", charset="windows-1251")}),
    Site("kako", {"/suimon": Page("kako/suimon.html")}),
)

SEEDS: tuple[tuple[str, str], ...] = (
    ("courier", "/news/tidal-barrier?utm_source=letter"),
    ("courier", "/news/tidal-barrier?gclid=abc123"),
    ("courier", "/news/tidal-barrier?utm_medium=social&fbclid=xyz"),
    ("courier", "/go/barrier"),
    ("courier", "/news/withdrawn"),
    ("courier", "/drafts/next-week"),
    ("portal", "/stories/tidal-barrier"),
    ("daily", "/2026/09/15/barrier"),
    ("authority", "/barrier"),
    ("authority", "/status"),
    ("hydrology", "/notes/first-closure"),
    ("vestnik", "/2026/zakrytie"),
    ("kako", "/suimon"),
)
"""What the demo asks for, as (site, path)."""

REQUISITES = sum(page.kind != "text/html" for site in SITES for page in site.pages.values())
"""How many things the pages need to look as they do; every one of them is named by a page of `SEEDS`."""
