"""Two bundles side by side: each edge beside that of the other which rests on the same, and how they differ. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.records.bundle import Bundle, BundleSnapshot
from schemas.records.claim import Claim, Evidence, Judgement
from schemas.records.comparison import Cause
from schemas.records.source import Source
from workers.cite.verdict import Edge


@dataclass(frozen=True, slots=True)
class Side:
    """One bundle, to look things up in."""

    bundle: Bundle
    claims: Mapping[str, Claim]
    snapshots: Mapping[str, BundleSnapshot]
    sources: Mapping[str, Source]
    judgements: Mapping[str, Judgement]

    @classmethod
    def of(cls, bundle: Bundle) -> Side:
        return cls(
            bundle,
            {claim.id: claim for claim in bundle.claims},
            {snapshot.id: snapshot for snapshot in bundle.snapshots},
            {source.id: source for source in bundle.sources},
            {judgement.id: judgement for judgement in bundle.judgements},
        )

    def edges(self, claim_id: str) -> list[Evidence]:
        return [edge for edge in self.bundle.evidence if edge.claim_id == claim_id]

    def rules_see(self, edge: Evidence) -> Edge:
        """What decides of an edge."""
        return Edge(
            evidence_id=edge.id,
            support=edge.support,
            group=edge.independence_group,
            tier=self.sources[edge.source_id].tier.tier,
            retention=self.snapshots[edge.snapshot_id].retention,
        )

    def set_aside(self, claim_id: str) -> set[str]:
        return {name for one in self.bundle.arbitrations if one.claim_id == claim_id for name in one.evidence_ids}

    def place(self, edge: Evidence) -> tuple[str, str]:
        """What an edge rests on, however its page is identified: the URL that was asked for, and the words."""
        return self.snapshots[edge.snapshot_id].requested_url, edge.quote


@dataclass(frozen=True, slots=True)
class Change:
    """A difference, as what it makes of the earlier edge; None: it is not there."""

    cause: Cause
    what: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    before: Evidence | None
    after: Evidence | None
    changes: tuple[Change, ...]


def pairs_of(claim_id: str, one: Side, other: Side) -> list[Pair]:
    """Edges that rest on the same page and words; then, of what is left, those of the same page."""
    left, right = one.edges(claim_id), other.edges(claim_id)
    matched: list[tuple[Evidence | None, Evidence | None]] = []
    for whole in (True, False):
        for edge in list(left):
            place = one.place(edge)
            twin = next(
                (e for e in right if (other.place(e) == place if whole else other.place(e)[0] == place[0])), None
            )
            if twin is not None:
                matched.append((edge, twin))
                left.remove(edge)
                right.remove(twin)
    matched += [(edge, None) for edge in left]
    matched += [(None, edge) for edge in right]
    return [Pair(a, b, tuple(_differences(a, b, one, other))) for a, b in matched]


def _differences(a: Evidence | None, b: Evidence | None, one: Side, other: Side) -> list[Change]:
    if a is None or b is None:
        return [Change(Cause.EVIDENCE, "new evidence" if a is None else "evidence is gone", "whole")]
    rests = _rests_on(a, b, one, other)
    old, new = one.rules_see(a), other.rules_see(b)
    found = []
    if rests is not None:
        found.append(rests)
    if a.support is not b.support or a.checker_version != b.checker_version:
        cause = _judged_anew(a, b, one, other) if rests is None else rests.cause
        said = f"{a.support.value} by {a.checker_version}, now {b.support.value} by {b.checker_version}"
        found.append(Change(cause, said, "support"))
    if old.group != new.group:
        moved = _identity(a, b, one, other)
        found.append(Change(moved, f"group {old.group}, now {new.group}", "group"))
    if old.tier is not new.tier:
        found.append(Change(Cause.GATE, f"tier {old.tier.value}, now {new.tier.value}", "tier"))
    if old.retention != new.retention:
        found.append(Change(Cause.EVIDENCE, f"retention {old.retention}, now {new.retention}", "retention"))
    return found


def _rests_on(a: Evidence, b: Evidence, one: Side, other: Side) -> Change | None:
    """Why the quote or its text are not the same; None where they are."""
    old, new = one.snapshots[a.snapshot_id], other.snapshots[b.snapshot_id]
    if old.text_sha256 == new.text_sha256 and (a.quote, a.prefix, a.suffix) == (b.quote, b.prefix, b.suffix):
        return None
    if old.text_sha256 == new.text_sha256:
        return Change(Cause.EVIDENCE, "another passage of the same text")
    if old.decoded_sha256 != new.decoded_sha256 or old.decoded_sha256 is None:
        return Change(Cause.EVIDENCE, f"another payload: {old.id}, now {new.id}")
    if old.extractor != new.extractor:
        return Change(Cause.EXTRACTOR, f"extractor {old.extractor}, now {new.extractor}")
    if old.normalizer != new.normalizer:
        return Change(Cause.NORMALIZER, f"normalizer {old.normalizer}, now {new.normalizer}")
    return Change(Cause.EVIDENCE, "another text of the same payload")


def _judged_anew(a: Evidence, b: Evidence, one: Side, other: Side) -> Cause:
    """The same words and text: if the claim is the same too, somebody judged it otherwise."""
    old, new = one.judgements.get(a.judgement_id), other.judgements.get(b.judgement_id)
    same = old is not None and new is not None and old.inputs_sha256 == new.inputs_sha256
    return Cause.CHECKER if same else Cause.EVIDENCE


def _identity(a: Evidence, b: Evidence, one: Side, other: Side) -> Cause:
    """Whether another URL policy gave the page another identity; else its group was decided otherwise."""
    old, new = one.snapshots[a.snapshot_id], other.snapshots[b.snapshot_id]
    moved = old.url_policy != new.url_policy and old.normalized_url != new.normalized_url
    return Cause.URL_POLICY if moved else Cause.CLUSTER
