"""Dates as pages write them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.extract.dates import iso_date

LATEST = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2023-11-02", "2023-11-02"),
        (" 2023-11-02T13:00:00Z ", "2023-11-02T13:00:00Z"),
        ("2023-11-02T13:00:00.000+00:00", "2023-11-02T13:00:00Z"),
        ("2023-11-02T13:00:00+0100", "2023-11-02T13:00:00+01:00"),
        ("2023-11-02 13:00:00 -05:00", "2023-11-02T13:00:00-05:00"),
        ("2023-11-02T13:00", "2023-11-02T13:00:00"),
        ("2023/11/02", "2023-11-02"),
        ("20231102", "2023-11-02"),
        ("2023.11.02", "2023-11-02"),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("1981-09-01", "1981-09-01"),
        ("2026-11-30", "2026-11-30"),
        ("2026-12-01", None),
        ("2099-01-01T00:00:00Z", None),
        ("0000-00-00", None),
        ("2023-13-40", None),
        ("03/04/2023", None),
        ("March 2023", None),
        ("yesterday", None),
        ("2023-11-02" + " " * 100, "2023-11-02"),
        ("2023-11-02T13:00:00" + "0" * 100, None),
        ("", None),
    ],
)
def test_a_date_is_certain_or_it_is_none(written: str, expected: str | None) -> None:
    assert iso_date(written, LATEST) == expected


@given(st.text(alphabet="0123456789-/:.TZ+ ,JanFebMon", max_size=40))
def test_any_string_is_read_without_an_exception(text: str) -> None:
    found = iso_date(text, LATEST)
    assert found is None or iso_date(found, LATEST) == found
