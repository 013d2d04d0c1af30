"""One verdict for each link, and always the same first reason."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.discovered import LeftOutReason
from schemas.records.job import Scope
from schemas.records.outcome import Outcome
from schemas.records.snapshot import RobotsDirective
from workers.discover.exclude import Exclusion, read_exclusion
from workers.discover.judge import Followed, LinkRules, PageSays, asks_not_to_follow, judge
from workers.discover.scope import scope_of

PAGE = PageSays(date(2026, 11, 29))


@pytest.fixture(scope="module")
def rules(at) -> LinkRules:
    pattern = read_exclusion("/private")
    assert isinstance(pattern, Exclusion)
    return LinkRules(scope_of(Scope.HOST, [at("https://example.org/")]), (pattern,))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://other.test/private", LeftOutReason.OUTSIDE),
        ("https://example.org/private", LeftOutReason.EXCLUDED),
        ("https://example.org/" + "a" * 2000, LeftOutReason.LONG_URL),
        ("https://example.org" + "/a/b/c/d/e" * 5, LeftOutReason.DEEP_PATH),
        ("https://example.org/a/a/a", LeftOutReason.REPEATED_PATH),
        ("https://example.org/a;jsessionid=1", LeftOutReason.SESSION_ID),
        ("https://example.org/a?b=1&b=1", LeftOutReason.ENDLESS_QUERY),
        ("https://example.org/events/2040-01/", LeftOutReason.CALENDAR),
        ("https://exa mple.org/", LeftOutReason.NOT_A_URL),
    ],
)
def test_a_link_is_left_out_for_a_reason(rules: LinkRules, url: str, reason: LeftOutReason):
    assert judge(url, PAGE, rules, nofollow=False) is reason


NAMES = st.text("abcdefgh", min_size=1, max_size=6)


@given(
    st.lists(NAMES, min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(["?", "/?", "&?", "%3F", "?&", "&", ";"]), min_size=1, max_size=3),
    st.lists(st.integers(0, 10**6), unique=True, min_size=60, max_size=60),
)
def test_a_page_that_appends_to_its_own_query_is_not_followed_for_ever(
    rules: LinkRules, names: list[str], joints: list[str], values: list[int]
):
    """Whatever it appends, and by whatever sign, some clicks later it is a trap by name."""
    url = "https://example.org/list?start=0"
    followed = 0
    for click, value in enumerate(values):
        url += f"{joints[click % len(joints)]}{names[click % len(names)]}={value}"
        verdict = judge(url, PAGE, rules, nofollow=False)
        if not isinstance(verdict, Followed):
            assert verdict in (LeftOutReason.ENDLESS_QUERY, LeftOutReason.LONG_URL)
            break
        followed += 1
    assert followed <= 18


def test_a_good_link_is_followed_under_its_identity(rules: LinkRules):
    found = judge("https://Example.org/a b?utm_source=x#top", PAGE, rules, nofollow=False)
    assert found == Followed("https://Example.org/a b?utm_source=x#top", "https://example.org/a%20b", None)


def test_nofollow_of_link_and_page_is_obeyed_or_not(at, rules: LinkRules):
    url = "https://example.org/a"
    asking = PageSays(PAGE.retrieved_on, nofollow=True)
    assert judge(url, PAGE, rules, nofollow=True) is LeftOutReason.NOFOLLOW
    assert judge(url, asking, rules, nofollow=False) is LeftOutReason.PAGE_NOFOLLOW
    deaf = LinkRules(rules.scope, obeys_nofollow=False)
    assert isinstance(judge(url, asking, deaf, nofollow=True), Followed)


@pytest.mark.parametrize(
    ("directives", "asks"),
    [
        ([(None, "nofollow")], True),
        ([(None, "none")], True),
        ([(None, "noindex")], False),
        ([("googlebot", "nofollow")], False),
        ([("citevault", "nofollow")], True),
        ([(None, "nofollow"), ("citevault", "noindex")], False),
    ],
)
def test_what_a_page_says_to_this_robot_goes_before_what_it_says_to_all(directives, asks: bool):
    said = [RobotsDirective(source="meta", agent=agent, directive=text) for agent, text in directives]
    assert asks_not_to_follow(said, "citevault") is asks


def test_every_reason_has_one_of_three_outcomes():
    assert {reason.outcome for reason in LeftOutReason} == {
        Outcome.OUT_OF_SCOPE,
        Outcome.BUDGET_SPENT,
        Outcome.ROBOTS_DENIED,
    }


@given(url=st.text(max_size=60) | st.text(max_size=60).map("https://example.org/{}".format))
def test_no_string_of_a_stranger_breaks_the_judge(rules: LinkRules, url: str):
    assert isinstance(judge(url, PAGE, rules, nofollow=False), Followed | LeftOutReason)
