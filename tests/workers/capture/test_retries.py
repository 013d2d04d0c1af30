"""What is worth another try, and when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.outcome import Outcome
from workers import config
from workers.capture.retries import WORTH_ANOTHER_TRY, RetrySchedule, pause_before_next_try
from workers.config import ConfigError

SCHEDULE = RetrySchedule()


def test_a_url_without_an_answer_is_tried_four_times_more_and_then_no_more():
    pauses = [pause_before_next_try(Outcome.TIMEOUT, tries, SCHEDULE) for tries in range(1, 7)]
    assert pauses == [60, 600, 3600, 21_600, None, None]


@pytest.mark.parametrize("outcome", list(Outcome))
def test_what_was_decided_or_answered_is_not_tried_again(outcome: Outcome):
    assert (pause_before_next_try(outcome, 1, SCHEDULE) is not None) == (
        outcome
        in {
            Outcome.DNS_FAILED,
            Outcome.CONNECT_FAILED,
            Outcome.TIMEOUT,
            Outcome.EMPTY_REPLY,
            Outcome.ROBOTS_UNREACHABLE,
        }
    )


@given(st.sampled_from(sorted(WORTH_ANOTHER_TRY)), st.lists(st.floats(0.1, 1e5), max_size=6))
def test_every_schedule_ends(outcome: Outcome, pauses: list[float]):
    schedule = RetrySchedule(tuple(pauses))
    given_out = [pause_before_next_try(outcome, tries, schedule) for tries in range(1, len(pauses) + 2)]
    assert given_out == [*pauses, None]


@pytest.mark.parametrize(
    ("text", "pauses"),
    [("60,600,3600,21600", (60, 600, 3600, 21_600)), (" 0.5, 2 ", (0.5, 2)), ("Never", ())],
)
def test_the_schedule_is_a_setting(tmp_path, text, pauses):
    settings = config.load(environ={"CITEVAULT_RETRY_SECONDS": text}, folder=tmp_path)
    assert RetrySchedule.of(settings.retry_seconds).pauses_seconds == pauses
    child = config.load(environ=config.process_environment(settings), folder=tmp_path)
    assert child.retry_seconds == settings.retry_seconds


def test_the_default_setting_is_the_default_schedule():
    assert RetrySchedule.of(config.Settings().retry_seconds) == SCHEDULE


@pytest.mark.parametrize("text", ["soon", "0", "-1", ",", "60;600", "1e9", "nan", ",".join(["1"] * 21)])
def test_a_schedule_that_is_none_is_refused(tmp_path, text):
    with pytest.raises(ConfigError, match="CITEVAULT_RETRY_SECONDS must be up to 20 pauses"):
        config.load(environ={"CITEVAULT_RETRY_SECONDS": text}, folder=tmp_path)
