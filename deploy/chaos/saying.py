"""What happens, as it happens: a line on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable

Say = Callable[[str], None]


def say_on_stderr(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
