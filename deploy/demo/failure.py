"""A step of the demo that did not do what it must."""

from __future__ import annotations


class StepFailedError(Exception):
    """`what` is a sentence; `said` is what the command wrote, if that helps."""

    def __init__(self, what: str, said: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.said = said


def require(holds: bool, what: str, said: str = "") -> None:
    """What a step must have done."""
    if not holds:
        raise StepFailedError(what, said)
