"""`citevault`: the front door. Exit 0 done, 1 the answer is no, 2 usage or bad input, 3 could not tell or reach."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Without the extra `archive` it says what to install, and exits 2."""
    try:
        from scheduler.cli.root import run

        code = run()  # a command's own modules are read when it is asked for
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package in {"schemas", "scheduler", "validator", "workers"}:
            raise
        sys.stderr.write(
            f"citevault needs the extra `archive` ({package} is not installed)\n"
            "  next: pip install './[archive]' in Citevault's checkout\n"
        )
        sys.exit(2)
    sys.exit(code)
