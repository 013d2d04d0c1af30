"""`citevault`: the front door. Exit 0 done, 1 the answer is no, 2 usage or bad input, 3 could not tell or reach."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Without the extra `archive` it says what to install, and exits 2."""
    try:
        from scheduler.cli.root import run
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] in {"schemas", "scheduler", "workers"}:
            raise
        sys.stderr.write(
            f"citevault needs the extra `archive` ({missing.name} is not installed)\n"
            "  next: pip install './[archive]' in Citevault's checkout\n"
        )
        sys.exit(2)
    sys.exit(run())
