"""The judgements of an edge as a bundle has them: the author's word, beside it all that the ledger has of these very
inputs, and which of them counts (X33, R097). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.judging import AUTHOR, Rank, counting, inputs_sha256, instant, rank_of
from schemas.records.claim import Evidence, Judgement, Support
from schemas.records.judgement import JudgementEntry
from workers.cite.draft_check import judgement_id

AUTHORS_RATIONALE = "The author of the draft says so."
_UNKINDEST = (Support.CONTRADICTS, Support.NO_SUPPORT, Support.PARTIAL, Support.FULL)


@dataclass(frozen=True, slots=True)
class JudgedEdge:
    """An edge with its judgements; the edge repeats the one that counts."""

    edge: Evidence
    judgements: tuple[Judgement, ...]


def edge_inputs(edge: Evidence, claim_text: str, text_sha256: str | None) -> str:
    """The digest of what a judgement of this edge is of."""
    words = [part.quote for part in edge.parts]
    return inputs_sha256(claim_text, edge.quote, edge.prefix, edge.suffix, text_sha256, words)


def is_wanted(entry: JudgementEntry, evaluators: Sequence[str]) -> bool:
    """Whether a judgement belongs into a bundle. `evaluators`: those that were asked for; none named: all. A person's
    word always does: no option leaves it out."""
    rank = rank_of(entry.checker_version)
    return rank >= Rank.HUMAN or (rank is Rank.EVALUATOR and (not evaluators or entry.checker_version in evaluators))


def judged(
    edges: Sequence[Evidence], inputs: Sequence[str], entries: Sequence[Sequence[JudgementEntry]], by: str
) -> list[JudgedEdge]:
    """Each edge, which comes with the author's support and time, after everybody was heard. `inputs` and `entries`
    belong to the edges, in their order; ids of further judgements follow those of the authors' words."""
    number = len(edges)
    found: list[JudgedEdge] = []
    for index, edge in enumerate(edges):
        words = [_authors(edge, inputs[index], judgement_id(index), by)]
        for entry in sorted(entries[index], key=lambda one: (instant(one.judged_at), one.checker_version, one.by)):
            words.append(_from_ledger(edge, entry, judgement_id(number)))
            number += 1
        best = min(counting(words), key=lambda word: _UNKINDEST.index(word.support))
        update = {
            "support": best.support,
            "checker_version": best.checker_version,
            "checked_at": best.judged_at,
            "judgement_id": best.id,
        }
        found.append(JudgedEdge(edge.model_copy(update=update), tuple(words)))
    return found


def later_than(entries: Iterable[JudgementEntry], now: str) -> JudgementEntry | None:
    """A judgement that was made after `now`, by somebody's clock."""
    return next((entry for entry in entries if instant(entry.judged_at) > instant(now)), None)


def _authors(edge: Evidence, inputs: str, identifier: str, by: str) -> Judgement:
    return Judgement(
        id=identifier,
        claim_id=edge.claim_id,
        evidence_id=edge.id,
        support=edge.support,
        checker_version=AUTHOR,
        rationale=AUTHORS_RATIONALE,
        inputs_sha256=inputs,
        judged_at=edge.checked_at,
        by=by,
    )


def _from_ledger(edge: Evidence, entry: JudgementEntry, identifier: str) -> Judgement:
    return Judgement(
        id=identifier,
        claim_id=edge.claim_id,
        evidence_id=edge.id,
        support=entry.support,
        checker_version=entry.checker_version,
        rationale=entry.rationale,
        inputs_sha256=entry.inputs_sha256,
        judged_at=entry.judged_at,
        by=entry.by,
    )
