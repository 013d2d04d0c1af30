"""Which cluster id goes where when the partition changes: ids are given once, at birth, and logged.

An id goes where its old leader goes. Where two ids meet, the older one stays and the younger becomes its
alias (merge); texts that leave their old leader get another id (split). The partition itself depends on
the confirmed edges alone; the ids depend on when clusters were born, which is why the log is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.ids import cluster_id
from schemas.records.cluster import ClusterDecision
from workers.dedup.clusters import Part
from workers.dedup.sighting import witness_order


@dataclass(frozen=True, slots=True)
class KnownCluster:
    """A cluster as the log has it. `ordinal` counts births: the smaller one is older."""

    id: str
    ordinal: int
    leader: str
    texts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Births:
    """What newborn ids are made from: each text's witness, ids that are taken, and the log's sequence."""

    witness: Mapping[str, str]
    taken: Collection[str]
    sequence: int

    def ids_of(self, leaders: Sequence[str]) -> list[str]:
        """`cl-<16 hex of the leader's snapshot id>` each. An id is given once: a text that led before and left
        its id to others gets one made with the log's sequence and the text's digest beside the snapshot id."""
        given: dict[str, None] = {}
        for leader in leaders:
            plain = cluster_id(self.witness[leader])
            if plain in self.taken or plain in given:
                plain = cluster_id(f"{self.witness[leader]}~{self.sequence}~{leader}")
            given[plain] = None
        return list(given)


def decide(known: Sequence[KnownCluster], parts: Sequence[Part], births: Births, at: str) -> list[ClusterDecision]:
    """The decisions that lead from the known clusters to the new parts, in the order in which they are logged.

    `known` must be all clusters with a text in `parts`, and `parts` must hold all their texts. Each
    decision carries the final texts of its cluster, so that the last one on an id tells its members.
    """
    part_of = {text: part for part in parts for text in part.texts}
    claims: dict[Part, list[KnownCluster]] = {part: [] for part in parts}
    for old in known:
        claims[part_of[old.leader]].append(old)
    ids = {part: min(olds, key=lambda old: old.ordinal).id for part, olds in claims.items() if olds}
    newborn = sorted((part for part in parts if part not in ids), key=lambda part: _birth_order(part, births))
    ids |= zip(newborn, births.ids_of([part.leader for part in newborn]), strict=True)

    def say(kind: _Kind, part: Part, reason: str, other: str | None = None) -> ClusterDecision:
        return ClusterDecision(
            schema="citevault/cluster-decision@1",
            kind=kind,
            cluster_id=ids[part],
            leader_text_sha256=part.leader,
            texts=part.texts,
            other=other,
            reason=reason,
            at=at,
        )

    decisions = [say("birth", part, _birth_reason(part)) for part in newborn]
    for old in sorted(known, key=lambda old: old.ordinal):
        kept_by = part_of[old.leader]
        left = Counter(ids[part_of[text]] for text in old.texts if part_of[text] is not kept_by)
        decisions += [
            say("split", kept_by, f"{count} texts have no confirmed edge to this leader, or a nearer one", other)
            for other, count in sorted(left.items())
        ]
    for part in sorted(claims, key=lambda part: ids[part]):
        olds = sorted(claims[part], key=lambda old: old.ordinal)
        for younger in olds[1:]:
            decisions.append(
                say("merge", part, "both leaders now belong to one cluster; the older id stays", younger.id)
            )
        if olds:
            reason = _join_reason(olds, part)
            if reason:
                decisions.append(say("join", part, reason))
    return decisions


_Kind = Literal["birth", "join", "merge", "split"]


def _birth_order(part: Part, births: Births) -> tuple[tuple[str, str], str]:
    return witness_order(births.witness[part.leader]), part.leader


def _birth_reason(part: Part) -> str:
    others = len(part.texts) - 1
    return "no confirmed edge to an earlier leader" + (f"; {others} texts confirmed against it" if others else "")


def _join_reason(olds: Sequence[KnownCluster], part: Part) -> str:
    """What changed beside merges and splits; empty where nothing did."""
    before = frozenset[str]().union(*(old.texts for old in olds))
    came = len(set(part.texts) - before)
    reasons = [f"{came} texts confirmed against the leader"] if came else []
    if olds[0].leader != part.leader:
        reasons.append("the leader has changed, since another text has more confirmed edges or an earlier place")
    return "; ".join(reasons)
