import hashlib

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from workers.dedup import sha1_lanes
from workers.dedup.native import kernel
from workers.dedup.sha1_lanes import LANES, LONGEST, sha1_words


def words_of(messages: list[bytes]) -> list[bytes]:
    lengths = np.array([len(message) for message in messages], dtype=np.int64)
    data = np.frombuffer(b"".join(messages), dtype=np.uint8)
    return [pair.astype(">u4").tobytes() for pair in sha1_words(data, np.cumsum(lengths) - lengths, lengths).T]


@pytest.fixture(autouse=True, params=["numpy", "compiled"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways have to give the same."""
    if request.param == "numpy":
        monkeypatch.setattr(sha1_lanes, "kernel", lambda: None)
    elif kernel() is None:
        pytest.skip("no C compiler was there when this was installed: python -m workers.native")


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.binary(max_size=200), max_size=30))
@example([bytes(length) for length in range(LONGEST + 5)])  # every length at which a block more begins
def test_each_lane_has_the_sha_1_of_its_message(messages: list[bytes]) -> None:
    assert words_of(messages) == [hashlib.sha1(message).digest()[:8] for message in messages]


def test_more_messages_than_one_step_takes() -> None:
    messages = [b"message %d" % number for number in range(LANES + 3)]
    assert words_of(messages)[-5:] == [hashlib.sha1(message).digest()[:8] for message in messages[-5:]]
