"""A sitemap index with its members, as far as they lie beside it: a folder that was downloaded, packed or not.

An index names its members by address. Nothing is fetched here; a member that is not there is a bad line that says where
to get it. The line numbers of a member's URLs are those of its file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from scheduler.intake.ask import Ask, bad_line
from scheduler.intake.pieces import Broken, plain_pieces
from scheduler.intake.sitemap import read_sitemap
from schemas.records.job import BadLine
from workers.flows.discover import Member

MAX_LEVELS: Final = 3
"""Of indexes within indexes, which the protocol does not have and some sites do."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.xml(?:\.gz)?")

Beside: TypeAlias = Callable[[str], BinaryIO | None]
"""Opens what lies beside the input under a name; None where nothing does."""


def nothing_beside(_: str) -> None:
    """Of an input that is no file."""


def in_folder(folder: Path) -> Beside:
    """What lies in the folder of a file."""

    def beside(name: str) -> BinaryIO | None:
        try:
            return (folder / name).open("rb")
        except OSError:
            return None

    return beside


def read_sitemaps(pieces: Iterator[bytes | Broken], beside: Beside, max_total_bytes: int) -> Iterator[Ask | BadLine]:
    """The URLs of a sitemap, or of all members of an index."""
    return _read(pieces, beside, max_total_bytes, frozenset(), set())


def _read(
    pieces: Iterator[bytes | Broken], beside: Beside, max_total_bytes: int, above: frozenset[str], met: set[str]
) -> Iterator[Ask | BadLine]:
    for found in read_sitemap(pieces):
        if not isinstance(found, Member):
            yield found
            continue
        name = _name(found.url)
        if name in met:
            yield bad_line(found.line, "sitemap.twice", "this sitemap is named before; it is read once", found.url)
            continue
        if len(above) >= MAX_LEVELS:
            message = f"indexes are nested deeper than {MAX_LEVELS}; hand this sitemap in by itself"
            yield bad_line(found.line, "sitemap.too-many-levels", message, found.url)
            continue
        stream = beside(name) if name else None
        if stream is None:
            message = "this is the address of another sitemap; fetch it, and lay it beside the index or hand it in"
            yield bad_line(found.line, "sitemap.index", message, found.url)
            continue
        met.add(name)
        with closing(stream):
            for each in _read(plain_pieces(stream, max_total_bytes), beside, max_total_bytes, above | {name}, met):
                yield _placed(each, name) if isinstance(each, BadLine) else each


def _name(url: str) -> str:
    """The name under which a download lies beside the index; "" where the address ends in none that is plainly one."""
    last = url.partition("?")[0].partition("#")[0].rpartition("/")[2]
    return last if _NAME.fullmatch(last) else ""


def _placed(line: BadLine, name: str) -> BadLine:
    return line.model_copy(update={"message": f"in {name}: {line.message}"})
