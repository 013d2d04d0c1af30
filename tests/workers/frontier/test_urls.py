"""How URLs are held in Redis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.outcome import Outcome, WrittenPage
from workers.frontier.outcomes import CODES, outcome_of
from workers.frontier.urls import DIGEST_BYTES, digest, pack, politeness_key, unpack
from workers.ports import QueuedUrl

counts = st.integers(0, 2**31)
text = st.text(st.characters(exclude_categories=["Cs"]))
one_line = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))


@given(one_line, text.filter(bool), one_line.filter(bool), counts, counts, counts)
def test_a_packed_url_is_given_back_as_it_was(path: str, requested: str, host: str, visit: int, tries: int, depth: int):
    url = QueuedUrl(requested, f"https://a.test/{path}", host, visit, tries, depth)
    assert unpack(pack(url), url.host) == url


@given(st.lists(one_line.filter(lambda url: "\t" not in url), max_size=3), one_line.filter(bool))
def test_a_visit_that_goes_on_later_keeps_its_way(via: list[str], resumes_at: str):
    url = QueuedUrl("https://a.test", "https://a.test/", "b.test", via=tuple(via), resumes_at=f"https://{resumes_at}")
    if "\t" in resumes_at:
        with pytest.raises(ValueError, match="one line"):
            pack(url)
    else:
        assert unpack(pack(url), "b.test") == url


@given(st.sampled_from(sorted(CODES)), st.lists(st.from_regex(r"b-[0-9A-Z]{1,26}", fullmatch=True), min_size=1))
def test_a_page_that_waits_for_what_it_needs_keeps_where_it_is_written(outcome: Outcome, batches: list[str]):
    url = QueuedUrl(
        "https://a.test", "https://a.test/", "a.test", written=WrittenPage(outcome=outcome, batches=tuple(batches))
    )
    assert unpack(pack(url), "a.test") == url


def test_a_usual_url_costs_what_comes_after_its_host_and_a_byte():
    url = "https://a.test/page?x=1"
    assert pack(QueuedUrl(url, url, "a.test")) == b"\x01page?x=1"
    assert pack(QueuedUrl("http://a.test:81/", "http://a.test:81/", "a.test:81")) == b"\x02"
    with pytest.raises(ValueError, match="with that host"):
        unpack(b"\x01page?x=1")


@given(one_line, text.filter(bool), st.integers(1, 9), counts)
def test_a_url_that_was_tried_names_its_host_itself(path: str, requested: str, tries: int, depth: int):
    """It may wait elsewhere than in the queue of that host."""
    for host in ("a.test", "b.test"):
        url = QueuedUrl(requested, f"https://a.test/{path}", host, tries=tries, depth=depth)
        assert unpack(pack(url)) == url


@given(st.sampled_from(["https://a.test", "http://a.test/", "http://a.test:80/x", "https://a.testx/"]))
def test_a_host_is_short_only_where_it_is_the_urls_own(url: str):
    for host in ("a.test", "a.testx", "a.test:80"):
        queued = QueuedUrl(url, url, host)
        assert unpack(pack(queued), host) == queued


def test_a_normalized_url_of_two_lines_is_refused():
    with pytest.raises(ValueError, match="one line"):
        pack(QueuedUrl("x", "https://a.test/\n", "a.test"))


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://a.test/", "a.test"),
        ("http://a.test/x?y=/z", "a.test"),
        ("http://127.0.0.1:8081/x", "127.0.0.1:8081"),
        ("https://[2001:db8::1]:8443/", "[2001:db8::1]:8443"),
    ],
)
def test_politeness_goes_by_host_and_port(url: str, key: str):
    assert politeness_key(url) == key


def test_visits_of_one_resource_have_names_of_their_own():
    assert digest("https://a.test/", 1) != digest("https://a.test/", 2)
    assert len(digest("https://a.test/", 1)) == DIGEST_BYTES


def test_each_outcome_has_a_code_of_one_character():
    assert set(CODES) == set(Outcome)
    assert all(len(code) == 1 and outcome_of(code) is outcome for outcome, code in CODES.items())
    assert len(set(CODES.values())) == len(CODES)


def test_a_url_outside_of_a_queue_names_its_host_itself():
    queued = QueuedUrl("https://a.test/x", "https://a.test/x", "a.test")
    assert unpack(pack(queued, whole=True)) == queued
    with pytest.raises(ValueError, match="read with that host"):
        unpack(pack(queued))
