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
    told = subprocess.run(  # noqa: S603
        (sys.executable, "-c", CLI, *arguments),
        env={**process_environment(settings), "PYTHONPATH": str(PACKAGES), **(environment or {})},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    try:
        return json.loads(told.stdout)
    except ValueError:
        return None
