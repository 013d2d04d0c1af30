"""What the sources behind a verdict are: of a fitting tier, not parts of each other, not copies of each other.

A verdict counts groups. Here the edges that counted are looked at once more, each for what a count cannot see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.counted import counted
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import Importance, MatchLevel
from schemas.records.finding import Severity
from schemas.records.independence import IndependenceReason
from validator.copies import Sentences, check_copies
from validator.cuts import needs_no_blanks
from validator.figures import check_figures
from validator.found import Found
from validator.independence import Group
from validator.input import BundleInput
from validator.related_hosts import check_related_hosts
from validator.tier_fit import check_tier_fit
from validator.verdicts import GROUPS_NEEDED, Derived

LOOSE = (MatchLevel.DEHYPHEN, MatchLevel.WHITESPACE)


def check_claim_sources(
    given: BundleInput,
    derived: Derived,
    groups: Mapping[str, Group],
    sentences: Mapping[str, Sentences],
    strict: bool,
    found: Found,
) -> None:
    """All claims. `sentences`: of each text that was read, by snapshot."""
    apart: dict[str, list[str]] = {}
    for index, (claim, counting) in enumerate(zip(given.bundle.claims, derived.counting, strict=True)):
        sources = [given.sources[e.source_id] for e in counting if e.source_id in given.sources]
        check_figures(claim, index, [edge.shown_quote for edge in counting], found)
        check_tier_fit(claim, index, sources, strict, found)
        if claim.importance is Importance.CRITICAL:
            placed = [(groups[s.id], s.normalized_url) for s in sources if s.id in groups]
            check_related_hosts(claim, index, placed, GROUPS_NEEDED[claim.importance], strict, found)
            apart[claim.id] = [edge.snapshot_id for edge in counting if edge.snapshot_id in given.snapshots]
    _unlogged(given, apart, groups, found)
    check_copies(given, apart, sentences, groups, strict, found)
    _loose(given, derived, strict, found)
    _set_aside(given, found)


def _unlogged(
    given: BundleInput, apart: Mapping[str, Sequence[str]], groups: Mapping[str, Group], found: Found
) -> None:
    """A verdict that the log did not know is its author's word that somebody looked for copies and found none."""
    told: dict[str, None] = {}
    for snapshot_id in dict.fromkeys(s for snapshots in apart.values() for s in snapshots):
        snapshot = given.snapshots[snapshot_id]
        group = groups.get(snapshot.source_id)
        by_verdict = group is not None and group.reason not in (IndependenceReason.UNKNOWN, IndependenceReason.MANUAL)
        if by_verdict and snapshot.inclusion.leaf.cluster_id is None:
            told[snapshot.source_id] = None
    if told:
        found.add(FindingKind.INDEPENDENCE_UNLOGGED, pointer="/clusters", ids=told, actual=counted(len(told), "source"))


def _loose(given: BundleInput, derived: Derived, strict: bool, found: Found) -> None:
    """What matches only without hyphens or blanks is no exact quote, which a critical claim should have (C29)."""
    critical = {claim.id for claim in given.bundle.claims if claim.importance is Importance.CRITICAL}
    counting = {edge.id for edges in derived.counting for edge in edges}
    for i, edge in enumerate(given.bundle.evidence):
        loose = edge.match_level in LOOSE and edge.claim_id in critical and edge.id in counting
        if loose and not (edge.match_level is MatchLevel.WHITESPACE and needs_no_blanks(edge.shown_quote)):
            found.add(
                FindingKind.BUNDLE_LOOSE_MATCH,
                pointer=pointer(("evidence", i, "match_level")),
                ids=(edge.id, edge.claim_id),
                actual=edge.match_level,
                severity=Severity.ERROR if strict else None,
            )


def _set_aside(given: BundleInput, found: Found) -> None:
    """A contradiction that a person set aside is told all the same, with his reason (R075, X14)."""
    for i, arbitration in enumerate(given.bundle.arbitrations):
        found.add(
            FindingKind.CLAIM_SET_ASIDE,
            pointer=pointer(("arbitrations", i)),
            ids=(arbitration.claim_id, *arbitration.evidence_ids),
            actual=f"{arbitration.by}, {arbitration.at}: {arbitration.why}",
        )
