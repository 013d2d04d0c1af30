"""Input to seeds and bad lines: each URL gets its identity, and spellings of one resource are collapsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from scheduler.contacts import Refused
from scheduler.intake.ask import Ask, IntakeLimits, bad_line
from scheduler.intake.collapse import SeedTable
from scheduler.intake.seed_lines import is_plain
from scheduler.intake.source import open_source
from schemas.records.job import BadLine, Seed
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request, names_itself
from schemas.urls.split import split
from workers.errors import PermanentError

Heard = Callable[[BadLine], None]
MOST_REASONS = 20


Refuse = Callable[[str], Refused | None]


class SeedLines:
    """Bad lines and seeds of an input, to be read once, in one thread. `lines` and `duplicates` are right after that.

    `heard` is told of bad lines as they are met. Where `refuse` says of a normalized URL why it may not be asked
    for, all lines are read, and then PermanentError says all reasons.
    """

    def __init__(self, asks: Iterable[Ask | BadLine]) -> None:
        self.asks = asks
        self.lines = 0
        """Entries that were read, good or bad; blank lines and comments are none."""
        self.duplicates = 0
        """Good ones whose resource had been asked for before."""
        self.heard: Heard = _heard_by_nobody
        self.refuse: Refuse | None = None
        self._refused: dict[Refused, list[int]] = {}  # by reason, its first line and how many there are

    def read(self, table: SeedTable) -> Iterator[BadLine | None]:
        """Put every good line into a table. One answer a line: what was wrong with it, or None."""
        for ask in self.asks:
            self.lines += 1
            refused = ask if isinstance(ask, BadLine) else self._take(ask, table)
            if refused is not None:
                self.heard(refused)
            yield refused
        if self._refused:
            raise _refusal(self._refused)

    def seeds(self, table: SeedTable) -> Iterator[bytes | BadLine]:
        """The lines of all seeds of a table that was filled, and spellings that had no room any more."""
        for line in table.seed_lines():
            if isinstance(line, BadLine):
                self.heard(line)
            yield line
        self.duplicates = table.duplicates

    def __iter__(self) -> Iterator[Seed | BadLine]:
        """Bad lines as they are met, then the seeds as records."""
        with TemporaryDirectory(prefix="citevault-intake-") as folder, closing(SeedTable(Path(folder))) as table:
            yield from (line for line in self.read(table) if line is not None)
            for line in self.seeds(table):
                yield line if isinstance(line, BadLine) else Seed.model_validate_json(line)

    def _take(self, ask: Ask, table: SeedTable) -> BadLine | None:
        """Put a good URL into the table, or say what is wrong with it."""
        if ask.hit is None and names_itself(ask.url) and is_plain(ask.url):
            self._allow(ask.line, ask.url)
            table.add_plain(ask.line, ask.url)
            return None
        identity = identity_of_request(ask.url)
        if isinstance(identity, UrlError):
            return bad_line(ask.line, identity.code, identity.message, ask.url)
        self._allow(ask.line, identity.url)
        requested, hit = ask.url.strip(), ask.hit
        if identity.userinfo_removed:
            # A password must not get into records that are signed and published (R022); that there was one is kept.
            requested = _without_userinfo(requested)
            hit = None if hit is None else hit.model_copy(update={"url": _without_userinfo(hit.url)})
        table.add(ask.line, hit, requested, identity)
        return None

    def _allow(self, line: int, url: str) -> None:
        refused = None if self.refuse is None else self.refuse(url)
        if refused in self._refused:
            self._refused[refused][1] += 1
        elif refused is not None and len(self._refused) < MOST_REASONS:
            self._refused[refused] = [line, 1]


def read_lines(stream: BinaryIO, *, name: str = "", limits: IntakeLimits | None = None) -> SeedLines:
    """Any input of `archive --from`, its format found out."""
    return SeedLines(open_source(stream, name=name, limits=limits).asks)


def read_urls(urls: Sequence[str]) -> SeedLines:
    """URLs of a command line, numbered in their order."""
    return SeedLines(Ask(number, url) for number, url in enumerate(urls, 1))


def _refusal(refused: dict[Refused, list[int]]) -> PermanentError:
    places = [f"line {first}" + (f" and {lines - 1} more" if lines > 1 else "") for first, lines in refused.values()]
    steps = "; ".join(dict.fromkeys(reason.next_step for reason in refused))
    if len(refused) == 1:
        return PermanentError(next(iter(refused)).what, where=places[0], next_step=steps)
    told = (f"{place}: {reason.what}" for place, reason in zip(places, refused, strict=True))
    return PermanentError("; ".join(told), next_step=steps)


def _heard_by_nobody(_: BadLine) -> None:
    pass


def _without_userinfo(url: str) -> str:
    return split(url)._replace(userinfo=None).joined()
