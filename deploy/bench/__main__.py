"""`python -m deploy.bench`: measure, print a table, write `build/bench/results.json`.

Exit 0: measured. 1: a side gave a wrong answer, or, with `--strict`, a floor does not hold. The numbers are of one
process and of CPU time; only ratios of one run mean anything.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deploy.bench import digests, signatures
from deploy.bench.result import Result, table, write

RESULTS = Path("build/bench/results.json")


def main() -> int:
    """Run all measurements in turn."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bench", description="Measure against peers.")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, metavar="FILE")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a floor does not hold")
    given = parser.parse_args()
    results: list[Result] = []
    for name, measure in (("signatures", signatures.measure), ("digests", digests.measure)):
        sys.stderr.write(f"measuring {name}\n")
        try:
            results += measure()
        except AssertionError as wrong:
            sys.stderr.write(f"{name}: {wrong}\n")
            return 1
    write(results, given.output)
    sys.stdout.write(table(results) + "\n")
    sys.stderr.write(f"written to {given.output}; both sides in one process, CPU time, medians\n")
    below = [result.name for result in results if not result.holds]
    return 1 if given.strict and below else 0


if __name__ == "__main__":
    sys.exit(main())
