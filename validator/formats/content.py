"""What a finding is about, by content: claim text, quote, URL. Ids are given anew with each bundle; these stay."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from schemas.records.finding import Finding, Report
from validator.bundle import BundleResult


def content_of(identifier: str, result: BundleResult | None) -> str:
    """A claim by its text, an edge by claim, quote and source, a snapshot or source by its URL; else the id."""
    if result is None:
        return identifier
    given = result.given
    if (claim := given.claims.get(identifier)) is not None:
        return claim.text
    if (edge := given.evidence.get(identifier)) is not None:
        said = given.claims.get(edge.claim_id)
        source = given.sources.get(edge.source_id)
        return "\n".join((said.text if said else edge.claim_id, edge.quote, source.normalized_url if source else ""))
    if (snapshot := given.snapshots.get(identifier)) is not None:
        return snapshot.normalized_url
    if (page := given.sources.get(identifier)) is not None:
        return page.normalized_url
    return identifier


def fingerprints(report: Report, result: BundleResult | None) -> Iterator[tuple[Finding, str]]:
    """Each finding with a fingerprint that stays while claim, quote, source and code do; repeats are numbered."""
    seen: dict[str, int] = {}
    for finding in report.findings:
        about = [content_of(identifier, result) for identifier in finding.ids] or [finding.path or finding.pointer]
        digest = hashlib.sha256("\0".join((finding.code, *about)).encode("utf-8", "surrogatepass")).hexdigest()
        number = seen[digest] = seen.get(digest, 0) + 1
        yield finding, f"{digest}:{number}"


def claims_of(finding: Finding, result: BundleResult) -> list[str]:
    """Ids of the claims that a finding bears on: named, or by an edge that is named."""
    given = result.given
    out: dict[str, None] = {}
    for identifier in finding.ids:
        if identifier in given.claims:
            out[identifier] = None
        elif (edge := given.evidence.get(identifier)) is not None and edge.claim_id in given.claims:
            out[edge.claim_id] = None
    return list(out)
