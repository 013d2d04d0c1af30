"""Formats of one entry a line: plain URLs, CSV with a `url` column, JSON Lines of search hits."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import JsonValue

from scheduler.intake.ask import Ask, bad_line
from scheduler.intake.pieces import Broken, RawLine
from schemas.reading import DocumentError, read_json
from schemas.records.job import BadLine, SearchHit

MAX_TEXT: Final = 4096
"""Of a title, a snippet, a query (`ShortText`); a longer one is cut, since it is history and no evidence (R004)."""
HIT_TEXTS: Final = ("query", "provider", "title", "snippet")
DELIMITERS: Final = (",", ";", "\t")


def read_plain(lines: Iterator[RawLine | Broken]) -> Iterator[Ask | BadLine]:
    """One URL a line; blank lines and those that begin with `#` are passed over."""
    for line in lines:
        text = _text(line)
        if isinstance(text, BadLine):
            yield text
        elif text.strip() and not text.lstrip().startswith("#"):
            yield Ask(line.number, text.strip())


def read_hits(lines: Iterator[RawLine | Broken]) -> Iterator[Ask | BadLine]:
    """One JSON object a line. Names that a search hit does not have, such as a score, are left out (R018)."""
    for line in lines:
        text = _text(line)
        if isinstance(text, BadLine):
            yield text
        elif text.strip():
            value = read_json(text.encode())
            if isinstance(value, DocumentError):
                yield bad_line(line.number, f"hit.{value.code.value}", f"{value.message}; correct the line", text)
            else:
                yield _hit(line.number, value, text)


def _hit(line: int, value: JsonValue, text: str) -> Ask | BadLine:
    url = value.get("url") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(url, str):
        return bad_line(line, "hit.no-url", 'a search hit is an object with a text "url"', text)
    rank = value.get("rank")
    if rank is not None and (not isinstance(rank, int) or isinstance(rank, bool) or rank < 0):
        return bad_line(line, "hit.rank", '"rank" is a number from 0, or absent', text)
    texts: dict[str, str | None] = {}
    for name in HIT_TEXTS:
        given = value.get(name)
        if given is not None and not isinstance(given, str):
            return bad_line(line, f"hit.{name}", f'"{name}" is a text, or absent', text)
        texts[name] = given
    return _ask(line, url, texts, rank)


def read_table(lines: Iterator[RawLine | Broken]) -> Iterator[Ask | BadLine]:
    """CSV (RFC 4180) with a header line; comma, semicolon or tab. Other columns of a search hit are read too."""
    rows = _Rows(lines)
    header = rows.header()
    if header is None:
        yield bad_line(1, "csv.no-url-column", "the first line names no column `url`; add a header line")
        return
    places = {name.strip().lower(): place for place, name in reversed(list(enumerate(header)))}
    for number, row in rows.rest():
        if isinstance(row, BadLine):
            yield row
        elif any(cell.strip() for cell in row):
            yield _row(number, row, places)


def _row(number: int, row: Sequence[str], places: dict[str, int]) -> Ask | BadLine:
    cells = {name: row[place].strip() for name, place in places.items() if place < len(row)}
    text = ",".join(row)
    if any("\udc80" <= character <= "\udcff" for character in text):
        return bad_line(number, "line.not-utf-8", "the line is not UTF-8; save the file as UTF-8", text)
    if not cells.get("url"):
        return bad_line(number, "csv.no-url", "the column `url` is empty in this line", text)
    rank = cells.get("rank") or None
    if rank is not None and not (rank.isascii() and rank.isdigit() and len(rank) < 16):
        return bad_line(number, "hit.rank", "`rank` is a number from 0, or empty", text)
    texts = {name: cells.get(name) or None for name in HIT_TEXTS}
    return _ask(number, cells["url"], texts, None if rank is None else int(rank))


class _Rows:
    """Rows with the number of the line on which they begin; what csv refuses is a bad line, and reading goes on."""

    def __init__(self, lines: Iterator[RawLine | Broken]) -> None:
        self._lines = lines
        self._number = 0
        self._broken: BadLine | None = None

    def header(self) -> list[str] | None:
        """The first line that is not blank, if it names the column; it also decides the delimiter."""
        for text in self._texts():
            if text.strip():
                for delimiter in DELIMITERS:
                    cells = _cells(text, delimiter)
                    if "url" in (cell.strip().lower() for cell in cells):
                        self._delimiter = delimiter
                        return cells
                return None
        return None

    def rest(self) -> Iterator[tuple[int, list[str] | BadLine]]:
        reader = csv.reader(self._texts(), delimiter=self._delimiter)
        while True:
            begins = self._number + 1
            try:
                row = next(reader, None)
            except csv.Error as error:
                yield begins, bad_line(begins, "csv.broken", f"not CSV from here to line {self._number}: {error}")
                continue
            if row is None:
                break
            yield begins, row
        if self._broken is not None:
            yield self._number, self._broken

    def _texts(self) -> Iterator[str]:
        for line in self._lines:
            if isinstance(line, Broken):
                self._broken = bad_line(line.number, line.code, line.message)
                return
            self._number = line.number
            yield line.data.decode("utf-8", "surrogateescape") + "\n"


def _cells(text: str, delimiter: str) -> list[str]:
    """The cells of one line; none where it is no CSV."""
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        return []


def _ask(line: int, url: str, texts: dict[str, str | None], rank: int | None) -> Ask:
    """The hit's own `url` repeats what was found; it is cut so that a nonsense URL is refused as a URL, later."""
    if rank is None and not any(texts.values()):
        return Ask(line, url)
    short = {name: text[:MAX_TEXT] if text else None for name, text in texts.items()}
    return Ask(line, url, SearchHit(url=url[:65536] or " ", rank=rank, **short))


def _text(line: RawLine | Broken) -> str | BadLine:
    if isinstance(line, Broken):
        return bad_line(line.number, line.code, line.message)
    if line.cut:
        shown = line.data[:1000].decode("utf-8", "surrogateescape")
        return bad_line(line.number, "line.too-long", f"the line is longer than {len(line.data)} bytes", shown)
    try:
        return line.data.decode("utf-8")
    except UnicodeDecodeError as error:
        shown = line.data.decode("utf-8", "surrogateescape")
        message = f"byte {error.start} of the line is not UTF-8; save the file as UTF-8"
        return bad_line(line.number, "line.not-utf-8", message, shown)
