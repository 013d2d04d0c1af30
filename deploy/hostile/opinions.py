"""All readers over one run: a row for each case, group by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from deploy.hostile.case import Case
from deploy.hostile.cases import CASES, GROUPS
from deploy.hostile.readers import by_fastwarc, by_indexer, by_warcio
from deploy.hostile.replay import running_pywb
from deploy.hostile.run import Run
from deploy.hostile.table import Row, row_of

LLHTTP = "Responses of llhttp's suite"


def grouped(cases: Sequence[Case]) -> dict[str, tuple[Case, ...]]:
    """Cases under the headings of the table; what is not of our own table is llhttp's."""
    heading = {case.name: group for group, members in GROUPS.items() for case in members}
    own = {group: tuple(case for case in CASES if heading[case.name] == group) for group in GROUPS}
    others = tuple(case for case in cases if case.name not in heading)
    return own | ({LLHTTP: others} if others else {})


def all_rows(
    run: Run, cases: Sequence[Case], urls: Mapping[str, str], peers: Path, folder: Path
) -> dict[str, tuple[Row, ...]]:
    """Ask every reader about every case. `peers`: programs of pywb and cdxj-indexer; `folder`: for their files."""
    archive = folder / "archive"
    readings = {"FastWARC": by_fastwarc(run), "warcio": by_warcio(run)}
    index = by_indexer(run, peers, archive)
    with running_pywb(peers, folder / "pywb", archive, run.index) as pywb:
        return {
            group: tuple(row_of(case, urls[case.name], run, readings, index, pywb) for case in members)
            for group, members in grouped(cases).items()
        }
