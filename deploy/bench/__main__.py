"""`python -m deploy.bench [WHAT …]`: measure, print a table, write `build/bench/results.json`.

WHAT is `capture`, `frontier`, `rebuild`, `duplicates`, `neardup`, `bulk`, `digests`, `visits`, `commits`, `extraction`,
`gate`; all without, `extraction` and `neardup` only where the conformance data are. Exit 0: measured.
1: a side gave a wrong answer, or a floor does not hold. 2: usage. 3: a part could not be measured, since a program is
missing, a peer ended before it had answered, or our stack did not come up; the rows of the others are there in any
case, also where Ctrl-C ends the run (130). Only ratios of one run mean anything: machines are noisy.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from deploy.bench import commits, digests, gate, visits
from deploy.bench.capture.measure import GROUPS, PEERS, Wanted
from deploy.bench.capture.measure import measure as measure_capture
from deploy.bench.duplicates import bulk, candidates, suites
from deploy.bench.duplicates.measure import parts as duplicates_parts
from deploy.bench.extraction.measure import measure as measure_extraction
from deploy.bench.extraction.pages import has_data
from deploy.bench.frontier import measure as frontier
from deploy.bench.parts import Part, run_parts
from deploy.bench.rebuild import measure as rebuilding
from deploy.bench.result import summary, table

FOLDER = Path("build/bench")
WHAT = (
    "capture",
    "frontier",
    "rebuild",
    "duplicates",
    "neardup",
    "bulk",
    "digests",
    "visits",
    "commits",
    "extraction",
    "gate",
)
PEERS_PYTHON = Path("build/peers-scrapy/bin/python")
DUPLICATES_PYTHON = Path("build/peers-duplicates/bin/python")


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for, in turn."""
    given = _parser().parse_args(arguments)
    wanted = _wanted(given)
    measures: dict[str, list[Part]] = {
        "duplicates": duplicates_parts(FOLDER, given.duplicates_python, given.documents),
        "neardup": [suites.measure],
        "bulk": [lambda: bulk.measure(FOLDER.absolute(), given.texts)],
        "digests": [digests.measure],
        "frontier": [lambda: frontier.measure(FOLDER, given.lines)],
        "rebuild": [lambda: rebuilding.measure(FOLDER, given.urls)],
        "visits": [visits.measure],
        "commits": [commits.measure],
        "gate": [gate.measure],
        "extraction": [measure_extraction],
        "capture": [partial(measure_capture, each) for each in _one_by_one(wanted)],
    }
    if not given.what and not has_data():
        sys.stderr.write(
            "extraction and neardup are left out: name the conformance data with CITEVAULT_CONFORMANCE_DATA\n"
        )
        del measures["extraction"], measures["neardup"]
    parts = [
        (f"{name} {number} of {len(measures[name])}" if len(measures[name]) > 1 else name, part)
        for name in given.what or measures
        for number, part in enumerate(measures[name], 1)
    ]
    results, code = run_parts(parts, given.output)
    sys.stdout.write(f"{table(results)}\n{summary(results)}\n")
    sys.stderr.write(f"written to {given.output}; medians of runs in turn, of which only the ratios count\n")
    return code


def _one_by_one(wanted: Wanted) -> list[Wanted]:
    """What can be measured apart; memory is that of the runs of speed."""
    together = tuple(group for group in wanted.groups if group in ("speed", "memory"))
    apart = [(group,) for group in wanted.groups if group not in together]
    return [replace(wanted, groups=groups) for groups in ([together] if together else []) + apart]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.bench", description="Measure against peers.")
    parser.add_argument(
        "what",
        nargs="*",
        choices=[*WHAT, []],
        metavar="WHAT",
    )
    parser.add_argument("-o", "--output", type=Path, default=FOLDER / "results.json", metavar="FILE")
    duplicates = parser.add_argument_group("duplicates")
    duplicates.add_argument(
        "--documents", type=int, default=candidates.DOCUMENTS, metavar="N", help="in Redis (100,000)"
    )
    duplicates.add_argument("--duplicates-python", type=Path, default=DUPLICATES_PYTHON, metavar="FILE")
    duplicates.add_argument("--texts", type=int, default=bulk.TEXTS, metavar="N", help="clustered in bulk (100,000)")
    frontiers = parser.add_argument_group("frontier")
    frontiers.add_argument("--lines", type=int, default=frontier.LINES, metavar="N", help="of the list (1,000,000)")
    rebuild = parser.add_argument_group("rebuild")
    rebuild.add_argument(
        "--urls", type=int, default=rebuilding.URLS, metavar="N", help=f"of the collection ({rebuilding.URLS})"
    )
    capture = parser.add_argument_group("capture")
    capture.add_argument("--rows", type=_names(GROUPS), metavar="A,B", help=f"of {', '.join(GROUPS)}; all without")
    capture.add_argument("--peers", type=_names(tuple(PEERS)), metavar="A,B", help=f"of {', '.join(PEERS)}, or none")
    capture.add_argument("--runs", type=int, metavar="N", help="of each side (3)")
    capture.add_argument(
        "--quick", action="store_true", help="one run of ours alone: --rows speed --peers none --runs 1"
    )
    capture.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="a setting of our side")
    capture.add_argument("--profile", action="store_true", help="write where the time of one capture process goes")
    capture.add_argument("--peers-python", type=Path, default=PEERS_PYTHON, metavar="FILE")
    return parser


def _names(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    def parse(text: str) -> tuple[str, ...]:
        names = () if text == "none" else tuple(text.split(","))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of: {', '.join(known)}")
        return names

    return parse


def _wanted(given: argparse.Namespace) -> Wanted:
    settings = dict(each.partition("=")[::2] for each in given.set)
    groups, peers, runs = (("speed",), (), 1) if given.quick else (GROUPS, tuple(PEERS), 3)
    return Wanted(
        folder=FOLDER,
        peers_python=given.peers_python.absolute(),
        groups=groups if given.rows is None else given.rows,
        peers=peers if given.peers is None else given.peers,
        runs=runs if given.runs is None else given.runs,
        settings=settings,
        profile=given.profile,
    )


if __name__ == "__main__":
    sys.exit(main())
