"""A rebuild looks for cycles seldom, and leaves the process as it was."""

from __future__ import annotations

import gc

import pytest

from scheduler.rebuild.garbage import NEW_OBJECTS, seldom_collected


def test_the_thresholds_are_as_before_however_it_ends():
    before = gc.get_threshold()
    with seldom_collected():
        assert gc.get_threshold() == (max(NEW_OBJECTS, before[0]), *before[1:])
    assert gc.get_threshold() == before
    with pytest.raises(RuntimeError), seldom_collected():
        raise RuntimeError("the store is away")
    assert gc.get_threshold() == before
    assert gc.isenabled()
