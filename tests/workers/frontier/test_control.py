"""What was decided about jobs, and what it makes of an outcome."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.decision import ControlJob, Decision, DissolveGroup
from schemas.records.outcome import Outcome, UrlOutcome
from workers.frontier.control import FAILURES, TAKEN_UP, Control, controls_of, decisions_about
from workers.frontier.standing import Later, standing

URL = "https://a.test/"


def log_of(*actions: str | tuple[str, str]) -> list[Decision]:
    found = []
    for sequence, action in enumerate(actions, 1):
        job_id, what = ("job-1", action) if isinstance(action, str) else action
        outcomes = (Outcome.TIMEOUT,) if what == "retry" else ()
        found.append(
            Decision(
                schema="citevault/decision@1", sequence=sequence, at="2026-11-29T10:00:00Z", by="A. Editor",
                why="the site asked us to", decision=ControlJob(job_id=job_id, action=what, outcomes=outcomes),
            )
        )  # fmt: skip
    return found


@pytest.mark.parametrize(
    ("actions", "state", "calls"),
    [
        ((), "running", 0),
        (("pause",), "paused", 0),
        (("pause", "resume"), "running", 0),
        (("pause", "retry"), "paused", 1),
        (("retry", "retry"), "running", 2),
        (("pause", "cancel"), "cancelled", 0),
        (("cancel", "resume"), "cancelled", 0),
        (("cancel", "retry"), "cancelled", 0),
    ],
)
def test_the_last_decision_holds_and_a_cancelled_job_stays_so(actions: Sequence[str], state: str, calls: int):
    control = controls_of(log_of(*actions)).get("job-1", Control())
    assert (control.state, len(control.calls), control.sequence) == (state, calls, len(actions))


def test_jobs_and_groups_do_not_touch_each_other():
    log = [*log_of(("job-1", "pause"), ("job-2", "cancel"))]
    log.append(log[0].model_copy(update={"sequence": 3, "decision": DissolveGroup(name="wire")}))
    assert {job: control.state for job, control in controls_of(log).items()} == {
        "job-1": "paused",
        "job-2": "cancelled",
    }
    assert [entry.sequence for entry, _ in decisions_about(log, "job-2")] == [2]


def test_what_has_an_answer_or_was_written_off_is_never_taken_up():
    assert FAILURES < TAKEN_UP
    assert not any(outcome.has_response for outcome in TAKEN_UP)
    assert not {Outcome.CANCELLED, Outcome.OUT_OF_SCOPE} & TAKEN_UP


def told(outcome: Outcome, *, calls: int = 0, retry_at: str | None = None, tries: int = 3) -> UrlOutcome:
    return UrlOutcome(
        requested_url=URL, normalized_url=URL, visit=1, outcome=outcome, calls=calls, retry_at=retry_at, tries=tries
    )


CALLS = [frozenset({Outcome.TIMEOUT}), frozenset({Outcome.PARKED, Outcome.TIMEOUT})]


def test_a_try_from_before_a_call_is_followed_by_one_at_once_and_by_a_new_schedule():
    stands = standing(told(Outcome.TIMEOUT, calls=1), CALLS)
    assert isinstance(stands, Later)
    assert (stands.not_before_ms, stands.url.tries) == (0, 0)


def test_a_try_from_after_the_last_call_ends_as_it_ended():
    assert standing(told(Outcome.TIMEOUT, calls=2), CALLS) is Outcome.TIMEOUT
    waits = standing(told(Outcome.TIMEOUT, calls=2, retry_at="2026-11-29T10:00:00.5Z"), CALLS)
    assert isinstance(waits, Later)
    assert (waits.not_before_ms, waits.url.tries) == (1_795_946_400_500, 3)


@given(
    st.sampled_from(Outcome), st.integers(0, 3), st.lists(st.frozensets(st.sampled_from(sorted(TAKEN_UP))), max_size=4)
)
def test_a_call_takes_up_what_it_means_and_nothing_that_was_answered(outcome, calls, asked):
    taken = isinstance(standing(told(outcome, calls=calls), asked), Later)
    assert taken == (not outcome.has_response and any(outcome in call for call in asked[calls:]))
