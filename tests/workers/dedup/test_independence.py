from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.ids import source_id
from workers.dedup.independence import (
    IndependenceError,
    IndependenceProblem,
    ManualGroup,
    SourceFacts,
    group_at_publication,
    independence_groups,
)

C1, C2, C3 = (f"cl-{number:016x}" for number in (1, 2, 3))


def source(url: str, *clusters: str) -> SourceFacts:
    return SourceFacts(source_id(url), url, frozenset(clusters))


def manual(name: str, *sources: SourceFacts) -> ManualGroup:
    ids = tuple(one.source_id for one in sources)
    return ManualGroup(name, ids, by="ann", at="2026-08-22T03:15:00Z", why="one press release")


def groups(*sources: SourceFacts, by_hand: tuple[ManualGroup, ...] = ()) -> dict[str, tuple[str, set[str]]]:
    found = independence_groups(sources, by_hand)
    assert not isinstance(found, IndependenceError)
    names = {one.source_id: one.normalized_url for one in sources}
    return {group.group: (group.reason.value, {names[member] for member in group.source_ids}) for group in found}


def test_a_source_alone_is_its_own_group() -> None:
    assert groups(source("https://www.a.example/x", C1)) == {"site:a.example": ("own", {"https://www.a.example/x"})}


def test_ten_urls_are_not_ten_sources() -> None:
    """R062, R071: one article, three tracking variants, a portal and three content farms count as one."""
    variants = [source(f"https://news.example/s?ref={number}", C1) for number in range(3)]
    copies = [source(f"https://{name}.example/s", C1) for name in ("portal", "farm-a", "farm-b", "farm-c")]
    found = groups(*variants, *copies)
    assert list(found) == [f"cluster:{C1}"]
    assert found[f"cluster:{C1}"][0] == "cluster"


def test_two_pages_of_one_site_are_one_group() -> None:
    found = groups(source("https://www.a.example/x", C1), source("http://a.example/y", C2))
    assert {name: reason for name, (reason, _) in found.items()} == {"site:a.example": "site"}


def test_another_port_is_another_site() -> None:
    """So that a demonstration on loopback can show several sites."""
    found = groups(source("http://127.0.0.1:8001/", C1), source("http://127.0.0.1:8002/", C2))
    assert set(found) == {"site:127.0.0.1:8001", "site:127.0.0.1:8002"}


def test_a_cluster_of_any_snapshot_joins() -> None:
    found = groups(source("https://a.example/", C1, C3), source("https://b.example/", C2, C3))
    assert set(found) == {f"cluster:{C3}"}


def test_relations_are_united_and_the_smallest_joining_cluster_names_the_group() -> None:
    found = groups(
        source("https://a.example/1", C3), source("https://b.example/1", C3), source("https://b.example/2", C2, C1),
        source("https://c.example/1", C2),
    )  # fmt: skip
    assert set(found) == {f"cluster:{C2}"}  # C1 is smaller, but joins nobody


def test_all_without_a_verdict_count_as_one() -> None:
    """X31: no cluster verdict yet is `unknown`, and all unknowns together count as at most one."""
    found = groups(source("https://a.example/"), source("https://b.example/"), source("https://c.example/", C1))
    assert found["unknown"] == ("unknown", {"https://a.example/", "https://b.example/"})
    assert set(found) == {"unknown", "site:c.example"}


def test_a_source_without_verdict_beside_a_known_one_of_its_site_is_known_by_it() -> None:
    found = groups(source("https://a.example/1"), source("https://a.example/2", C1))
    assert {name: reason for name, (reason, _) in found.items()} == {"site:a.example": "site"}


def test_a_manual_record_joins_over_sites_and_clusters() -> None:
    """R070: wire story and republications, rewrites of one press release."""
    one, other, third = source("https://a.example/", C1), source("https://b.example/", C2), source("https://c.example/")
    found = groups(one, other, third, by_hand=(manual("release-7", one, other, third),))
    assert found == {"manual:release-7": ("manual", {"https://a.example/", "https://b.example/", "https://c.example/"})}


def test_a_manual_record_splits_what_a_cluster_joined() -> None:
    """X34: manual before cluster; the named source takes no part in other unions."""
    one, other, third = (source(f"https://{host}.example/", C1) for host in "abc")
    found = groups(one, other, third, by_hand=(manual("author", other),))
    assert found["manual:author"] == ("manual", {"https://b.example/"})
    assert found[f"cluster:{C1}"][1] == {"https://a.example/", "https://c.example/"}
    alone = groups(one, other, by_hand=(manual("author", other),))
    assert alone["site:a.example"][0] == "own"


def test_a_manual_record_of_several_tears_nobody_off_his_copies() -> None:
    """R070, R071, X34: merging a page with another one brings its near-copy along."""
    page, copy, other = (
        source("https://a.example/", C1),
        source("https://b.example/", C1),
        source("https://c.example/", C2),
    )
    everybody = {one.normalized_url for one in (page, copy, other)}
    merged = manual("odd", page, other)
    assert groups(page, copy, other, by_hand=(merged,)) == {"manual:odd": ("manual", everybody)}
    assert groups(page, copy, by_hand=(merged,)) == {f"cluster:{C1}": ("cluster", everybody - {"https://c.example/"})}


