"""`python -m deploy.chaos [WHAT …]`: put the local stack through what may happen to it, and look whether it is whole.

WHAT is `kills`. Exit 0: whole. 1: something is not. 2: usage. 3: a part did not come up, or a program is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from deploy.bench.capture.origin import MissingProgramError
from deploy.chaos import report
from deploy.chaos.kills import ANSWER_SECONDS, HOSTS, URLS, Given, Result, run, say_on_stderr
from workers.errors import CitevaultError

FOLDER = Path("build/chaos")


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for, in turn."""
    given = _parser().parse_args(arguments)
    results: list[Result] = []
    try:
        for seed in range(given.seed, given.seed + given.seeds):
            say_on_stderr(f"seed {seed}")
            wanted = Given(seed, given.urls, given.hosts, given.answer_seconds)
            results.append(run(wanted, given.folder / f"seed-{seed}", say_on_stderr))
            if not given.json:
                sys.stdout.write(report.as_text(results[-1]) + "\n")
                sys.stdout.flush()
    except (MissingProgramError, CitevaultError) as missing:
        say_on_stderr(f"chaos: {missing}")
        return 3
    if given.json:
        sys.stdout.write(json.dumps([report.as_document(result) for result in results], indent=1) + "\n")
    return 1 if any(result.findings for result in results) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.chaos", description="Kill parts, and look what is left.")
    parser.add_argument("what", nargs="?", choices=["kills"], default="kills", metavar="WHAT")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the first one")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="how many")
    parser.add_argument("--urls", type=int, default=URLS, metavar="N")
    parser.add_argument("--hosts", type=int, default=HOSTS, metavar="N")
    parser.add_argument("--answer-seconds", type=float, default=ANSWER_SECONDS, metavar="S")
    parser.add_argument("--folder", type=Path, default=FOLDER, metavar="DIR", help="where data and logs are left")
    parser.add_argument("--json", action="store_true", help="one document on stdout, nothing else there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
