"""Which claims of a bundle pass: the one rule for all who count or keep them.

A claim passes where the profile takes its verdict for no error, and no error bears on it: on itself, its edges, their
snapshots and sources, or what holds its sources' groups together.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from schemas.records.claim import Evidence, Importance, Verdict
from schemas.records.finding import ClaimVerdict, Report, Severity
from validator.bundle import BundleResult
from validator.formats.content import claims_of
from validator.input import BundleInput


@dataclass(frozen=True, slots=True)
class Standing:
    """Which claims of a bundle pass."""

    kept: frozenset[str]
    left_out: dict[str, str]
    """The others, each with its reason, in the bundle's order."""
    whole: str | None
    """The code of an error that bears on no single claim."""


def standing(result: BundleResult, report: Report) -> Standing:
    """A claim passes where the profile takes its verdict for no error, and no error bears on it."""
    given = result.given
    errors: dict[str, dict[str, None]] = {}
    named: set[str] = set()
    whole: str | None = None
    cite = _claims_by_cited(given)
    for finding in report.findings:
        if finding.severity is not Severity.ERROR:
            continue
        claims = claims_of(finding, result)
        if not claims:  # an error that names no claim bears on those whose snapshots or sources it names
            claims = [claim for name in finding.ids for claim in cite.get(name, ())]
            named |= set(finding.ids) & given.snapshots.keys() if claims else set()
        whole = whole or (None if claims else finding.code)
        for claim in claims:
            errors.setdefault(claim, {})[finding.code] = None
    held = _claims_held_by(given, named)
    kept: set[str] = set()
    left_out: dict[str, str] = {}
    for each in report.verdicts:
        if not _verdict_passes(each, report.profile):
            left_out[each.claim_id] = str(each.verdict)
        elif each.claim_id in errors:
            left_out[each.claim_id] = "has errors: " + ", ".join(errors[each.claim_id])
        elif each.claim_id in held:
            left_out[each.claim_id] = "has errors in a snapshot that holds its group together"
        else:
            kept.add(each.claim_id)
    return Standing(frozenset(kept), left_out, whole)


def groups_of(given: BundleInput) -> dict[str, str]:
    """The group of each source, as the bundle's records have it."""
    return {source: record.group for record in given.bundle.independence for source in record.source_ids}


def _verdict_passes(each: ClaimVerdict, profile: str) -> bool:
    """Whether the profile takes the verdict for no error; a finding that is beyond those listed is one all the same."""
    if each.verdict is Verdict.SUPPORTED or each.importance is Importance.CRITICAL:
        return each.verdict is Verdict.SUPPORTED
    lenient = {Verdict.CONFLICTED: ("paragraph", "claim"), Verdict.UNCITED: ("paragraph",)}
    return profile in lenient.get(each.verdict, ())


def _claims_by_cited(given: BundleInput) -> dict[str, set[str]]:
    """By snapshot and by source the claims that cite it."""
    found: dict[str, set[str]] = {}
    for edge in given.bundle.evidence:
        if edge.claim_id in given.claims:
            found.setdefault(edge.snapshot_id, set()).add(edge.claim_id)
            found.setdefault(edge.source_id, set()).add(edge.claim_id)
    return found


def _claims_held_by(given: BundleInput, named: Set[str]) -> set[str]:
    """Claims that cite one of these snapshots, or a source whose group is held together by a cluster with one: clusters
    that share a source or a group hold together what each of them does."""
    if not named:
        return set()
    groups = groups_of(given)
    within: dict[tuple[str, str], list[int]] = {}
    bears: list[set[tuple[str, str]]] = []
    for number, cluster in enumerate(given.bundle.clusters):
        sources = {member.source_id for member in cluster.members}
        bears.append(
            {("source", source) for source in sources}
            | {("group", groups[source]) for source in sources if source in groups}
        )
        for name in bears[-1]:
            within.setdefault(name, []).append(number)
    waiting = [
        number
        for number, cluster in enumerate(given.bundle.clusters)
        if any(member.snapshot_id in named for member in cluster.members)
    ]
    seen, reached = set(waiting), set[tuple[str, str]]()
    while waiting:
        for name in bears[waiting.pop()] - reached:
            reached.add(name)
            more = set(within[name]) - seen
            seen |= more
            waiting += more

    def holds(edge: Evidence) -> bool:
        return ("source", edge.source_id) in reached or ("group", groups.get(edge.source_id)) in reached

    return {edge.claim_id for edge in given.bundle.evidence if edge.snapshot_id in named or holds(edge)}
