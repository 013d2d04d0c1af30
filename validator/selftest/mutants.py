"""The fixed list of forgeries: what is changed, whose lie it is, and the finding that has to say so.

Each is as small as it can be and as careful as its forger can be, so that what kills it is the check that it is
about. A list may grow; an entry is never loosened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schemas.findings import FindingKind as K
from validator.selftest.forgery import Forgery, Stage


@dataclass(frozen=True, slots=True)
class Mutant:
    """One forgery. `expected`: the finding that must be among those reported; None: the input is refused (exit 2)."""

    name: str
    stage: Stage
    edit: Callable[[Forgery], object]
    expected: K | None
