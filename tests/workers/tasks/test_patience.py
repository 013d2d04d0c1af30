"""A store that is away for a moment is waited for; what another part has yet to write is not."""

from __future__ import annotations

import pytest

from workers.errors import CorruptError, NotYetError, RetryableError
from workers.tasks.patience import patiently


class Work:
    """Fails as often as told."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.slept: list[float] = []

    def __call__(self) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def test_the_work_is_done_again_after_growing_pauses():
    work = Work(RetryableError("away"), RetryableError("away"))
    assert patiently(work, (1.0, 2.0, 4.0), sleep=work.slept.append) == "done"
    assert work.slept == [1.0, 2.0]


def test_patience_ends_with_the_error():
    work = Work(*(RetryableError(f"away {number}") for number in range(9)))
    with pytest.raises(RetryableError, match="away 2"):
        patiently(work, (1.0, 2.0), sleep=work.slept.append)


@pytest.mark.parametrize("error", [NotYetError("its original"), CorruptError("torn")])
def test_what_waiting_does_not_help_is_not_waited_for(error: Exception):
    work = Work(error)
    with pytest.raises(type(error)):
        patiently(work, (1.0,), sleep=work.slept.append)
    assert work.slept == []
