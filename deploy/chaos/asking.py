"""Asking the product's own command line, as a person would."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from scheduler.stack.programs import PACKAGES
from workers.config import Settings, process_environment

SECONDS = 120.0
CLI = "import sys; from scheduler.cli import main; sys.exit(main())"


def asked(settings: Settings, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Any:
    """What `citevault …` prints as JSON; None where it prints none. `environment`: more variables for it."""
    try:
        return json.loads(_run(settings, arguments, environment or {}).stdout)
    except ValueError:
        return None


def complaint(settings: Settings, arguments: Sequence[str]) -> str:
    """What `citevault …` says on stderr where it cannot do what it is asked; empty: it can."""
    told = _run(settings, arguments, {})
    return told.stderr.decode(errors="replace") if told.returncode else ""


def _run(
    settings: Settings, arguments: Sequence[str], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603
        (sys.executable, "-c", CLI, *arguments),
        env={**process_environment(settings), "PYTHONPATH": str(PACKAGES), **environment},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
