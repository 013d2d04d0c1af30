"""Running the parts of a benchmark so that one that fails costs only its own rows."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from deploy.bench.capture.origin import MissingProgramError
from deploy.bench.capture.stack import DidNotStartError
from deploy.bench.ended import PeerEndedError
from deploy.bench.result import Result, write
from workers.errors import CitevaultError

Part = Callable[[], list[Result]]
WRONG, NOT_MEASURED, STOPPED = 1, 3, 130


def run_parts(parts: Sequence[tuple[str, Part]], output: Path) -> tuple[list[Result], int]:
    """All rows, which are in the file before the next part begins; and the exit code: 1 where a side gave a wrong
    answer or a floor does not hold, else 130 where a person stopped it, else 3 where a part could not be measured,
    else 0. Each part is told of with its seconds."""
    results: list[Result] = []
    codes = {0}
    write(results, output)
    for number, (name, part) in enumerate(parts, 1):
        sys.stderr.write(f"[{number}/{len(parts)}] {name}\n")
        started = time.monotonic()
        try:
            results += part()
        except AssertionError as wrong:
            sys.stderr.write(f"{name}: {wrong}\n")
            codes.add(WRONG)
        except KeyboardInterrupt:
            sys.stderr.write(f"{name}: stopped; what was measured before it is there\n")
            codes.add(STOPPED)
            break
        except (MissingProgramError, DidNotStartError, PeerEndedError, CitevaultError) as missing:
            sys.stderr.write(f"{name}: {missing}\n")
            codes.add(NOT_MEASURED)
        except Exception:  # noqa: BLE001 (whatever it is, an hour of other rows must not be lost over it)
            sys.stderr.write(f"{name}: {traceback.format_exc()}")
            codes.add(NOT_MEASURED)
        finally:
            write(results, output)
        sys.stderr.write(f"[{number}/{len(parts)}] {name}: {time.monotonic() - started:.0f} s\n")
    if any(not result.holds for result in results):
        codes.add(WRONG)
    return results, WRONG if WRONG in codes else max(codes)
