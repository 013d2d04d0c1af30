"""Repairing an answer, never its evidence: what a model is asked, and what is done without one (R119, R120).

A citation is never guessed and never attached. Without a model, repair only takes away: ids that are in no map,
addresses, and the sentences that nothing is left to speak for: one that named an address, or cited an id that is in no
map, and nothing else; and footnotes that nothing leads to any more. Every byte that is not taken away stays as it is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence

from schemas.citations.answer import ParsedAnswer, known_ids
from schemas.citations.sentences import UNJUDGED, Sentence
from schemas.records.source_map import SourceMap
from workers.cite.footnotes import orphans
from workers.cite.prompt import render_prompt


def repair_prompt(
    source_map: SourceMap, answer: str, findings: Sequence[str], only: Collection[str] | None = None
) -> str:
    """The same evidence, the answer and what is wrong with it (R119)."""
    wrong = "\n".join(f"- {finding}" for finding in findings) or "- nothing is known to be wrong"
    task = (
        "Repair the answer below, and nothing else: every claim cites a listed chunk id, claims without support are "
        "taken out, no claim and no source is added, no URL is written. Give the repaired answer alone.\n\n"
        f"What is wrong with it:\n{wrong}\n\nAnswer:\n\n{answer}"
    )
    return render_prompt(source_map, task, only)


def without_model(parsed: ParsedAnswer, source_map: SourceMap, *, every_sentence: bool) -> str:
    """The answer with everything taken away that may not stand. `every_sentence`: also sentences without a citation in
    paragraphs that have one, which only profile strict refuses."""
    known = known_ids(source_map)
    text = parsed.text
    removed = _unsupported(parsed, known, every_sentence)
    unsupported = [(start, end) for start, end, _ in removed]
    removed = sorted((*removed, *((start, end, "") for start, end in orphans(parsed, unsupported))))
    edits = list(removed)
    begins = [start for start, _, _ in removed]
    for citation in parsed.citations:
        left = [name for name in citation.ids if name in known]
        if len(left) < len(citation.ids):
            put = f"{text[citation.start]}{', '.join(left)}{text[citation.end - 1]}" if left else ""
            edits.append((citation.start if put else _back(text, citation.start), citation.end, put))
    for address in parsed.prose.addresses:
        at = bisect_right(begins, address.start) - 1
        if at >= 0 and address.start < removed[at][1]:
            continue  # goes with its sentence; a blank before it may be another's
        kept = "" if address.text is None else text[slice(*address.text)]
        edits.append((address.start if kept else _back(text, address.start), address.end, kept))
    return _applied(text, edits)


def _unsupported(parsed: ParsedAnswer, known: Collection[str], every_sentence: bool) -> list[tuple[int, int, str]]:
    """Sentences that nothing speaks for, in order; where a block has no other, the whole block."""
    edits: list[tuple[int, int, str]] = []
    addresses = [address.start for address in parsed.prose.addresses]
    of_block: dict[int, list[Sentence]] = {}
    for one in parsed.sentences:
        of_block.setdefault(one.block, []).append(one)
    for number, block in enumerate(parsed.prose.blocks):
        own = of_block.get(number, [])
        if block.kind in UNJUDGED or not own:
            continue
        supported = {one.start for one in own if not _ids(parsed, one).isdisjoint(known)}
        if not supported:
            edits.append((block.start, block.end, ""))
            continue
        for one in own:
            if one.start not in supported and (every_sentence or one.citations or _has_one(addresses, one)):
                edits.append((one.start, _forward(parsed.text, one.end, block.end), ""))
    return edits


def _ids(parsed: ParsedAnswer, one: Sentence) -> set[str]:
    return {name for place in one.citations for name in parsed.citations[place].ids}


def _has_one(places: Sequence[int], one: Sentence) -> bool:
    at = bisect_left(places, one.start)
    return at < len(places) and places[at] < one.end


def _applied(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Edits in order; what lies within a larger one goes with it."""
    parts: list[str] = []
    done = 0
    for start, end, put in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if end <= done:
            continue
        parts += (text[done : max(done, start)], put)
        done = end
    return "".join((*parts, text[done:]))


def _back(text: str, at: int) -> int:
    """Before the blank in front of what is taken away."""
    return at - 1 if at and text[at - 1] == " " else at


def _forward(text: str, at: int, end: int) -> int:
    """Behind the marks and blanks that follow a sentence which is taken away."""
    while at < end and text[at] in ".。 ":
        at += 1
    return at
