from __future__ import annotations

import random
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from workers.dedup.clusters import Edge, Part, partition

TEXTS = [f"{number:02d}" for number in range(12)]
edges = st.lists(
    st.builds(
        lambda pair, ppm: Edge(min(pair), max(pair), ppm),
        st.sets(st.sampled_from(TEXTS), min_size=2, max_size=2),
        st.integers(500_000, 1_000_000),
    ),
    max_size=30,
    unique_by=lambda edge: (edge.a, edge.b),
)


def parts(found: tuple[Part, ...]) -> dict[str, tuple[str, ...]]:
    return {part.leader: part.texts for part in found}


def test_the_text_with_most_edges_leads() -> None:
    star = [Edge("a", "d", 800_000), Edge("b", "d", 800_000), Edge("c", "d", 800_000)]
    assert parts(partition("abcd", star)) == {"d": ("a", "b", "c", "d")}


def test_equal_degrees_go_by_digest() -> None:
    assert parts(partition([], [Edge("b", "a", 900_000)])) == {"a": ("a", "b")}


def test_nobody_joins_through_a_chain() -> None:
    """C43: a-b, b-c, c-d, d-e does not make one cluster of five."""
    chain = [Edge(one, other, 800_000) for one, other in zip("abcd", "bcde", strict=True)]
    assert parts(partition("abcde", chain)) == {"b": ("a", "b", "c"), "d": ("d", "e")}


def test_a_text_between_two_leaders_joins_the_one_it_overlaps_most() -> None:
    two = [
        Edge("a", "m", 700_000),
        Edge("m", "z", 900_000),
        Edge("a", "b", 800_000),
        Edge("y", "z", 800_000),
        Edge("a", "c", 1),
        Edge("x", "z", 1),
    ]
    assert parts(partition([], two)) == {"a": ("a", "b", "c"), "z": ("m", "x", "y", "z")}


def test_a_text_without_edges_is_a_cluster_of_its_own() -> None:
    assert parts(partition(["a", "b"], [])) == {"a": ("a",), "b": ("b",)}


@given(edges, st.randoms(use_true_random=False))
def test_the_partition_does_not_depend_on_any_order(given_edges: list[Edge], order: random.Random) -> None:
    expected = partition(TEXTS, given_edges)
    for _ in range(5):
        texts, shuffled = (
            TEXTS.copy(),
            [Edge(edge.b, edge.a, edge.overlap_ppm) if order.random() < 0.5 else edge for edge in given_edges],
        )
        order.shuffle(texts)
        order.shuffle(shuffled)
        assert partition(texts, shuffled) == expected


def test_a_hundred_orders_of_one_large_graph_give_one_partition() -> None:
    generator = random.Random(7)
    texts = [f"{number:03d}" for number in range(150)]
    graph = [
        Edge(a, b, generator.randrange(500_000, 1_000_000))
        for a, b in combinations(texts, 2)
        if generator.random() < 0.03
    ]
    expected = partition(texts, graph)
    for _ in range(100):
        generator.shuffle(texts)
        generator.shuffle(graph)
        assert partition(texts, graph) == expected


@given(edges)
def test_every_member_has_a_confirmed_edge_to_its_leader_and_leaders_have_none_between_them(
    given_edges: list[Edge],
) -> None:
    near = {frozenset((edge.a, edge.b)) for edge in given_edges}
    found = partition(TEXTS, given_edges)
    assert sorted(text for part in found for text in part.texts) == TEXTS
    for part in found:
        assert all(text == part.leader or {text, part.leader} in near for text in part.texts)
    assert not any({one.leader, other.leader} in near for one, other in combinations(found, 2))


@given(edges)
def test_a_component_computed_alone_equals_its_part_of_the_whole(given_edges: list[Edge]) -> None:
    reached, frontier = set[str](), {TEXTS[0]}
    while frontier:
        reached |= frontier
        frontier = {text for edge in given_edges for text in (edge.a, edge.b) if {edge.a, edge.b} & reached} - reached
    alone = partition(reached, [edge for edge in given_edges if edge.a in reached])
    assert alone == tuple(part for part in partition(TEXTS, given_edges) if part.leader in reached)
