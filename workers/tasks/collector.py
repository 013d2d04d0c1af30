"""Python's cycle collector, set for a process that keeps much and makes few cycles.

A worker holds half a million objects for as long as it lives (what was imported, the archive it opened), and gathers
the outcomes of a batch, thousands of objects that live until its commit. With Python's own limits the collector ran
once every twenty pages and took a tenth of a worker's time, to find next to nothing: what a page leaves behind is freed
by its reference counts.
"""

from __future__ import annotations

import gc

YOUNG = 20_000
"""Objects made and not freed, before the youngest are looked through (Python: 700). Some hundred pages' worth."""
MIDDLE, OLD = 20, 50
"""How often that happens before those who stayed are looked through too (10, 10)."""


def settle() -> None:
    """Take what there is by now for permanent, and look less often for garbage among the rest."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
