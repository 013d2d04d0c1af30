"""`python -m deploy.bombs [--scale F] [--only WORD]`: what each bomb costs at its full size.

Exit 0: each cost at most its limits, and the page after it was read. 1: one did not. Takes some three minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from deploy.bombs.run import bombs, run
from workers.extract.limits import SandboxLimits

MIB = 1024 * 1024
SLACK_SECONDS = 15.0
"""To start a child anew, twice at most, and on a busy machine."""


def main(arguments: list[str] | None = None) -> int:
    """Run them in turn; a line each."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bombs", description="What bombs cost who reads them.")
    parser.add_argument("--scale", type=float, default=1.0, help="of the full size (1)")
    parser.add_argument("--only", default="", metavar="WORD", help="those with this word in their name")
    given = parser.parse_args(arguments)
    limits = SandboxLimits()
    # Two extractors, and the first may be asked again in a child of its own.
    most = 3 * limits.cpu_milliseconds / 1000 + SLACK_SECONDS
    failed = 0
    for bomb in bombs(given.scale):
        if given.only not in bomb.name:
            continue
        (found,) = asyncio.run(run([bomb], limits))
        within = found.seconds <= most and found.child_mib * MIB <= limits.memory_bytes and found.goes_on
        failed += not within
        sys.stdout.write(
            f"{'ok ' if within else 'BAD'} {found.name:34} {found.bytes / 1e6:7.2f} MB {found.seconds:6.1f} s "
            f"{found.child_mib:5.0f} MiB  {found.reader_status} {found.reason or ''} {found.extractor or ''}\n"
        )
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
