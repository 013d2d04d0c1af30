"""The table: for each case what a browser does, the outcome, what the archive holds, and who reads it back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.hostile.case import Case
from deploy.hostile.conformance import ANYTHING
from deploy.hostile.held import HeldExchange, HeldFile
from deploy.hostile.readers import YES, Readings, gives_payload, verdict
from deploy.hostile.replay import Pywb
from deploy.hostile.run import Run
from schemas.records.outcome import Hop, Outcome

HERE = Path(__file__).resolve().parent
TABLE = HERE / "TABLE.md"
BROWSER = HERE / "browser.json"
READERS = ("FastWARC", "warcio", "cdxj-indexer", "pywb")
_WIRE_WORDS = {
    "http-interim": "1xx heads",
    "http-not-modified-head": "head of the 304",
    "http-head-bytes": "where the head ends",
    "http-marked-line": "which lines were marked",
    "http-chunk": "chunk lines",
    "http-trailer": "trailer",
    "http-surplus": "bytes after the end",
}
_QUIET = {"http-marked-line"}


@dataclass(frozen=True, slots=True)
class Row:
    """One case in the archive."""

    case: Case
    outcome: str
    held: str
    readers: Mapping[str, str]
    """What each reader makes of it; empty where there is no response to read."""
    readable: bool
    """Whether at least one reader finds the payload in the record."""

    def cells(self, browser: str) -> tuple[str, ...]:
        """The cells of the row."""
        return (self.case.name, browser, self.outcome, self.held, _who(self.readers))


def row_of(
    case: Case, url: str, run: Run, readings: Mapping[str, Readings], index: Mapping[str, str], pywb: Pywb
) -> Row:
    """What became of one case. `readings`: of FastWARC and warcio, by their names."""
    outcome, _ = run.outcomes()[url]
    whole = case.outcome == ANYTHING and outcome.outcome in (Outcome.CAPTURED, Outcome.REVISIT)
    twin = whole and outcome.final is not None and _has_twin(run, outcome.final)
    found = [each for each in HeldFile(run).exchanges(outcome) if each.url.split("?")[0] == url]
    if not found:
        return Row(case, outcome.outcome.value, "metadata record with the reason", {}, readable=True)
    last = found[-1]
    hop = next(hop for hop in outcome.hops if any(place.record_id == last.record_id for place in hop.records))
    stamp = "".join(character for character in hop.retrieved_at if character.isdigit())[:14]
    replayed = pywb.replayed(stamp, last.url)
    asked = {name: given.get(last.record_id) for name, given in readings.items()}
    told = {name: verdict(reading, last, hop.http_status) for name, reading in asked.items()}
    told |= {"cdxj-indexer": YES if twin else index[last.record_id], "pywb": verdict(replayed, last, hop.http_status)}
    readable = any(gives_payload(reading, last) for reading in (*asked.values(), replayed))
    if twin:
        held = _held([replace(last, record_type="response or revisit")], hop.http_status)
        return Row(case, "captured or revisit", held, told, readable)
    return Row(case, outcome.outcome.value, _held(found, hop.http_status), told, readable)


def _has_twin(run: Run, hop: Hop) -> bool:
    """Whether another case gave the same payload: which of the two is stored, and which refers to it, is chance."""
    digests = [
        other.content_sha256 for outcome, _ in run.outcomes().values() for other in outcome.hops if other.content_bytes
    ]
    return digests.count(hop.content_sha256) > 1


def _held(exchanges: list[HeldExchange], status: int | None) -> str:
    last = exchanges[-1]
    count = f"{len(exchanges)} answers, the last: " if len(exchanges) > 1 else ""
    said = "no status" if status is None else f"{status:03d}"
    size = "what came in time" if last.truncated == "time" else f"{len(last.content)} bytes"
    cut = f", cut: {last.truncated}" if last.truncated else ""
    beside = ", ".join(_WIRE_WORDS[name] for name in last.beside if name not in _QUIET)
    return f"{count}{last.record_type} {said}, {size}{cut}" + (f"; beside it: {beside}" if beside else "")


def _who(readers: Mapping[str, str]) -> str:
    others = [f"{name}: {told}" for name, told in readers.items() if told != YES]
    if not readers:
        return "-"
    if not others:
        return "all four"
    good = [name for name, told in readers.items() if told == YES]
    return "; ".join([", ".join(good) or "none", *others])


def table_lines(rows: Mapping[str, tuple[Row, ...]], browser: Mapping[str, str]) -> Iterator[str]:
    """Lines of Markdown, by groups of rows."""
    for group, members in rows.items():
        yield from ("", f"## {group}", "")
        yield "| case | Chromium | outcome | in the WARC | read back by |"
        yield "|---|---|---|---|---|"
        for row in members:
            cells = row.cells(browser.get(row.case.name, "not looked at"))
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def rows_in(document: str) -> list[str]:
    """The rows of the tables in a document, as they stand there."""
    return [line for line in document.splitlines() if line.startswith("| ") and not line.startswith("| case |")]


def browser_answers() -> dict[str, str]:
    """What the browser did when it was last asked, by case."""
    stored: dict[str, dict[str, str]] = json.loads(BROWSER.read_text(encoding="utf-8"))
    return stored["cases"]
