"""Spellings of one resource become one seed, however far apart they stand in the input.

Seeds are written to a file as they come, one line each, and a digest of each beside it. When all are there, the rows
that repeat an earlier one are found (`repeats.py`) and put into a temporary SQLite database, which goes to a file
beyond a few MB; then the file is read once more, and what was asked for again is added to its seed. So a million lines
take no more memory than ten.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Final, TypeAlias

from scheduler.intake.ask import bad_line
from scheduler.intake.repeats import DIGEST_BYTES, OTHER, PLAIN, Repeat, Repeats
from scheduler.intake.seed_lines import plain_line, seed_line
from schemas.records.job import BadLine, SearchHit, Seed
from schemas.urls.conservative import Normalized

MAX_SPELLINGS: Final = 1000
MAX_SPELLINGS_CHARS: Final = 512 * 1024
"""A seed is one line of a file, and a line has a limit; beyond this, further spellings are bad lines."""
WRITE_BYTES: Final = 1024 * 1024
_SCHEMA: Final = "CREATE TABLE again (seed INTEGER NOT NULL, line INTEGER NOT NULL, requested TEXT NOT NULL, hit TEXT)"

_AgainRow: TypeAlias = tuple[int, int, str, str | None]
_NOTHING: Final[tuple[int, Iterator[_AgainRow]]] = (-1, iter(()))


class SeedTable:
    """Collects, then gives seeds in the order in which they were first asked for. Its files lie in `folder`, which is
    its own. Belongs to one thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows = (folder / "rows").open("w+b", buffering=WRITE_BYTES)
        self._digests = (folder / "digests").open("wb", buffering=WRITE_BYTES)
        self._database = sqlite3.connect("")  # a private database that SQLite deletes by itself
        self._database.execute(_SCHEMA)
        self._rows_written = 0
        self.duplicates = 0

    def add_plain(self, line: int, url: str) -> None:
        """Take a good line that is a URL under its own identity, and needs no escape."""
        self._rows.write(plain_line(line, url).encode() + b"\n")
        self._digests.write(hashlib.sha256(url.encode()).digest()[:DIGEST_BYTES] + PLAIN)
        self._rows_written += 1

    def add(self, line: int, hit: SearchHit | None, requested: str, identity: Normalized) -> None:
        """Take any other good line."""
        seed = Seed(
            line=line,
            requested_url=requested,
            normalized_url=identity.url,
            fragment=identity.fragment,
            userinfo_removed=identity.userinfo_removed,
            hits=() if hit is None else (hit,),
        )
        self._rows.write(seed_line(seed) + b"\n")
        self._digests.write(hashlib.sha256(identity.url.encode()).digest()[:DIGEST_BYTES] + OTHER)
        self._rows_written += 1

    def seed_lines(self) -> Iterator[bytes | BadLine]:
        """The lines of all seeds, with LF; a spelling that has no room any more comes out as a bad line after its seed.
        `duplicates` is right from the first one on."""
        self._rows.flush()
        self._digests.close()
        if not self._rows_written:
            return
        repeats = Repeats(self._folder / "digests", self._folder / "firsts")
        self._keep_again(repeats)
        self._rows.seek(0)
        again = groupby(
            self._database.execute("SELECT seed, line, requested, hit FROM again ORDER BY seed, rowid"),
            key=itemgetter(0),
        )
        yield from self._merged((repeat.row for repeat in repeats), again)

    def _keep_again(self, repeats: Iterable[Repeat]) -> None:
        """Count the rows that repeat another, and keep what these could add to it."""
        self._rows.seek(0)
        at = 0
        for repeat in repeats:
            self.duplicates += 1
            if not repeat.equal:
                (row,) = islice(self._rows, repeat.row - at, repeat.row - at + 1)
                at = repeat.row + 1
                seed = Seed.model_validate_json(row)
                hit = seed.hits[0].model_dump_json(by_alias=True) if seed.hits else None
                self._database.execute(
                    "INSERT INTO again VALUES (?, ?, ?, ?)", (repeat.first, seed.line, seed.requested_url, hit)
                )

    def _merged(
        self, repeats: Iterator[int], again: Iterator[tuple[int, Iterator[_AgainRow]]]
    ) -> Iterator[bytes | BadLine]:
        """Rows in order: without those that repeat another, and with what was asked for again."""
        at = 0
        repeat = next(repeats, self._rows_written)
        asked, asks = next(again, _NOTHING)
        while at < self._rows_written:
            if at == repeat:
                next(self._rows)
                repeat = next(repeats, self._rows_written)
            elif at == asked:
                yield from _with_more(next(self._rows), asks)
                asked, asks = next(again, _NOTHING)
            else:
                ends = repeat if asked < 0 else min(repeat, asked)
                yield from islice(self._rows, ends - at)
                at = ends - 1
            at += 1

    def close(self) -> None:
        """Give back memory and files."""
        self._database.close()
        self._rows.close()
        self._digests.close()


def _with_more(row: bytes, again: Iterable[_AgainRow]) -> Iterator[bytes | BadLine]:
    """The line of a seed with the other spellings and hits that asked for it, and those that had no room."""
    seed = Seed.model_validate_json(row)
    also: dict[str, None] = {}
    hits = list(seed.hits)
    refused: list[BadLine] = []
    room = MAX_SPELLINGS_CHARS
    for _, again_line, spelling, again_hit in again:
        new = spelling != seed.requested_url and spelling not in also
        if not new and again_hit is None:
            continue
        cost = (len(spelling) if new else 0) + len(again_hit or "")
        if cost > room or len(also) + len(hits) >= MAX_SPELLINGS:
            message = f"one of more than {MAX_SPELLINGS} requests for one page; the page is archived all the same"
            refused.append(bad_line(again_line, "seed.too-many-spellings", message, spelling))
            continue
        room -= cost
        if new:
            also[spelling] = None
        if again_hit is not None:
            hits.append(SearchHit.model_validate_json(again_hit))
    yield seed_line(seed.model_copy(update={"also": tuple(also), "hits": tuple(hits)})) + b"\n"
    yield from refused
