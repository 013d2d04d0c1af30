"""What a visit found: the rules, one by one (X18)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.cadence.home import is_home, leads_home
from scheduler.cadence.verdict import Answer, judge
from schemas.records.outcome import Outcome
from schemas.records.schedule import Version, VisitVerdict
from schemas.records.snapshot import ReaderStatus

URL, HOME = "https://a.test/news/barrier", "https://a.test/"
ONE, OTHER = "1" * 64, "2" * 64
SEEN = Version(
    snapshot_id="snap-000000000000-20261130T120000Z-00000000",
    retrieved_at="2026-11-30T12:00:00Z",
    content_sha256=ONE,
    text_sha256=ONE,
)


def answer(**fields):
    good = {
        "outcome": Outcome.CAPTURED,
        "final_url": URL,
        "http_status": 200,
        "reader_status": ReaderStatus.OK,
        "content_sha256": ONE,
        "text_sha256": ONE,
    }
    return Answer(**{"requested_url": URL, **good, **fields})


RULES = [
    ("the same bytes", {}, VisitVerdict.UNCHANGED),
    ("a 304", {"outcome": Outcome.NOT_MODIFIED, "http_status": 304}, VisitVerdict.UNCHANGED),
    ("other bytes, the same text", {"content_sha256": OTHER}, VisitVerdict.UNCHANGED),
    ("another text", {"content_sha256": OTHER, "text_sha256": OTHER}, VisitVerdict.CHANGED),
    ("other bytes, no text", {"content_sha256": OTHER, "text_sha256": None,
                              "reader_status": ReaderStatus.UNSUPPORTED_TYPE}, VisitVerdict.CHANGED),
    ("404", {"http_status": 404, "reader_status": ReaderStatus.HTTP_ERROR}, VisitVerdict.GONE),
    ("410", {"http_status": 410, "reader_status": ReaderStatus.HTTP_ERROR}, VisitVerdict.GONE),
    ("404 at home", {"http_status": 404, "final_url": HOME}, VisitVerdict.GONE),
    ("451", {"http_status": 451, "reader_status": ReaderStatus.HTTP_ERROR}, VisitVerdict.BLOCKED),
    ("a wall", {"reader_status": ReaderStatus.BLOCKED}, VisitVerdict.BLOCKED),
    ("a paywall", {"reader_status": ReaderStatus.PAYWALL}, VisitVerdict.BLOCKED),
    ("500", {"http_status": 500, "reader_status": ReaderStatus.HTTP_ERROR}, VisitVerdict.UNREADABLE),
    ("an apology", {"reader_status": ReaderStatus.SOFT_404}, VisitVerdict.SOFT_404),
    ("home", {"final_url": HOME, "text_sha256": OTHER, "overlap_ppm": 40_000}, VisitVerdict.REDIRECTED_HOME),
    ("home, nothing to compare", {"final_url": HOME}, VisitVerdict.REDIRECTED_HOME),
    ("home, an apology", {"final_url": HOME, "reader_status": ReaderStatus.SOFT_404}, VisitVerdict.REDIRECTED_HOME),
    ("the page itself stands at the root now", {"final_url": HOME, "overlap_ppm": 900_000, "content_sha256": OTHER,
                                                "text_sha256": OTHER}, VisitVerdict.CHANGED),
    ("cut off", {"outcome": Outcome.TRUNCATED, "reader_status": ReaderStatus.TRUNCATED}, VisitVerdict.UNREADABLE),
    ("empty", {"reader_status": ReaderStatus.EMPTY}, VisitVerdict.UNREADABLE),
    ("not extracted", {"reader_status": None}, VisitVerdict.UNREADABLE),
    ("no answer", {"outcome": Outcome.DNS_FAILED, "reader_status": None}, VisitVerdict.NO_ANSWER),
    ("robots.txt could not be had", {"outcome": Outcome.ROBOTS_UNREACHABLE}, VisitVerdict.NO_ANSWER),
    ("robots.txt forbids it", {"outcome": Outcome.ROBOTS_DENIED}, VisitVerdict.NOT_MADE),
    ("cancelled", {"outcome": Outcome.CANCELLED}, VisitVerdict.NOT_MADE),
    ("no outcome", {"outcome": None}, VisitVerdict.NOT_MADE),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "verdict"), [rule[1:] for rule in RULES], ids=[rule[0] for rule in RULES])
def test_each_rule(fields, verdict):
    assert judge(answer(**fields), SEEN) is verdict


def test_a_good_answer_without_anything_before_is_the_first():
    assert judge(answer(), None) is VisitVerdict.FIRST


@given(
    st.sampled_from(Outcome),
    st.none() | st.integers(100, 599),
    st.none() | st.sampled_from(ReaderStatus),
    st.sampled_from([URL, HOME]),
    st.none() | st.just(SEEN),
)
def test_a_visit_without_a_response_is_no_look_and_no_page_that_is_gone(outcome, status, reader, final, seen):
    verdict = judge(answer(outcome=outcome, http_status=status, reader_status=reader, final_url=final), seen)
    if not outcome.has_response:
        assert verdict in (VisitVerdict.NO_ANSWER, VisitVerdict.NOT_MADE)
    if verdict.is_look:
        assert reader in (ReaderStatus.OK, ReaderStatus.UNSUPPORTED_TYPE)
    assert not (verdict.is_look and verdict.is_away)


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("https://a.test", True),
        ("https://a.test/?from=old", True),
        ("https://a.test/index.html", True),
        ("https://a.test/en/", True),
        ("https://a.test/pt-br/index.php", True),
        ("https://a.test/news", False),
        ("https://a.test/news/", False),
        ("https://a.test/en/news", False),
        ("https://a.test/homework", False),
        ("https://a.test/indexed.html/x", False),
    ],
)
def test_what_a_home_page_is(url: str, home: bool):
    assert is_home(url) is home


def test_a_home_page_that_leads_to_another_is_not_lost():
    assert not leads_home("https://a.test/", "https://a.test/en/")
    assert not leads_home(HOME, HOME)
    assert leads_home(URL, "https://other.test/")
