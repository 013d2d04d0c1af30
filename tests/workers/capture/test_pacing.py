"""When a host is asked again."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from schemas.records.outcome import Outcome
from workers.capture.httpdate import parse_http_date
from workers.capture.pacing import Pace, delay_after, is_busy, retry_after, retry_delay, should_retry

NOW = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(("answer", "delay"), [(0.0, 1.0), (0.4, 1.0), (2.0, 4.0), (15.0, 30.0), (100.0, 30.0)])
def test_a_public_host_rests_twice_as_long_as_it_took_within_bounds(answer, delay):
    assert delay_after(answer) == delay


def test_an_allowed_network_needs_no_rest():
    assert delay_after(2.0, inside_allowed=True) == 0


@pytest.mark.parametrize(("crawl_delay", "delay"), [(0.5, 0.5), (10, 10), (60, 60), (3600, 60), (0, 4.0), (None, 4.0)])
def test_a_crawl_delay_takes_the_place_of_ours_up_to_a_minute(crawl_delay, delay):
    assert delay_after(2.0, crawl_delay=crawl_delay) == delay


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("120", 120.0),
        (" 5 ", 5.0),
        ("0", 0.0),
        ("999999", 86400.0),
        ("9" * 400, 86400.0),
        ("Sun, 29 Nov 2026 12:10:00 GMT", 600.0),
        ("Sunday, 29-Nov-26 12:10:00 GMT", 600.0),
        ("Sun Nov 29 12:10:00 2026", 600.0),
        ("Sun, 29 Nov 2026 11:00:00 GMT", 0.0),
        ("Sun, 29 Nov 2099 11:00:00 GMT", 86400.0),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("x" * 10_000, None),
    ],
)
def test_retry_after_is_read_in_both_forms_and_capped_at_a_day(value, seconds):
    assert retry_after(value, NOW) == seconds


def test_a_failed_url_is_tried_four_times_more_and_then_no_longer():
    assert [retry_delay(tries) for tries in range(7)] == [None, 60.0, 600.0, 3600.0, 21600.0, None, None]


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_told_by_its_status(status):
    assert is_busy(status)
    assert should_retry(Outcome.CAPTURED, status)


def test_only_what_may_end_better_is_tried_again():
    again = {outcome for outcome in Outcome if should_retry(outcome, None)}
    assert again == {
        Outcome.DNS_FAILED,
        Outcome.CONNECT_FAILED,
        Outcome.TIMEOUT,
        Outcome.EMPTY_REPLY,
        Outcome.ROBOTS_UNREACHABLE,
    }
    assert not should_retry(Outcome.CAPTURED, 404)
    assert not is_busy(500)


def test_dates_are_read_as_leniently_as_cookies_dates(conformance_data):
    compared = 0
    for name in ("http-state-examples.json", "http-state-bsd-examples.json"):
        for case in json.loads((conformance_data / "http/dates" / name).read_text()):
            got = parse_http_date(case["test"])
            text = None if got is None else got.strftime("%a, %d %b %Y %H:%M:%S GMT")
            assert text == case["expected"], case
            compared += 1
    assert compared >= 30


@pytest.mark.parametrize(
    "text", ["", "Sun, 32 Nov 2026 12:00:00 GMT", "Sun, 29 Nov 2026 25:00:00 GMT", "29 Nov 1500 1:1:1", "\x00", "Nov"]
)
def test_what_is_no_date_is_none(text):
    assert parse_http_date(text) is None


def test_another_pace_changes_every_bound() -> None:
    slow = Pace(answer_times=10, least=5, most=50, most_crawl_delay=3, most_retry_after=7)
    assert [delay_after(answer, pace=slow) for answer in (0.1, 2.0, 60.0)] == [5, 20, 50]
    assert delay_after(1.0, crawl_delay=30, pace=slow) == 3
    assert retry_after("100", NOW, pace=slow) == 7
