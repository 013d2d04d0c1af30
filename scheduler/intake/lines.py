"""Input to seeds and bad lines: each URL gets its identity, and spellings of one resource are collapsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from scheduler.intake.ask import Ask, IntakeLimits, bad_line
from scheduler.intake.collapse import SeedTable
from scheduler.intake.source import open_source
from schemas.records.job import BadLine, Seed
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from schemas.urls.split import split


class SeedLines:
    """Bad lines as they are met, then the seeds. `lines` and `duplicates` are right once it is exhausted.

    To be iterated once, in one thread.
    """

    def __init__(self, asks: Iterable[Ask | BadLine]) -> None:
        self._asks = asks
        self.lines = 0
        """Entries that were read, good or bad; blank lines and comments are none."""
        self.duplicates = 0
        """Good ones whose resource had been asked for before."""

    def __iter__(self) -> Iterator[Seed | BadLine]:
        table = SeedTable()
        try:
            for ask in self._asks:
                self.lines += 1
                refused = ask if isinstance(ask, BadLine) else _take(ask, table)
                if refused is not None:
                    yield refused
            self.duplicates = table.duplicates
            yield from table.seeds()
        finally:
            table.close()


def read_lines(stream: BinaryIO, *, name: str = "", limits: IntakeLimits | None = None) -> SeedLines:
    """Any input of `archive --from`, its format found out."""
    return SeedLines(open_source(stream, name=name, limits=limits).asks)


def read_urls(urls: Sequence[str]) -> SeedLines:
    """URLs of a command line, numbered in their order."""
    return SeedLines(Ask(number, url) for number, url in enumerate(urls, 1))


def _take(ask: Ask, table: SeedTable) -> BadLine | None:
    """Put a good URL into the table, or say what is wrong with it."""
    identity = identity_of_request(ask.url)
    if isinstance(identity, UrlError):
        return bad_line(ask.line, identity.code, identity.message, ask.url)
    requested = ask.url.strip()
    if identity.userinfo_removed:
        # A password must not get into records that are signed and published (R022); that there was one is kept.
        requested = _without_userinfo(requested)
        if ask.hit is not None:
            ask = replace(ask, hit=ask.hit.model_copy(update={"url": _without_userinfo(ask.hit.url)}))
    table.add(ask, requested, identity)
    return None


def _without_userinfo(url: str) -> str:
    return split(url)._replace(userinfo=None).joined()
