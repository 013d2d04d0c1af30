"""How long a site's robots.txt holds, and what is remembered of it (RFC 9309, 2.3.1.4 and 2.4)."""

from __future__ import annotations

import random
import zlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.outcome import Outcome
from workers.capture.robots import parse_robots
from workers.capture.robots_answer import AllowAll, RobotsDecision, Rules, Unreachable
from workers.capture.robots_copy import MAX_PACKED_BYTES, SiteCopy, after, is_due, newer, pack, standing, unpack

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FORBIDS = Rules(parse_robots(b"User-agent: *\nDisallow: /x\nCrawl-delay: 2.5", "citevault"))
NO_FILE = AllowAll("there is no robots.txt (status 404)")
DOWN = Unreachable("robots.txt: status 503")


def copy_of(decision: RobotsDecision, *, failing_since: timedelta | None = None, times: int = 1) -> SiteCopy:
    copy = after(None, decision, NOW)
    for number in range(times if failing_since is not None else 0):
        copy = after(copy, DOWN, NOW + (failing_since or DAY) + timedelta(minutes=number))
    return copy


def test_an_answer_is_good_for_a_day():
    for decision in (FORBIDS, NO_FILE):
        copy = copy_of(decision)
        assert not is_due(copy, NOW + DAY - HOUR / 60)
        assert is_due(copy, NOW + DAY)
        assert standing(copy, NOW) is decision


def test_the_last_answer_holds_while_the_site_cannot_be_reached_and_for_30_days():
    for decision in (FORBIDS, NO_FILE):
        copy = copy_of(decision, failing_since=DAY)
        assert standing(copy, NOW + 2 * DAY) is decision
        assert standing(copy, NOW + 30 * DAY) is decision
        late = standing(copy, NOW + 30 * DAY + HOUR)
        assert isinstance(late, Unreachable)
        assert "2026-11-29T12:00:00" in late.reason


def test_a_site_that_never_answered_is_closed():
    copy = after(None, DOWN, NOW, failure=Outcome.DNS_FAILED)
    assert standing(copy, NOW) == Unreachable(DOWN.reason)
    assert standing(copy, NOW + 60 * DAY) == Unreachable(DOWN.reason), "the RFC would let us in by now; we stay out"
    assert copy.failure is Outcome.DNS_FAILED


def test_a_site_that_cannot_be_reached_is_tried_again_soon_and_then_less_often():
    waits = []
    for times in range(1, 8):
        copy = copy_of(FORBIDS, failing_since=DAY, times=times)
        assert copy.tried_at is not None
        waits.append(next(s for s in range(0, 7200, 30) if is_due(copy, copy.tried_at + timedelta(seconds=s))))
    assert waits == [60, 120, 240, 480, 600, 600, 600]


def test_an_answer_ends_the_failures():
    copy = after(copy_of(NO_FILE, failing_since=DAY, times=3), FORBIDS, NOW + 2 * DAY)
    assert copy == SiteCopy(FORBIDS, NOW + 2 * DAY)


def test_a_copy_from_the_future_is_asked_for_again():
    assert is_due(copy_of(FORBIDS), NOW - 2 * HOUR)
    assert not is_due(copy_of(FORBIDS), NOW - HOUR / 2), "clocks of two machines differ a little"
    assert is_due(copy_of(FORBIDS, failing_since=DAY), NOW)


def test_of_two_copies_the_one_that_knows_more_counts():
    old, failed, answered = copy_of(FORBIDS), copy_of(FORBIDS, failing_since=DAY), after(None, NO_FILE, NOW + 2 * DAY)
    assert newer(old, failed) is newer(failed, old) is failed
    assert newer(failed, answered) is answered
    assert newer(None, old) is newer(old, None) is old
    assert newer(None, None) is None


rules_files = st.lists(
    st.tuples(st.sampled_from(["Allow", "Disallow", "Crawl-delay"]), st.text("/ab*$.5é ", max_size=12)), max_size=20
).map(lambda lines: "User-agent: *\n" + "\n".join(f"{name}: {value}" for name, value in lines))


@given(
    rules_files,
    st.integers(0, 3),
    st.sampled_from([None, Outcome.TIMEOUT]),
    st.lists(st.text("/ab.5é", max_size=8), max_size=5),
)
def test_a_copy_that_was_shared_rules_as_the_file_does(
    text: str, failures: int, failure: Outcome | None, paths: list[str]
):
    copy = after(None, Rules(parse_robots(text.encode(), "citevault")), NOW)
    for _ in range(failures):
        copy = after(copy, DOWN, NOW + DAY, failure=failure)
    packed = pack(copy, "citevault")
    assert packed is not None
    again = unpack(packed, "citevault")
    assert again is not None
    assert isinstance(again.decision, Rules)
    assert isinstance(copy.decision, Rules)
    before, shared = copy.decision.rules, again.decision.rules
    assert (shared.lines, shared.group, shared.crawl_delay) == (before.lines, before.group, before.crawl_delay)
    for path in paths:
        assert shared.allows(f"https://a.test/{path}") == before.allows(f"https://a.test/{path}")
    assert (again.decided_at, again.failures, again.failure) == (copy.decided_at, copy.failures, copy.failure)


@pytest.mark.parametrize("copy", [copy_of(NO_FILE), after(None, DOWN, NOW, failure=Outcome.DNS_FAILED)])
def test_no_file_and_no_answer_are_shared_too(copy: SiteCopy):
    packed = pack(copy, "citevault")
    assert packed is not None
    assert unpack(packed, "citevault") == copy


def test_what_is_no_copy_of_ours_is_as_good_as_none():
    packed = pack(copy_of(FORBIDS), "citevault")
    assert packed is not None
    text = zlib.decompress(packed)
    assert unpack(packed, "otherbot") is None
    for strange in (
        b"",
        b"x",
        packed[:-4],
        zlib.compress(b"{}"),
        zlib.compress(text.replace(b"copy@1", b"copy@2")),
        zlib.compress(text.replace(b'"rules"', b'"maybe"')),
        zlib.compress(b" " * 10_000_000),
    ):
        assert unpack(strange, "citevault") is None


def test_rules_too_large_for_a_shared_memory_stay_where_they_were_fetched():
    noise = random.Random(9)
    lines = "\n".join(f"Disallow: /{noise.getrandbits(256):x}" for _ in range(5000))
    large = after(None, Rules(parse_robots(f"User-agent: *\n{lines}".encode(), "citevault")), NOW)
    assert pack(large, "citevault") is None
    repeated = "\n".join(f"Disallow: /products/category-{number}/*/private$" for number in range(8000))
    usual = pack(after(None, Rules(parse_robots(f"User-agent: *\n{repeated}".encode(), "citevault")), NOW), "citevault")
    assert usual is not None
    assert len(usual) < MAX_PACKED_BYTES
