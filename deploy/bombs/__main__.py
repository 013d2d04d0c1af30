"""`python -m deploy.bombs [--stack] [--scale F] [--only WORD]`: what each bomb costs at its full size.

By what reads pages alone; with `--stack` through everything: a real server, capture, archive, extraction, clusters,
publication. Exit 0: each cost at most its limits, and the page after it was read. 1: one did not. Takes some three
minutes, with `--stack` some ten.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from deploy.bombs import stack
from deploy.bombs.run import Bomb, bombs, run
from workers.extract.limits import SandboxLimits

MIB = 1024 * 1024
SLACK_SECONDS = 15.0
"""To start a child anew, twice at most, and on a busy machine."""
STAGES_SECONDS = 120.0
"""For everything else of the stack: a segment closes after 30 s, a head is published each 5 s, 100 MB are sent."""
FOLDER = Path("build/bombs")


def main(arguments: list[str] | None = None) -> int:
    """Run them in turn; a line each."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bombs", description="What bombs cost who reads them.")
    parser.add_argument("--scale", type=float, default=1.0, help="of the full size (1)")
    parser.add_argument("--only", default="", metavar="WORD", help="those with this word in their name")
    parser.add_argument("--stack", action="store_true", help="through the whole stack, by real workers")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"for the stack's data ({FOLDER})")
    given = parser.parse_args(arguments)
    wanted = [bomb for bomb in bombs(given.scale) if given.only in bomb.name]
    failed = 0
    for fine, line in _through_the_stack(wanted, given.folder) if given.stack else _read(wanted):
        failed += not fine
        sys.stdout.write(f"{'ok ' if fine else 'BAD'} {line}\n")
        sys.stdout.flush()
    return 1 if failed else 0


def most_seconds(limits: SandboxLimits) -> float:
    """Of one bomb: two extractors, and the first may be asked again in a child of its own."""
    return 3 * limits.cpu_milliseconds / 1000 + SLACK_SECONDS


def _read(wanted: Sequence[Bomb]) -> Iterator[tuple[bool, str]]:
    limits = SandboxLimits()
    for bomb in wanted:
        (found,) = asyncio.run(run([bomb], limits))
        within = found.seconds <= most_seconds(limits) and found.child_mib * MIB <= limits.memory_bytes
        yield (
            within and found.goes_on,
            f"{found.name:34} {found.bytes / 1e6:7.2f} MB {found.seconds:6.1f} s {found.child_mib:5.0f} MiB  "
            f"{found.reader_status} {found.reason or ''} {found.extractor or ''}",
        )


def _through_the_stack(wanted: Sequence[Bomb], folder: Path) -> Iterator[tuple[bool, str]]:
    limits = SandboxLimits()
    # By the clock on the wall, as a busy machine has it: three looks, and everything else.
    for found in stack.run(wanted, folder.absolute(), 3 * limits.wall_milliseconds / 1000 + STAGES_SECONDS):
        within = found.worker_mib * MIB <= limits.memory_bytes
        findings = [*found.findings, *([] if within else ["a process took more memory than it may"])]
        yield (
            not findings,
            f"{found.name:34} {found.seconds:6.1f} s {found.worker_mib:5.0f} MiB  {found.reader_status} "
            f"{found.reason or ''} {found.extractor or ''}{''.join(f'; {each}' for each in findings)}",
        )


if __name__ == "__main__":
    sys.exit(main())
