"""`python -m deploy.hostile.serve [--llhttp DATA]`: the hostile server in a process of its own, until its input ends.

Prints one JSON object: where each case is served, by its name. A process of its own, since a server that floods
would otherwise take the time of the client that is under test.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.hostile.case import Case
from deploy.hostile.cases import CASES
from deploy.hostile.conformance import llhttp_cases
from deploy.hostile.server import hostile_server

ROOT = Path(__file__).resolve().parents[2]
END_SECONDS = 20.0


def all_cases(conformance_data: Path | None) -> tuple[Case, ...]:
    """The table, and the llhttp suite where there is one."""
    return CASES if conformance_data is None else (*CASES, *llhttp_cases(conformance_data))


@contextmanager
def hostile_process(conformance_data: Path | None) -> Iterator[dict[str, str]]:
    """Run the server as a child while the block lasts; gives the address of each case, by its name."""
    words = [] if conformance_data is None else ["--llhttp", str(conformance_data)]
    with subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", "deploy.hostile.serve", *words],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        if child.stdin is None or child.stdout is None:
            raise AssertionError("pipes were asked for")
        try:
            yield json.loads(child.stdout.readline())
        finally:
            child.stdin.close()
            try:
                child.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()


def main() -> int:
    """Serve until stdin ends, so that no server outlives who started it."""
    parser = argparse.ArgumentParser(prog="python -m deploy.hostile.serve", description=__doc__)
    parser.add_argument("--llhttp", type=Path, metavar="DATA", help="folder of conformance data; adds its responses")
    cases = all_cases(parser.parse_args().llhttp)
    with hostile_server(cases) as server:
        sys.stdout.write(json.dumps({case.name: server.url(case) for case in cases}) + "\n")
        sys.stdout.flush()
        sys.stdin.buffer.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
