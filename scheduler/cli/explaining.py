"""How a verdict on two texts, and what is behind it, is told: in words, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click
from pydantic import JsonValue

from scheduler.cli.output import shown
from schemas.records.cluster import EdgeFigures, EdgeVerdict
from workers.flows.cluster_explain import Explanation, Side

WHOLE = 1_000_000
ANSWERS = {
    "one-text": "one story: the same text",
    "one-story": "one story",
    "apart": "not one story",
    "unknown": "cannot tell",
}


def tells_other_numbers(edge: EdgeVerdict) -> bool:
    """Whether a pair names other quantities."""
    return edge.figures.numbers_ppm is not None and edge.figures.numbers_ppm < WHOLE


def figures_in_words(figures: EdgeFigures) -> str:
    """What the look found, in words; what was not known is left out."""
    ratios: Sequence[tuple[str, int | None]] = (
        ("overlap", figures.shingle_jaccard_ppm),
        ("containment", figures.containment_ppm),
        ("numbers", figures.numbers_ppm),
        ("opening", figures.opening_ppm),
        ("title", figures.title_ppm),
        ("title within what both share", figures.title_in_shared_ppm),
        ("links", figures.outlinks_ppm),
    )
    parts = [f"{name} {value / 10_000:.1f} %" for name, value in ratios if value is not None]
    if figures.same_author is not None:
        parts.append("one author" if figures.same_author else "other authors")
    if figures.days_apart is not None:
        parts.append(f"{figures.days_apart} days apart")
    if figures.numbers_ppm is not None and figures.numbers_ppm < WHOLE:
        parts.append("THEY TELL OTHER FIGURES")
    return ", ".join(parts)


def print_explanation(found: Explanation) -> None:
    for side in (found.one, found.other):
        click.echo(f"{side.snapshot_id}  {shown(side.url)}  {side.cluster_id or 'no cluster'}")
    click.echo(ANSWERS[found.answer])
    for reason in found.reasons:
        click.echo(f"  {reason}")
    if found.verdict is not None:
        stored = found.verdict
        click.echo(f"  judged by {stored.verdict.rules} as number {stored.sequence} of the log, {stored.at}")
        click.echo(f"  {figures_in_words(stored.verdict.figures)}")
    if found.looked_now is not None:
        click.echo(f"  a look now would say {found.looked_now.rule}: {figures_in_words(found.looked_now.figures)}")
    for earlier in found.earlier:
        says = "yes" if earlier.verdict.confirmed else "no"
        click.echo(f"  earlier, number {earlier.sequence}: {says}, {earlier.verdict.rule} ({earlier.verdict.rules})")
    if found.numbers is not None and (found.numbers.one or found.numbers.other):
        click.echo(f"  numbers of the first alone: {shown(' '.join(found.numbers.one[:20]) or '-')}")
        click.echo(f"  numbers of the second alone: {shown(' '.join(found.numbers.other[:20]) or '-')}")
    for run in found.differences:
        click.echo(f"  {shown(run.one) or '(nothing)'}  |  {shown(run.other) or '(nothing)'}")
    for side in (found.one, found.other):
        if side.canonical is not None:
            click.echo(f"  {side.snapshot_id} declares as canonical {shown(side.canonical)}")


def explanation_json(found: Explanation) -> dict[str, JsonValue]:
    def side(one: Side) -> dict[str, JsonValue]:
        return dict(asdict(one))

    verdicts = [*found.earlier, *([found.verdict] if found.verdict is not None else [])]
    return {
        "one": side(found.one),
        "other": side(found.other),
        "answer": found.answer,
        "reasons": list(found.reasons),
        "verdicts": [
            {
                "sequence": stored.sequence,
                "at": stored.at,
                "key": stored.key,
                "verdict": stored.verdict.model_dump(mode="json", by_alias=True),
            }
            for stored in verdicts
        ],
        "looked_now": None if found.looked_now is None else found.looked_now.model_dump(mode="json", by_alias=True),
        "numbers": None
        if found.numbers is None
        else {"one": list(found.numbers.one), "other": list(found.numbers.other)},
        "differences": [{"one": run.one, "other": run.other} for run in found.differences],
    }
