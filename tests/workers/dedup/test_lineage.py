from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import cluster_id
from schemas.records.cluster import ClusterDecision
from workers.dedup.clusters import Edge, partition
from workers.dedup.lineage import Births, KnownCluster, decide

AT = "2026-08-22T03:15:00Z"


def text(number: int) -> str:
    return f"{number:064x}"


def witness(number: int) -> str:
    return f"snap-{number:012x}-20260822T031500Z-{number:08x}"


@dataclass
class Archive:
    """Replays decisions, as whoever rebuilds the state from the log does."""

    clusters: dict[str, KnownCluster] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    edges: dict[tuple[str, str], Edge] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    sequence: int = 0

    def settle(self) -> list[ClusterDecision]:
        self.sequence += 1
        births = Births({text(n): witness(n) for n in range(64)}, {*self.clusters, *self.aliases}, self.sequence)
        parts = partition(self.texts, self.edges.values())
        decisions = decide(list(self.clusters.values()), parts, births, AT)
        for decision in decisions:
            old = self.clusters.get(decision.cluster_id)
            assert (old is None) == (decision.kind == "birth")
            ordinal = old.ordinal if old else len(self.clusters) + len(self.aliases)
            self.clusters[decision.cluster_id] = KnownCluster(
                decision.cluster_id, ordinal, decision.leader_text_sha256, frozenset(decision.texts)
            )
            if decision.kind == "merge":
                assert decision.other is not None
                del self.clusters[decision.other]
                self.aliases[decision.other] = decision.cluster_id
        assert {(c.leader, c.texts) for c in self.clusters.values()} == {(p.leader, frozenset(p.texts)) for p in parts}
        return decisions

    def see(self, *numbers: int) -> list[ClusterDecision]:
        self.texts |= {text(number) for number in numbers}
        return self.settle()

    def join(self, *pairs: tuple[int, int], ppm: int = 900_000) -> list[ClusterDecision]:
        for one, other in pairs:
            a, b = sorted((text(one), text(other)))
            self.texts |= {a, b}
            self.edges[a, b] = Edge(a, b, ppm)
        return self.settle()


def kinds(decisions: list[ClusterDecision]) -> list[str]:
    return [decision.kind for decision in decisions]


def test_a_birth_takes_its_id_from_the_leaders_snapshot() -> None:
    (birth,) = Archive().see(1)
    assert (birth.kind, birth.cluster_id, birth.texts) == ("birth", cluster_id(witness(1)), (text(1),))


def test_a_cluster_keeps_its_id_when_another_text_becomes_its_leader() -> None:
    archive = Archive()
    archive.see(5)
    decisions = archive.join((5, 2))
    assert kinds(decisions) == ["join"]
    assert decisions[0].cluster_id == cluster_id(witness(5))
    assert decisions[0].leader_text_sha256 == text(2)
    assert "leader has changed" in decisions[0].reason


def test_a_merge_keeps_the_older_id_and_leaves_an_alias() -> None:
    archive = Archive()
    archive.see(1)
    archive.see(2)
    decisions = archive.join((1, 2))
    assert kinds(decisions) == ["merge"]
    assert (decisions[0].cluster_id, decisions[0].other) == (cluster_id(witness(1)), cluster_id(witness(2)))
    assert archive.aliases == {cluster_id(witness(2)): cluster_id(witness(1))}


def test_a_split_leaves_the_id_with_the_leader() -> None:
    archive = Archive()
    archive.join((1, 2), (1, 3))
    del archive.edges[text(1), text(3)]
    decisions = archive.settle()
    assert kinds(decisions) == ["birth", "split"]
    assert decisions[1].cluster_id == cluster_id(witness(1))
    assert decisions[1].other == decisions[0].cluster_id == cluster_id(witness(3))


def test_an_id_is_never_given_twice() -> None:
    """A text that was born, joined another leader with its id, and left again, gets a new id."""
    archive = Archive()
    archive.see(5)
    archive.join((5, 2))
    del archive.edges[text(2), text(5)]
    decisions = archive.settle()
    assert kinds(decisions) == ["birth", "split"]
    assert decisions[0].leader_text_sha256 == text(5)
    assert decisions[0].cluster_id not in {cluster_id(witness(5)), cluster_id(witness(2))}


def test_a_text_that_moves_to_another_cluster_is_logged_on_both_sides() -> None:
    archive = Archive()
    archive.join((1, 2), (1, 3), ppm=700_000)
    archive.join((10, 11), (10, 12))
    decisions = archive.join((3, 10), ppm=950_000)
    assert kinds(decisions) == ["split", "join"]
    assert decisions[0].other == decisions[1].cluster_id == cluster_id(witness(10))


def test_what_did_not_change_is_not_logged() -> None:
    archive = Archive()
    archive.join((1, 2), (3, 4))
    assert archive.settle() == []


numbers = st.integers(0, 15)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), numbers, numbers, st.sampled_from([600_000, 700_000, 900_000])),
        st.tuples(st.just("drop"), numbers, numbers, st.just(0)),
        st.tuples(st.just("see"), numbers, numbers, st.just(0)),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(steps)
def test_replaying_the_log_gives_the_partition_whatever_happened(given_steps: list[tuple[str, int, int, int]]) -> None:
    """X34: every change is logged; `Archive.settle` compares the replay with the partition at each step."""
    archive = Archive()
    for kind, one, other, ppm in given_steps:
        a, b = sorted((text(one), text(other)))
        if kind == "add" and a != b:
            archive.texts |= {a, b}
            archive.edges[a, b] = Edge(a, b, ppm)
        elif kind == "drop":
            archive.edges.pop((a, b), None)
        else:
            archive.texts.add(a)
        archive.settle()
    assert archive.settle() == []
    assert not archive.clusters.keys() & archive.aliases.keys()
