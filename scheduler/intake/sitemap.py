"""A sitemap that is handed in as a file (`workers/discover/sitemap.py` parses it): its pages are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler.intake.ask import Ask, bad_line
from scheduler.intake.pieces import Broken
from schemas.records.job import BadLine
from workers.flows.discover import Entry, Member, Refused, is_relative, sitemap_entries

RELATIVE = (
    "this address is relative, and a file has none of its own that it could be resolved against; archive the sitemap "
    "by its address (--sitemap URL), or write scheme and host in front"
)


def read_sitemap(pieces: Iterator[bytes | Broken]) -> Iterator[Ask | BadLine | Member]:
    """The URLs of a sitemap, or the members of an index. After an error nothing more is read."""
    ended: list[Broken] = []

    def plain() -> Iterator[bytes]:
        for piece in pieces:
            if isinstance(piece, Broken):
                ended.append(piece)
                return
            yield piece

    line = 1
    for found in sitemap_entries(plain()):
        line = found.line
        match found:
            case Entry() if is_relative(found.url):
                yield bad_line(found.line, "sitemap.relative-loc", RELATIVE, found.url)
            case Entry():
                yield Ask(found.line, found.url)
            case Member():
                yield found
            case Refused() if not ended:
                yield bad_line(found.line, found.code, found.message)
    for broken in ended:
        yield bad_line(line, broken.code, broken.message)
