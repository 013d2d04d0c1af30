"""The repair loop: a model a few times, then the deterministic way, and only what the checker accepts (R119, X21).

It searches for nothing and changes no evidence. It fails closed: where a critical sentence would be weakened or lost
and nobody allowed that, or a claim was added, or the checker still finds errors, the answer stays as it was.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from schemas.canonical import canonical_sha256
from schemas.citations.answer import known_ids, read_answer
from schemas.records.source_map import SourceMap
from workers.cite.answer_changes import Change, changes_between
from workers.cite.repair import repair_prompt, without_model

MOST_ATTEMPTS = 5
Ask = Callable[[str], Awaitable[str]]
"""A prompt to a model's answer."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checker says of an answer."""

    clean: bool
    errors: tuple[str, ...]
    """One sentence each."""


Check = Callable[[str], Awaitable[Checked]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try and why it was not taken; no reason, and it was."""

    by: str
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Repaired:
    """The outcome. `text` is None where nothing could be accepted: the answer stays as it was."""

    text: str | None
    changes: tuple[Change, ...]
    attempts: tuple[Attempt, ...]
    evidence_sha256: str
    """Of the source map, before and after: it is read and never written."""


async def repair_answer(
    answer: str,
    source_map: SourceMap,
    check: Check,
    *,
    ask: Ask | None = None,
    model: str = "model",
    attempts: int = 2,
    critical: Collection[str] = (),
    allow_critical: bool = False,
    every_sentence: bool = False,
) -> Repaired:
    """Repair until the checker accepts. An answer that is clean already is given back as it is."""
    evidence, known = canonical_sha256(source_map), known_ids(source_map)
    first = await check(answer)
    if first.clean:
        return Repaired(answer, tuple(changes_between(answer, answer, critical)), (), evidence)
    tried: list[Attempt] = []
    errors: Sequence[str] = first.errors
    current = answer
    for _ in range(min(attempts, MOST_ATTEMPTS) if ask is not None else 0):
        assert ask is not None
        current = await ask(repair_prompt(source_map, current, errors))
        verdict = await check(current)
        changes = changes_between(answer, current, critical, known)
        refused = [*verdict.errors, *_overreach(changes, allow_critical, by_model=True)]
        tried.append(Attempt(model, tuple(refused)))
        if not refused:
            return Repaired(current, tuple(changes), tuple(tried), evidence)
        errors = refused
    plain = without_model(read_answer(answer), source_map, every_sentence=every_sentence)
    changes = changes_between(answer, plain, critical, known)
    refused = [*(await check(plain)).errors, *_overreach(changes, allow_critical, by_model=False)]
    tried.append(Attempt("fallback@1", tuple(refused)))
    if refused:
        return Repaired(None, tuple(changes), tuple(tried), evidence)
    return Repaired(plain, tuple(changes), tuple(tried), evidence)


def _overreach(changes: Sequence[Change], allow_critical: bool, *, by_model: bool) -> list[str]:
    """What no repair may do: add a claim, or, unless it is allowed, change or take away a critical one (X21)."""
    refused = [f"a claim was added: {one.after[:200]}" for one in changes if one.kind == "added" and by_model]
    if not allow_critical:
        refused += [
            f"a critical claim was {one.kind}: {one.before[:200]}"
            for one in changes
            if one.critical and one.kind in ("changed", "removed")
        ]
    return refused
