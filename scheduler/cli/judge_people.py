"""`judge agreement --people`: every two people who judged the same, and what became of what they disagree on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from scheduler.cli.output import print_json, print_rows, say, shown
from schemas.agreement import Agreement
from schemas.people import Disagreement, Pair, pairs_of, settled
from schemas.records.judgement import JudgementEntry
from workers.judge.question import Question

MOST_LINES = 100


def tell_people(entries: Mapping[str, Sequence[JudgementEntry]], questions: Sequence[Question], as_json: bool) -> int:
    """Exit 1 where a disagreement is unresolved. `questions`: the edges of a bundle, where one was named."""
    names: dict[str, list[str]] = {}
    for question in questions:
        names.setdefault(question.inputs_sha256, []).append(question.evidence_id)
    pairs = pairs_of(entries)
    rows = [_row(pair, entries, names) for pair in pairs]
    if as_json:
        print_json([*rows])
    else:
        listed: list[dict[str, JsonValue]] = [
            {"one": pair.one, "other": pair.other, "agree": line_of(pair.agreement)} for pair in pairs
        ]
        print_rows(listed, ("one", "other", "agree"), nothing="no two people have judged the same")
        lines = [line for pair in pairs for line in _told(pair, entries, names)]
        for line in lines[:MOST_LINES]:
            say(shown(line))
        if len(lines) > MOST_LINES:
            say(f"and {len(lines) - MOST_LINES} more; --json has all")
    left = {each.inputs for pair in pairs for each in pair.disagreements if settled(entries[each.inputs]) is None}
    if left:
        say(f"{len(left)} unresolved: a third person decides with `citevault judge arbitrate DIR EVIDENCE`")
    return 1 if left else 0


def line_of(of: Agreement) -> str:
    """An agreement in few words."""
    if not of.pairs:
        return "nothing reviewed"
    kappa = "no kappa (one answer to everything)" if of.kappa_ppm is None else f"kappa {of.kappa_ppm / 1_000_000:.2f}"
    return f"{of.agreed} of {of.pairs}, {kappa}"


def _row(
    pair: Pair, entries: Mapping[str, Sequence[JudgementEntry]], names: Mapping[str, list[str]]
) -> dict[str, JsonValue]:
    disagreements: list[JsonValue] = []
    for each in pair.disagreements:
        word = settled(entries[each.inputs])
        disagreements.append(
            {
                "evidence_ids": [*names.get(each.inputs, ())],
                "inputs_sha256": each.inputs,
                "claim": entries[each.inputs][0].inputs.claim_text,
                "quote": entries[each.inputs][0].inputs.shown_quote,
                "one": each.one.value,
                "other": each.other.value,
                "state": "unresolved" if word is None else "arbitrated",
                "support": None if word is None else word.support.value,
                "by": None if word is None else word.by,
                "why": None if word is None else word.rationale,
            }
        )
    return {
        "one": pair.one,
        "other": pair.other,
        "pairs": pair.agreement.pairs,
        "agreed": pair.agreement.agreed,
        "raw_ppm": pair.agreement.raw_ppm,
        "kappa_ppm": pair.agreement.kappa_ppm,
        "disagreements": disagreements,
    }


def _told(pair: Pair, entries: Mapping[str, Sequence[JudgementEntry]], names: Mapping[str, list[str]]) -> list[str]:
    return [_line(pair, each, settled(entries[each.inputs]), entries, names) for each in pair.disagreements]


def _line(
    pair: Pair,
    each: Disagreement,
    word: JudgementEntry | None,
    entries: Mapping[str, Sequence[JudgementEntry]],
    names: Mapping[str, list[str]],
) -> str:
    what = ", ".join(names.get(each.inputs, ())) or f"`{entries[each.inputs][0].inputs.claim_text[:60]}`"
    ended = "unresolved" if word is None else f"{word.support.value} by {word.by}: {word.rationale}"
    return f"  {what}: {pair.one} {each.one.value}, {pair.other} {each.other.value}; {ended}"
