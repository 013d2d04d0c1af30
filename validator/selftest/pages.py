"""The pages of the self-test's bundle, and the answers of their servers: small, and full of what forgers change."""

from __future__ import annotations

import gzip
import html
import uuid
from dataclasses import dataclass

from schemas import ids
from schemas.records.source import Tier

RETRIEVED_AT = "2026-08-22T03:15:00.250000Z"


@dataclass(frozen=True, slots=True)
class Page:
    """One page and its one capture."""

    name: str
    url: str
    sentences: tuple[str, ...]
    tier: Tier = Tier.SECONDARY
    shown: tuple[str, ...] | None = None
    """What the page really showed, where that is not `sentences`: the extractor made those up."""
    cluster: str = ""
    """Name of the page that leads its cluster; its own without."""
    author: str | None = None
    headed: bool = False
    """Whether its first sentence is a heading."""

    @property
    def text(self) -> str:
        return "\n".join(self.sentences) + "\n"

    @property
    def headings(self) -> list[dict[str, object]]:
        return [{"level": 1, "text": self.sentences[0], "start": 0}] if self.headed else []

    @property
    def decoded(self) -> bytes:
        """The page as its server sent it, before content coding."""
        shown = self.sentences if self.shown is None else self.shown
        tags = ["h1" if self.headed else "p"] + ["p"] * len(shown)
        body = "".join(f"<{tag}>{html.escape(s, quote=False)}</{tag}>\n" for tag, s in zip(tags, shown, strict=False))
        return f"<!DOCTYPE html><html><head><title>{self.name}</title></head><body>{body}</body></html>".encode()

    @property
    def content(self) -> bytes:
        return gzip.compress(self.decoded, 1, mtime=0)

    @property
    def source_id(self) -> str:
        return ids.source_id(self.url)

    @property
    def snapshot_id(self) -> str:
        return ids.snapshot_id(self.source_id, RETRIEVED_AT, self.record_id("response"))

    def record_id(self, role: str) -> str:
        return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{self.url} {role}')}"


WIRE = (
    "The harbour of the old town was closed for the third night in a row, the agency reports from the coast.",
    "Ships that wait outside of the northern barrier have been asked to turn back, or to lie at anchor until the wind "
    "has changed, and nobody expects that before the end of the week.",
    "A spokeswoman of the port said that goods for the islands are carried by road as far as the bridge stands open.",
    "Fishermen on the quay told the agency that they had not seen such a tide since they were children themselves.",
)
"""What an agency sent out: three papers printed it, and none of them is cited."""
PAGES = (
    Page(
        "guide",
        "https://docs.valve.example/guide",
        (
            "Guide to the valve 🤔🤔 of the northern grid.",
            "The valve closes in 40 milliseconds, p < 0.05, at -5 degrees.",
            "It costs $5 and is not sold abroad.",
            "Le café mesure 10 % de perte.",
        ),
        tier=Tier.OFFICIAL,
        headed=True,
    ),
    Page(
        "story",
        "https://news.example.org/story",
        ("Local news from the harbour.", "A valve of the grid closed within 40 milliseconds on Monday.", "More soon."),
    ),
    Page(
        "lab",
        "https://lab.example.edu/report?id=7",
        ("Measured twice in spring.", "Our valve closed after 40 milliseconds in each run.", "It failed below zero."),
        tier=Tier.PRIMARY,
    ),
    Page(
        "list",
        "https://links.example.info/",
        ("Seen elsewhere this week.", "Somebody says that the valve closes in 40 milliseconds.", "Older entries."),
        tier=Tier.AGGREGATOR,
    ),
    *(
        Page(name, f"https://{name}.example/wire", (*WIRE, f"Printed in edition 7, 第{number}刷."), cluster="wire-one")
        for number, name in enumerate(("wire-one", "wire-two", "wire-three"), 1)
    ),
)
