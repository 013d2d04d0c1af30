"""What a bundle asserts: evidence with its judgement, arbitrations, and the verdict that follows for each claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from schemas.canonical import sha256_hex
from schemas.judging import AUTHOR
from schemas.records.claim import Arbitration, Claim, Evidence, QuotePart, Support
from schemas.records.decision import Decision
from schemas.records.draft import Draft
from schemas.records.source import Source
from workers.cite.context import prefix_of, suffix_of
from workers.cite.draft_check import evidence_id, judgement_id
from workers.cite.judged import JudgedEdge, edge_inputs, is_wanted, judged, later_than
from workers.cite.locator import locator_of
from workers.cite.verdict import Edge, verdict_of
from workers.errors import RetryableError
from workers.flows.bundle_cite import Cited
from workers.flows.decisions import EdgeKey, arbitrations_of
from workers.flows.judge.ledger import JudgementLedger


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the assertions rest on."""

    draft: Draft
    cited: tuple[Cited, ...]
    texts: Mapping[str, str]
    """By snapshot id."""
    sources: Mapping[str, Source]
    group_of: Mapping[str, str]
    """Source id to independence group."""
    now: str


async def judged_evidence(grounds: Grounds, ledger: JudgementLedger, evaluators: Sequence[str]) -> list[JudgedEdge]:
    """The draft's evidence with what the author and everybody else said of exactly these inputs (X33). `evaluators`:
    whose word is taken beside people's; none named: all. RetryableError where a judgement was made after `now`."""
    edges = [_evidence(item, grounds) for item in grounds.cited]
    claims = {claim.id: claim.text for claim in grounds.draft.claims}
    digests = {item.line.snapshot.id: item.line.snapshot.text_sha256 for item in grounds.cited}
    inputs = [edge_inputs(edge, claims[edge.claim_id], digests[edge.snapshot_id]) for edge in edges]
    known = await ledger.of_each(inputs)
    entries = [[entry for entry in known[digest] if is_wanted(entry, evaluators)] for digest in inputs]
    early = later_than(chain.from_iterable(entries), grounds.now)
    if early is not None:
        raise RetryableError(
            f"{early.by} judged at {early.judged_at}, and it is {grounds.now} here",
            next_step="set this machine's clock, or build again when that time has come",
        )
    return judged(edges, inputs, entries, f"draft {grounds.draft.id}")


def standing_arbitrations(
    grounds: Grounds, evidence: Sequence[Evidence], log: Iterable[Decision]
) -> tuple[Arbitration, ...]:
    """Those of the draft, then those of the decision log that speak of this report (X14). Where somebody judged that an
    edge does not contradict after all, there is nothing to be set aside."""
    contradicting: list[tuple[str, EdgeKey, str]] = [
        (edge.claim_id, (edge.snapshot_id, sha256_hex(edge.quote.encode("utf-8"))), edge.id)
        for edge in evidence
        if edge.support is Support.CONTRADICTS
    ]
    claims = [(claim.id, sha256_hex(claim.text.encode("utf-8"))) for claim in grounds.draft.claims]
    against = {evidence_id for _, _, evidence_id in contradicting}
    drafted = [(one, tuple(name for name in one.evidence_ids if name in against)) for one in grounds.draft.arbitrations]
    own = tuple(one.model_copy(update={"evidence_ids": left}) for one, left in drafted if left)
    return own + arbitrations_of(log, grounds.draft.id, claims, contradicting)


def claims_of(grounds: Grounds, evidence: Iterable[Evidence], arbitrations: Iterable[Arbitration]) -> tuple[Claim, ...]:
    """The draft's claims with their derived status (X16)."""
    edges: dict[str, list[Edge]] = defaultdict(list)
    retention = {item.line.snapshot.id: item.line.snapshot.retention for item in grounds.cited}
    for item in evidence:
        edges[item.claim_id].append(
            Edge(
                evidence_id=item.id,
                support=item.support,
                group=item.independence_group,
                tier=grounds.sources[item.source_id].tier.tier,
                retention=retention[item.snapshot_id],
            )
        )
    set_aside: dict[str, set[str]] = defaultdict(set)
    for arbitration in arbitrations:
        set_aside[arbitration.claim_id] |= set(arbitration.evidence_ids)
    return tuple(
        Claim(
            id=claim.id,
            text=claim.text,
            importance=claim.importance,
            claim_type=claim.claim_type,
            status=verdict_of(claim.importance, edges[claim.id], set_aside[claim.id]).verdict,
            place=claim.place,
        )
        for claim in grounds.draft.claims
    )


def _evidence(item: Cited, grounds: Grounds) -> Evidence:
    snapshot = item.line.snapshot
    text, span = grounds.texts[snapshot.id], item.span
    return Evidence(
        id=evidence_id(item.index),
        claim_id=item.edge.claim_id,
        source_id=snapshot.source_id,
        snapshot_id=snapshot.id,
        support=item.edge.support,
        quote=text[span.start : span.end],
        quote_start=span.start,
        quote_end=span.end,
        parts=tuple(QuotePart(start=start, end=end, quote=text[start:end]) for start, end in span.parts),
        prefix=prefix_of(text, span.start),
        suffix=suffix_of(text, span.end),
        match_level=span.level,
        locator=locator_of(text, item.line.headings, span, item.edge.locator, item.line.pages),
        independence_group=grounds.group_of[snapshot.source_id],
        checked_at=grounds.now,
        checker_version=AUTHOR,
        judgement_id=judgement_id(item.index),
    )
