"""What pages show, as values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.web.views import BAR_UNITS, bar, kind_of, moment, size, web_link
from schemas.records.outcome import Outcome

COUNTS = st.lists(st.integers(0, 10**7), max_size=len(Outcome))


@given(COUNTS, st.integers(0, 10**8))
def test_a_bar_stays_within_its_length_and_shows_all_that_counts(counts, more):
    parts = bar([("good", "x", count) for count in counts], sum(counts) + more)
    assert [part.count for part in parts] == counts
    assert all(part.start + part.width <= BAR_UNITS + 4 for part in parts)
    assert all(part.width > 0 for part in parts if part.count)
    assert [part.start for part in parts] == sorted(part.start for part in parts)


def test_a_job_that_knows_no_url_has_an_empty_bar():
    assert bar([], 0) == []


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_a_colour_and_what_was_answered_is_never_a_failure(outcome):
    assert kind_of(outcome) in {"good", "same", "partly", "refused", "failed"}
    assert not (outcome.has_response and kind_of(outcome) in {"refused", "failed"})


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//host/", "http://[", "", "vbscript:x"])
def test_only_web_addresses_become_links(url):
    assert web_link(url) is None


def test_times_and_sizes_read_well():
    assert moment("2026-08-22T03:15:00.5Z") == "2026-08-22 03:15:00"
    assert (size(5), size(2048), size(3 * 1024**2), size(5000 * 1024**3)) == (
        "5 bytes", "2.0 KiB", "3.0 MiB", "5000.0 GiB",
    )  # fmt: skip
