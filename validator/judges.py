"""Who judged: what evaluators are pinned to, where judgements differ, and whether people looked at a sample (R098).

Nothing here changes a verdict or what counts: agreement describes a checker, and is never averaged into the gate (C37).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from schemas.agreement import Agreement, agreement
from schemas.counted import counted
from schemas.findings import FindingKind
from schemas.judging import Rank, instant, is_pinned, latest, rank_of, sample_of
from schemas.people import pairs_of, settled
from schemas.pointer import pointer
from schemas.records.claim import Judgement
from schemas.records.finding import Severity
from validator.found import Found
from validator.input import BundleInput
from validator.settings import Settings

_LOOKED: Final = {
    Rank.AUTHOR: "edges judged by their author alone",
    Rank.EVALUATOR: "edges judged by an evaluator",
    Rank.HUMAN: "edges judged by a person",
    Rank.ARBITER: "edges decided by an arbiter",
}


def check_judges(given: BundleInput, settings: Settings, found: Found) -> None:
    """Every evaluator of the bundle, and every edge that more than one judged."""
    severity = Severity.ERROR if settings.strict else None
    evaluators: dict[str, list[Judgement]] = {}
    for index, judgement in enumerate(given.bundle.judgements):
        if rank_of(judgement.checker_version) is Rank.EVALUATOR:
            own = evaluators.setdefault(judgement.checker_version, [])
            if not own:
                _pinned(given, judgement, index, severity, found)
            own.append(judgement)
    for index, edge in enumerate(given.bundle.evidence):
        told = given.judgements_of_edge.get(edge.id, ())
        best = max((rank_of(one.checker_version) for one in told), default=Rank.NONE)
        if best in _LOOKED:
            found.looked_at(_LOOKED[best])
        _differences(told, index, found)
    said: dict[str, list[Judgement]] = {}
    for judgement in given.bundle.judgements:
        if rank_of(judgement.checker_version) >= Rank.HUMAN:
            said.setdefault(judgement.inputs_sha256, []).append(judgement)
    for name, judged in sorted(evaluators.items()):
        _audited(name, _by_inputs(judged), said, settings.human_sample_ppm, severity, found)
    for pair in pairs_of(said):
        found.add(
            FindingKind.JUDGEMENT_PEOPLE,
            pointer="/judgements",
            ids=tuple(said[each.inputs][0].evidence_id for each in pair.disagreements),
            actual=f"{pair.one} and {pair.other}: {_said(pair.agreement)}",
        )


def _pinned(given: BundleInput, judgement: Judgement, index: int, severity: Severity | None, found: Found) -> None:
    """The digest of the parameters stands in the id; that they fit it is checked where policies are."""
    name = judgement.checker_version
    policies = [p for p in given.bundle.policies if p.kind == "checker" and p.id == name]
    if "+" not in name or not any(is_pinned(policy.value) for policy in policies):
        found.add(
            FindingKind.JUDGEMENT_UNPINNED,
            pointer=pointer(("judgements", index, "checker_version")),
            ids=(judgement.id, name),
            expected="a policy of kind checker with model, prompt and temperature",
            actual="such a policy without them" if policies else "none",
            severity=severity,
        )


def _differences(told: Sequence[Judgement], index: int, found: Found) -> None:
    """Told apart: one who says now this and now that, and evaluators and people who do not agree. The author is asked
    by nobody, and what people do not agree on among themselves is another finding."""
    words: dict[tuple[str, str], list[Judgement]] = {}
    for one in told:
        if rank_of(one.checker_version) in (Rank.EVALUATOR, Rank.HUMAN):
            words.setdefault((one.checker_version, one.by), []).append(one)
    for own in words.values():
        for inputs in sorted({one.inputs_sha256 for one in own}):
            said = [one for one in own if one.inputs_sha256 == inputs]
            if len({one.support for one in said}) > 1:
                _tell(FindingKind.JUDGEMENT_UNSTABLE, index, said, "one answer", found)
    evaluators = [own for own in words.values() if rank_of(own[0].checker_version) is Rank.EVALUATOR]
    last = [max(own, key=lambda one: instant(one.judged_at)) for own in evaluators]
    last += [person] if (person := settled(told)) is not None else []
    if len({one.support for one in last}) > 1:
        _tell(FindingKind.JUDGEMENT_DISPUTED, index, last, "one support", found)


def _tell(kind: FindingKind, index: int, said: Sequence[Judgement], expected: str, found: Found) -> None:
    found.add(
        kind,
        pointer=pointer(("evidence", index)),
        ids=(said[0].evidence_id, *(one.id for one in said)),
        expected=expected,
        actual=", ".join(f"{one.support.value} by {one.checker_version}" for one in said),
    )


def _by_inputs(judgements: Iterator[Judgement] | Sequence[Judgement]) -> dict[str, Judgement]:
    """Of each inputs the last word."""
    out: dict[str, list[Judgement]] = {}
    for one in judgements:
        out.setdefault(one.inputs_sha256, []).append(one)
    return {inputs: word for inputs, words in out.items() if (word := latest(words)) is not None}


def _audited(
    name: str,
    judged: Mapping[str, Judgement],
    told: Mapping[str, Sequence[Judgement]],
    rate_ppm: int,
    severity: Severity | None,
    found: Found,
) -> None:
    """Whether people judged the sample of what one evaluator judged, and how far they agree; what people do not agree
    on themselves is left out of that."""
    people = {inputs: word for inputs, words in told.items() if (word := settled(words)) is not None}
    sample = sample_of(judged, rate_ppm)
    missing = sorted(judged[inputs].evidence_id for inputs in sample - told.keys())
    if missing:
        found.add(
            FindingKind.JUDGEMENT_SAMPLE,
            pointer="/judgements",
            ids=(name, *missing),
            expected=f"a person's judgement of {len(sample)} of {counted(len(judged), 'edge')}",
            actual=f"of {len(sample) - len(missing)}",
            severity=severity,
        )
    both = sorted(judged.keys() & people.keys())
    if both:
        whole = agreement((judged[i].support, people[i].support) for i in both)
        drawn = agreement((judged[i].support, people[i].support) for i in both if i in sample)
        found.add(
            FindingKind.JUDGEMENT_AGREEMENT,
            pointer="/judgements",
            ids=(name,),
            actual=f"{_said(whole)}; in the sample {_said(drawn)}",
        )


def _said(of: Agreement) -> str:
    kappa = "" if of.kappa_ppm is None else f", kappa {of.kappa_ppm / 1_000_000:.2f}"
    return f"{of.agreed} of {of.pairs} agree{kappa}"
