"""What is asked of a checker: one claim, one quote, and the passage around it. Pure.

A bundle is taken at its word only as far as its own texts bear it out: a quote that does not stand where the edge says
is no question, and neither is one of a text that is not the snapshot's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.canonical import sha256_hex
from schemas.judging import context_sha256, inputs_sha256
from schemas.records.bundle import Bundle
from schemas.records.claim import Evidence, Importance, Judgement, Support
from schemas.records.judgement import JudgementInputs

CONTEXT_CHARS = 600
"""Code points of the text on each side of the quote: some hundred words, so that what a pronoun means can be seen."""


@dataclass(frozen=True, slots=True)
class Question:
    """One edge, ready to be judged."""

    evidence_id: str
    claim_id: str
    importance: Importance
    inputs: JudgementInputs
    before: str
    after: str
    url: str
    author: Support | None
    """What the author of the draft says; checkers are not told."""

    @property
    def inputs_sha256(self) -> str:
        return digest_of(self.inputs)

    @property
    def context_sha256(self) -> str:
        return context_sha256(self.before, self.after)


@dataclass(frozen=True, slots=True)
class NoQuestion:
    """An edge that cannot be asked about, and why."""

    evidence_id: str
    why: str


def digest_of(inputs: JudgementInputs) -> str:
    """What the ledger finds judgements by."""
    words = inputs.parts
    return inputs_sha256(inputs.claim_text, inputs.quote, inputs.prefix, inputs.suffix, inputs.text_sha256, words)


def questions_of(
    bundle: Bundle, texts: Mapping[str, str], context_chars: int = CONTEXT_CHARS
) -> list[Question | NoQuestion]:
    """Every edge, in the order of the bundle. `texts`: by snapshot; those that are not kept are missing."""
    claims = {claim.id: claim for claim in bundle.claims}
    snapshots = {snapshot.id: snapshot for snapshot in bundle.snapshots}
    digests = {name: sha256_hex(text.encode("utf-8")) for name, text in texts.items()}
    told: dict[str, list[Judgement]] = {}
    for one in bundle.judgements:
        told.setdefault(one.evidence_id, []).append(one)
    found: list[Question | NoQuestion] = []
    for edge in bundle.evidence:
        claim, snapshot, text = claims.get(edge.claim_id), snapshots.get(edge.snapshot_id), texts.get(edge.snapshot_id)
        if claim is None or snapshot is None:
            found.append(NoQuestion(edge.id, "its claim or its snapshot is not in the bundle"))
        elif text is None or snapshot.text_sha256 is None:
            found.append(NoQuestion(edge.id, "its text is not at hand, so nobody can read around the quote"))
        elif digests[edge.snapshot_id] != snapshot.text_sha256:
            found.append(NoQuestion(edge.id, "the text is not that of its snapshot"))
        elif not _stands(edge, text):
            found.append(NoQuestion(edge.id, "the quote does not stand where the edge says"))
        else:
            found.append(
                Question(
                    evidence_id=edge.id,
                    claim_id=claim.id,
                    importance=claim.importance,
                    inputs=JudgementInputs(
                        claim_text=claim.text,
                        quote=edge.quote,
                        prefix=edge.prefix,
                        suffix=edge.suffix,
                        text_sha256=snapshot.text_sha256,
                        parts=tuple(part.quote for part in edge.parts),
                    ),
                    before=text[max(0, edge.quote_start - context_chars) : edge.quote_start],
                    after=text[edge.quote_end : edge.quote_end + context_chars],
                    url=snapshot.final_url,
                    author=_authors(told.get(edge.id, ())),
                )
            )
    return found


def _stands(edge: Evidence, text: str) -> bool:
    start, end = edge.quote_start, edge.quote_end
    before, after = text[max(0, start - len(edge.prefix)) : start], text[end : end + len(edge.suffix)]
    parts = all(text[part.start : part.end] == part.quote for part in edge.parts)
    return parts and text[start:end] == edge.quote and before == edge.prefix and after == edge.suffix


def _authors(told: Sequence[Judgement]) -> Support | None:
    return next((one.support for one in reversed(told) if one.checker_version.startswith("draft@")), None)
