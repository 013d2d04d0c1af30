"""The short way of writing a time says what the long one says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from schemas.ids import utc_string
from workers.adapters.http.stamp import utc_stamp

BEGIN = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.integers(0, 10**18 * 4), st.integers(0, 999))
def test_a_stamp_is_the_time_as_records_have_it(microseconds: int, beyond: int) -> None:
    microseconds //= 1000
    assert utc_stamp(microseconds * 1000 + beyond) == utc_string(BEGIN + timedelta(microseconds=microseconds))
