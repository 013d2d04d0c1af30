"""How times are written: always in UTC, always to the microsecond."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.ids import utc_string

YEAR_1000 = datetime(1000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""Hypothesis wants its bounds without a zone. Before it strftime pads no year."""


@given(st.datetimes(min_value=YEAR_1000, timezones=st.just(UTC)))
def test_a_time_is_written_to_the_microsecond_with_a_z(moment: datetime) -> None:
    assert utc_string(moment) == moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@pytest.mark.parametrize("zone", [None, timezone(timedelta(hours=1)), timezone(timedelta(microseconds=1))])
def test_a_time_that_is_not_in_utc_is_refused(zone: timezone | None) -> None:
    with pytest.raises(ValueError, match="UTC"):
        utc_string(datetime(2026, 11, 30, tzinfo=zone))
