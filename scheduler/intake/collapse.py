"""Spellings of one resource become one seed, however far apart they stand in the input.

That takes remembering everything that was read. It is remembered in a temporary SQLite database, which
keeps a few MB in memory and goes to a file beyond that, so a million lines take no more memory than ten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias

from scheduler.intake.ask import Ask, bad_line
from schemas.records.job import BadLine, SearchHit, Seed
from schemas.urls.conservative import Normalized

MAX_SPELLINGS: Final = 1000
MAX_SPELLINGS_CHARS: Final = 512 * 1024
"""A seed is one line of a file, and a line has a limit; beyond this, further spellings are bad lines."""
_SCHEMA: Final = """
CREATE TABLE seed (id INTEGER PRIMARY KEY, url TEXT UNIQUE NOT NULL, line INTEGER NOT NULL, requested TEXT NOT NULL,
                   fragment TEXT, userinfo INTEGER NOT NULL, hit TEXT);
CREATE TABLE again (seed INTEGER NOT NULL, line INTEGER NOT NULL, requested TEXT NOT NULL, hit TEXT);
"""

_SeedRow: TypeAlias = tuple[int, str, int, str, str | None, int, str | None]
_AgainRow: TypeAlias = tuple[int, int, str, str | None]
_NOTHING: Final[tuple[int, Iterator[_AgainRow]]] = (0, iter(()))


class SeedTable:
    """Collects, then gives seeds in the order in which they were first asked for. Belongs to one thread."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")  # a private database that SQLite deletes by itself
        self._database.executescript(_SCHEMA)
        self.duplicates = 0

    def add(self, ask: Ask, requested: str, identity: Normalized) -> None:
        """Take one good line."""
        hit = None if ask.hit is None else ask.hit.model_dump_json(by_alias=True)
        added = self._database.execute(
            "INSERT OR IGNORE INTO seed (url, line, requested, fragment, userinfo, hit) VALUES (?, ?, ?, ?, ?, ?)",
            (identity.url, ask.line, requested, identity.fragment, identity.userinfo_removed, hit),
        )
        if added.rowcount == 0:
            self.duplicates += 1
            self._database.execute(
                "INSERT INTO again SELECT id, ?, ?, ? FROM seed WHERE url = ? AND (requested != ? OR ? IS NOT NULL)",
                (ask.line, requested, hit, identity.url, requested, hit),
            )

    def seeds(self) -> Iterator[Seed | BadLine]:
        """All seeds; a spelling that has no room any more comes out as a bad line after its seed."""
        again = groupby(
            self._database.execute("SELECT seed, line, requested, hit FROM again ORDER BY seed, rowid"),
            key=itemgetter(0),
        )
        following, rows = next(again, _NOTHING)
        for seed in self._database.execute("SELECT * FROM seed ORDER BY id"):
            if following == seed[0]:
                yield from _seed(seed, rows)
                following, rows = next(again, _NOTHING)
            else:
                yield from _seed(seed, ())

    def close(self) -> None:
        """Give back memory and file."""
        self._database.close()


def _seed(row: _SeedRow, again: Iterable[_AgainRow]) -> Iterator[Seed | BadLine]:
    _, url, line, requested, fragment, userinfo, hit = row
    also: dict[str, None] = {}
    hits = [] if hit is None else [hit]
    refused: list[BadLine] = []
    room = MAX_SPELLINGS_CHARS
    for _, again_line, spelling, again_hit in again:
        new = spelling != requested and spelling not in also
        cost = (len(spelling) if new else 0) + len(again_hit or "")
        if cost > room or len(also) + len(hits) >= MAX_SPELLINGS:
            message = f"one of more than {MAX_SPELLINGS} requests for one page; the page is archived all the same"
            refused.append(bad_line(again_line, "seed.too-many-spellings", message, spelling))
            continue
        room -= cost
        if new:
            also[spelling] = None
        if again_hit is not None:
            hits.append(again_hit)
    yield Seed(
        line=line,
        requested_url=requested,
        normalized_url=url,
        fragment=fragment,
        userinfo_removed=bool(userinfo),
        also=tuple(also),
        hits=tuple(map(SearchHit.model_validate_json, hits)),
    )
    yield from refused
