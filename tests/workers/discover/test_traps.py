"""Traps are seen, and what honest sites have is not taken for one."""

from __future__ import annotations

from datetime import date

import pytest

from workers.discover import traps
from workers.discover.calendar import is_endless_calendar

TODAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("decider", "path", "trapped"),
    [
        (traps.is_deep, "/a" * 21, True),
        (traps.is_deep, "/a" * 20, False),
        (traps.repeats_its_path, "/news/news/news/", True),
        (traps.repeats_its_path, "/x/a/b/a/b/a/b", True),
        (traps.repeats_its_path, "/a/b/c/d/a/b/c/d/a/b/c/d", True),
        (traps.repeats_its_path, "/a/1/a/2/a/3/a/4/a/5", True),
        (traps.repeats_its_path, "/a////b", True),
        (traps.repeats_its_path, "/news/2024/news/", False),
        (traps.repeats_its_path, "/en/en/a", False),
        (traps.names_a_session, "/a;jsessionid=0A1B", True),
        (traps.names_a_session, "/(S(4hqa0555fwsecu455xqckv45))/a.aspx", True),
        (traps.names_a_session, "/a?PHPSESSID=0123456789abcdef0123456789abcdef", True),
        (traps.names_a_session, "/a?x=1&sid=0123456789abcdef", True),
        (traps.names_a_session, "/a?sid=17", False),
        (traps.names_a_session, "/a?inside=0123456789abcdef", False),
        (traps.has_endless_query, "/a?" + "&".join(f"p{n}=1" for n in range(17)), True),
        (traps.has_endless_query, "/a?c=1&c=2&c=3&c=4&c=5&c=6", True),
        (traps.has_endless_query, "/a?c=1&d=2&c=1", True),
        (traps.has_endless_query, "/login?next=%2Flogin%3Fnext%3D%252Flogin%253Fnext%253D%25252F", True),
        (traps.has_endless_query, "/a?s=1?s=2?s=3", True),
        (traps.has_endless_query, "/a?s=1%3Fs%3D2%3fs=3", True),
        (traps.has_endless_query, "/a?s=1/?s=2/?s=3", True),
        (traps.has_endless_query, "/a?" + "?".join(f"p{n}=1" for n in range(9)), True),
        (traps.has_endless_query, "/a?s=1?s=2", False),
        (traps.has_endless_query, "/a?q=what???", False),
        (traps.has_endless_query, "/a?&?;?/?&;", False),
        (traps.has_endless_query, "/a?url=https://b.test/?p=1&ref=/c?p=2", False),
        (traps.has_endless_query, "/search?q=a+b&page=2&lang=en", False),
        (traps.has_endless_query, "/a?tag=x&tag=y", False),
    ],
)
def test_a_trap_is_told_from_an_honest_address(at, decider, path: str, trapped: bool):
    assert decider(at(f"https://example.org{path}")) is trapped


@pytest.mark.parametrize(
    ("path", "trapped"),
    [
        ("/events/2028-01/", True),
        ("/events/2027-11/", False),
        ("/calendar/2016/10/", True),
        ("/calendar/2016/12/", False),
        ("/2016/10/article", False),
        ("/1995/03/04/old-news", False),
        ("/2031/13/", False),
        ("/9999/01/", False),
        ("/cal?month=2031-05", True),
        ("/cal?month=203105", True),
        ("/cal?year=2031&month=5", True),
        ("/list?start=2050", False),
        ("/list?page=2050&year=2020", False),
        ("/tribe?tribe-bar-date=2031-05-01", True),
    ],
)
def test_a_calendar_ends_in_both_directions(at, path: str, trapped: bool):
    assert is_endless_calendar(at(f"https://example.org{path}"), TODAY) is trapped


def test_a_long_address_is_one():
    assert traps.is_long("https://example.org/" + "a" * 2000)
    assert not traps.is_long("https://example.org/" + "a" * 1000)


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/a?b=2&a=1", "example.org:/a?a&b"),
        ("/a?a=9&b=7", "example.org:/a?a&b"),
        ("/a?id=7", None),
        ("/a", None),
    ],
)
def test_variations_of_a_query_share_their_form(at, path: str, form: str | None):
    assert traps.query_form(at(f"https://example.org{path}")) == form
