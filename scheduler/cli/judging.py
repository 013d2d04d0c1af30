"""What commands about judgements share: the edges of a bundle as questions, and what the ledger has of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from pydantic import JsonValue

from scheduler.cli.bundles import read_bundle, read_text
from scheduler.cli.output import say, shown
from schemas.judging import share_ppm
from schemas.records.bundle import Bundle
from schemas.records.judgement import JudgementEntry
from workers.judge.question import CONTEXT_CHARS, NoQuestion, Question, questions_of


@dataclass(frozen=True, slots=True)
class Asked:
    """The edges of a bundle that can be asked about, and those that cannot."""

    bundle: Bundle
    questions: list[Question]
    refused: list[NoQuestion]

    def one(self, evidence_id: str) -> Question:
        """An edge by its id. UsageError says why there is none."""
        for question in self.questions:
            if question.evidence_id == evidence_id:
                return question
        for none in self.refused:
            if none.evidence_id == evidence_id:
                raise click.UsageError(f"{evidence_id}: {none.why}; check the bundle with citevault-validate")
        names = ", ".join(question.evidence_id for question in self.questions[:10])
        raise click.UsageError(f"{shown(evidence_id[:40])}: no evidence of this bundle has that id; it has {names}")


def ask_of(directory: str, context_chars: int = CONTEXT_CHARS) -> Asked:
    """The edges of a bundle. Edges that its own texts do not bear out are told, and not asked about."""
    path = Path(directory)
    bundle = read_bundle(path)
    cited = {edge.snapshot_id for edge in bundle.evidence}
    kept = [s.id for s in bundle.snapshots if s.id in cited and s.text_path is not None]
    found = questions_of(bundle, _texts(path, kept), context_chars)
    refused = [each for each in found if isinstance(each, NoQuestion)]
    for none in refused:
        say(f"{none.evidence_id} cannot be judged: {none.why}; check the bundle with citevault-validate")
    return Asked(bundle, [each for each in found if isinstance(each, Question)], refused)


def _texts(directory: Path, names: Sequence[str]) -> dict[str, str]:
    """The texts by snapshot. One that cannot be read is told, and costs its own edges alone."""
    texts: dict[str, str] = {}
    for name in names:
        try:
            texts[name] = read_text(directory, name)
        except click.UsageError as error:
            say(error.format_message())
    return texts


def sample_option(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    """`--sample 10%` in parts per million."""
    if value is None:
        return None
    ppm = share_ppm(value)
    if ppm is None:
        raise click.BadParameter("a share from 0% to 100%, such as 10%")
    return ppm


def row_of(question: Question) -> dict[str, JsonValue]:
    """A question for a program: what is to be judged, and the digest that a judgement of it must be of."""
    return {
        "evidence_id": question.evidence_id,
        "claim_id": question.claim_id,
        "importance": question.importance.value,
        "claim": question.inputs.claim_text,
        "before": question.before,
        "quote": question.inputs.shown_quote,
        "after": question.after,
        "url": question.url,
        "inputs_sha256": question.inputs_sha256,
    }


def entry_row(entry: JudgementEntry) -> dict[str, JsonValue]:
    """A judgement of the ledger, in a listing."""
    return {
        "checker_version": entry.checker_version,
        "by": entry.by,
        "judged_at": entry.judged_at,
        "support": entry.support.value,
        "rationale": entry.rationale,
    }


def told_of(question: Question) -> list[str]:
    """A question for a person: claim, and the quote in its passage, marked."""
    importance = "" if question.importance.value == "ordinary" else f" ({question.importance.value})"
    return [
        f"{question.evidence_id} for {question.claim_id}{importance}, {question.url}",
        f"  claim:   {question.inputs.claim_text}",
        *_wrapped("  page:    ", f"…{question.before}>>> {question.inputs.shown_quote} <<<{question.after}…"),
    ]


def _wrapped(first: str, text: str) -> Sequence[str]:
    lines = [line for line in text.split("\n") if line.strip()]
    return [(first if place == 0 else " " * len(first)) + line for place, line in enumerate(lines)]


def next_build(bundle: Bundle) -> str:
    """What to do with new judgements."""
    return f"take them along: citevault bundle build DRAFT -o DIR (the draft of {shown(bundle.id)})"