def test_two_manual_records_that_a_cluster_joins_are_one_group() -> None:
    page, copy = source("https://a.example/", C1), source("https://b.example/", C1)
    one, other = source("https://c.example/", C2), source("https://d.example/", C3)
    found = groups(page, copy, one, other, by_hand=(manual("x", page, one), manual("b", copy, other)))
    assert list(found) == ["manual:b"]


def test_a_manual_record_makes_no_group_of_unknown_sources() -> None:
    """X31."""
    one, other, third = (source(f"https://{host}.example/") for host in "abc")
    assert set(groups(one, other, third, by_hand=(manual("x", one, other),))) == {"unknown"}


def test_who_is_left_of_a_group_was_not_set_apart() -> None:
    one, other = source("https://a.example/", C1), source("https://b.example/", C1)
    left = replace(manual("x", one), is_rest=True)
    assert set(groups(one, other, by_hand=(left,))) == {f"cluster:{C1}"}
    assert group_at_publication(one, {C1}, [left]) == f"cluster:{C1}"


def test_manual_groups_say_who_when_and_why() -> None:
    one = source("https://a.example/", C1)
    found = independence_groups([one], [manual("x", one)])
    assert not isinstance(found, IndependenceError)
    assert (found[0].by, found[0].at, found[0].why) == ("ann", "2026-08-22T03:15:00Z", "one press release")


def test_a_manual_record_about_other_sources_makes_no_empty_group() -> None:
    other = source("https://b.example/")
    assert set(groups(source("https://a.example/", C1), by_hand=(manual("x", other),))) == {"site:a.example"}


@pytest.mark.parametrize(
    ("records", "problem", "subject"),
    [
        ((("x", "a"), ("y", "a")), IndependenceProblem.NAMED_TWICE, source_id("https://a.example/")),
        ((("x", "a"), ("x", "b")), IndependenceProblem.SAME_NAME, "x"),
        ((("two words", "a"),), IndependenceProblem.BAD_NAME, "two words"),
        ((("", "a"),), IndependenceProblem.BAD_NAME, ""),
        ((("ü", "a"),), IndependenceProblem.BAD_NAME, "ü"),
    ],
)
def test_contradicting_manual_records_are_an_error_value(
    records: tuple[tuple[str, str], ...], problem: IndependenceProblem, subject: str
) -> None:
    by_hand = [manual(name, source(f"https://{host}.example/")) for name, host in records]
    found = independence_groups([source("https://a.example/", C1)], by_hand)
    assert isinstance(found, IndependenceError)
    assert (found.problem, found.subject) == (problem, subject)


def test_a_source_given_twice_differently_is_an_error_value() -> None:
    found = independence_groups([source("https://a.example/", C1), source("https://a.example/", C2)])
    assert isinstance(found, IndependenceError)
    assert found.problem is IndependenceProblem.DUPLICATE_SOURCE


def test_the_group_of_a_leaf_looks_at_one_source_alone() -> None:
    known, unknown = source("https://www.a.example/", C2, C1), source("https://b.example/")
    assert group_at_publication(known, {C2, C3}) == f"cluster:{C2}"
    assert group_at_publication(known, ()) == "site:a.example"
    assert group_at_publication(unknown, ()) == "unknown"
    assert group_at_publication(known, {C1}, [manual("x", known)]) == "manual:x"


sources = st.lists(
    st.builds(
        lambda host, page, clusters: source(f"https://{host}.example/{page}", *clusters),
        st.sampled_from("abcdef"),
        st.integers(0, 3),
        st.frozensets(st.sampled_from([C1, C2, C3]), max_size=2),
    ),
    max_size=12,
    unique_by=lambda one: one.source_id,
)


@given(sources, st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_order_and_hold_each_source_once(
    given_sources: list[SourceFacts], order: random.Random
) -> None:
    expected = independence_groups(given_sources)
    assert not isinstance(expected, IndependenceError)
    members = [member for group in expected for member in group.source_ids]
    assert sorted(members) == sorted(one.source_id for one in given_sources)
    assert len({group.group for group in expected}) == len(expected)
    order.shuffle(given_sources)
    assert independence_groups(given_sources) == expected


@given(sources)
def test_whoever_shares_a_cluster_or_a_site_shares_a_group(given_sources: list[SourceFacts]) -> None:
    found = independence_groups(given_sources)
    assert not isinstance(found, IndependenceError)
    group_of = {member: group.group for group in found for member in group.source_ids}
    for one in given_sources:
        for other in given_sources:
            same_host = one.normalized_url.split("/")[2] == other.normalized_url.split("/")[2]
            if same_host or one.cluster_ids & other.cluster_ids:
                assert group_of[one.source_id] == group_of[other.source_id]


@given(sources, sources, st.frozensets(st.integers(0, 11), min_size=2))
def test_a_manual_record_of_several_never_makes_more_groups(
    given_sources: list[SourceFacts], others: list[SourceFacts], places: frozenset[int]
) -> None:
    """R071: merging only unites, also those of whom nothing is known yet."""
    named = [(given_sources + others)[place] for place in sorted(places) if place < len(given_sources + others)]
    named = list({one.source_id: one for one in named}.values())
    before, after = (
        independence_groups(given_sources, manual_records)
        for manual_records in ((), (manual("m", *named),) if len(named) > 1 else ())
    )
    assert not isinstance(before, IndependenceError)
    assert not isinstance(after, IndependenceError)
    group_of = {member: group.group for group in after for member in group.source_ids}
    assert len(after) <= len(before)
    for group in before:
        assert len({group_of[member] for member in group.source_ids}) == 1
