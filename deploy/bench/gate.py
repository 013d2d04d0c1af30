"""The gate on 10,000 edges over 1,000 snapshots: seconds and memory of one run of the program, its start included.

The bundle is made by the self-test's forger, honestly: a thousand sites with a page of some thousand words each,
5,000 claims with two edges each, half of them critical. The run has to accept it, and has to refuse it with one quote
changed, before it is timed. Without `--deep`, as the figures of the table are; with it as a row beside.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from deploy.bench.result import Result
from deploy.bench.texts import text
from schemas.records.claim import Importance
from schemas.records.source import Tier
from validator.selftest.document import ClaimPlan, EdgePlan
from validator.selftest.forgery import Forgery, Stage
from validator.selftest.mutants_quotes import moved
from validator.selftest.pages import Page
from validator.selftest.signing import AUTHOR, PUBLISHER

SNAPSHOTS, EDGES_EACH, SENTENCES, WORDS = 1_000, 10, 50, 20
RUNS = 3
PROGRAM = """
import sys
from validator.cli import main
code = main(sys.argv[1:])
print(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
sys.exit(code)
"""
"""The program, which says at its end how much memory it took: what a parent is told counts the parent's own."""


def measure(snapshots: int = SNAPSHOTS, runs: int = RUNS) -> list[Result]:
    """Rows of seconds and megabytes. Raises AssertionError where the gate answers wrongly."""
    with tempfile.TemporaryDirectory(prefix="citevault-gate-") as name:
        folder = Path(name)
        _write(forged(snapshots).made(), folder / "good")
        _write(forged(snapshots).made(Stage.DOCUMENT, moved("ev-001", 1, 1)), folder / "bad")
        (folder / "keys.pem").write_bytes(PUBLISHER.pem + AUTHOR.pem)
        assert _run(folder, "bad")[0] == 1, "a changed quote was accepted"
        rows: list[Result] = []
        for title, options, limits in (
            ("", (), ((5.0, 1.5), (300.0, 150.0))),
            (", deep", ("--deep",), ((None, None), (None, None))),
        ):
            tried = [_run(folder, "good", *options) for _ in range(runs)]
            assert {code for code, _, _ in tried} == {0}, "the good bundle was refused"
            for what, unit, value, (floor, goal) in (
                ("seconds", "s", median(seconds for _, seconds, _ in tried), limits[0]),
                ("memory", "MB", median(megabytes for _, _, megabytes in tried), limits[1]),
            ):
                rows.append(
                    Result(
                        name=f"gate on {snapshots * EDGES_EACH:,} edges, {snapshots:,} snapshots{title}: {what}",
                        value=value,
                        unit=unit,
                        peer=None,
                        peer_value=None,
                        ratio=None,
                        lower_is_better=True,
                        floor=floor,
                        goal=goal,
                    )
                )
        return rows


def forged(snapshots: int) -> Forgery:
    """The bundle, not yet made."""
    words = text(snapshots * SENTENCES * WORDS, seed=7).split()
    tiers = (Tier.OFFICIAL, Tier.PRIMARY, Tier.SECONDARY)
    pages = []
    for number in range(snapshots):
        own = words[number * SENTENCES * WORDS : (number + 1) * SENTENCES * WORDS]
        sentences = tuple(
            " ".join([f"On page {number} line {line} says", *own[line * WORDS : (line + 1) * WORDS]]) + "."
            for line in range(SENTENCES)
        )
        pages.append(Page(f"p{number}", f"https://site-{number}.example/page", sentences, tier=tiers[number % 3]))
    claims, edges = [], []
    for number in range(snapshots * EDGES_EACH // 2):
        identifier = f"c-{number:05d}"
        importance = Importance.CRITICAL if number % 2 else Importance.ORDINARY
        claims.append(ClaimPlan(identifier, f"What is claimed under {_letters(number)} holds.", importance))
        for page in (number % snapshots, (number * 7 + 1) % snapshots):
            edges.append(EdgePlan(identifier, f"p{page}", number // snapshots * 2 + page % 2))
    return Forgery(pages, claims, edges)


def _letters(number: int) -> str:
    """A name without figures, which the gate would look for in quotes."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:05d}")


def _write(forgery: Forgery, folder: Path) -> None:
    for name, data in forgery.files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _run(folder: Path, name: str, *options: str) -> tuple[int, float, float]:
    """Exit, seconds from start to end, and the most megabytes that were resident."""
    command = [sys.executable, "-c", PROGRAM, "bundle", str(folder / name), *options]
    command += ["--trust", str(folder / "keys.pem"), "--output", os.devnull]
    started = time.perf_counter()
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # noqa: S603 -- our own program
    return ended.returncode, time.perf_counter() - started, int(ended.stdout) / 1024
