"""Running the parts of a benchmark so that one that fails costs only its own rows."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

from deploy.bench.capture.origin import MissingProgramError
from deploy.bench.capture.stack import DidNotStartError
from deploy.bench.result import Result, write
from workers.errors import CitevaultError

Part = Callable[[], list[Result]]
WRONG, NOT_MEASURED = 1, 3


def run_parts(parts: Iterable[tuple[str, Part]], output: Path) -> tuple[list[Result], int]:
    """All rows, which are in the file before the next part begins; and the exit code: 1 where a side gave a wrong
    answer, else 3 where a part could not be measured, else 0."""
    results: list[Result] = []
    codes = {0}
    write(results, output)
    for name, part in parts:
        sys.stderr.write(f"measuring {name}\n")
        try:
            results += part()
        except AssertionError as wrong:
            sys.stderr.write(f"{name}: {wrong}\n")
            codes.add(WRONG)
        except (MissingProgramError, DidNotStartError, CitevaultError) as missing:
            sys.stderr.write(f"{name}: {missing}\n")
            codes.add(NOT_MEASURED)
        except Exception:  # noqa: BLE001 (whatever it is, an hour of other rows must not be lost over it)
            sys.stderr.write(f"{name}: {traceback.format_exc()}")
            codes.add(NOT_MEASURED)
        write(results, output)
    return results, WRONG if WRONG in codes else max(codes)
