"""How often Python looks for cycles while a rebuild lasts.

Its objects are many, live briefly, and are in no cycle. To look through them every 700 new ones takes a third of the
whole time; every 100,000 it takes nothing that could be measured, and what cycles there are (of errors with their
frames) wait for some megabytes longer.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

NEW_OBJECTS: Final = 100_000


@contextmanager
def seldom_collected() -> Iterator[None]:
    """For the length of a block; afterwards as before."""
    before = gc.get_threshold()
    gc.set_threshold(max(NEW_OBJECTS, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
