"""A good answer is told from an error page, and what was there before from what is new."""

from __future__ import annotations

import pytest

from scheduler.answered import MOST_LISTED, Answers
from schemas.records.outcome import Hop, Outcome, UrlOutcome


def answer(name: str, status: int | None, outcome: Outcome = Outcome.CAPTURED) -> UrlOutcome:
    url = f"https://a.test/{name}"
    hop = Hop(url=url, outcome=outcome, http_status=status, retrieved_at="2026-11-30T10:00:00.000000Z")
    return UrlOutcome(requested_url=url, normalized_url=url, visit=1, outcome=outcome, hops=(hop,))


@pytest.fixture
def answers() -> Answers:
    told = Answers()
    told.add(answer("new", 200), "s-1")
    told.add(answer("same", 200, Outcome.REVISIT), "s-1")
    told.add(answer("unchanged", 304, Outcome.NOT_MODIFIED), "s-1")
    told.add(answer("gone", 404), "s-2")
    told.add(answer("gone-as-before", 404, Outcome.REVISIT), "s-2")
    told.add(answer("busy", 503), "s-2")
    told.add(answer("round-and-round", 302, Outcome.REDIRECT_LIMIT), "s-2")
    return told


def test_people_see_at_once_what_is_good_what_is_an_error_and_what_is_published(answers: Answers) -> None:
    assert answers.sentence(frozenset({"s-1"})) == (
        "answers: 3 good (2 the same as an earlier capture, and kept once), 3 with an error (404: 2, 503: 1), 1 of "
        "another kind (302: 1); 3 of 7 published"
    )
    assert Answers().sentence(frozenset()) == "answers: none yet"


def test_programs_get_the_same(answers: Answers) -> None:
    told = answers.as_json(frozenset({"s-1", "s-2"}))
    assert (told["good"], told["unchanged"], told["errors"], told["published"]) == (3, 2, 3, 7)
    assert told["statuses"] == {"302": 1, "404": 2, "503": 1}
    assert told["error_urls"][0] == {"url": "https://a.test/gone", "status": 404}


def test_a_list_of_errors_has_an_end() -> None:
    told = Answers()
    for number in range(MOST_LISTED + 5):
        told.add(answer(str(number), 500), "s-1")
    assert (len(told.errors), told.statuses.total()) == (MOST_LISTED, MOST_LISTED + 5)
