"""A bundle against the newest snapshots of what it cites. The bundle is read and never changed."""

from __future__ import annotations

from collections.abc import Callable

from schemas.records.bundle import Bundle, BundleSnapshot
from schemas.records.drift import DriftedEdge, DriftReport, DriftState
from schemas.records.snapshot import SnapshotLine
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.cite.drift import Drift, Passage, drift_of, unanswered
from workers.cite.haystack import Haystack
from workers.errors import PermanentError
from workers.flows.bundle_members import Members, TakenDown
from workers.ports import Catalog

LeadsHome = Callable[[str, str], bool]
"""Whether a final URL is the home page that a requested one was led to."""


async def drift_report(
    bundle: Bundle, bundle_sha256: str, catalog: Catalog, members: Members, leads_home: LeadsHome, *, now: str
) -> DriftReport:
    """Every edge, in the order of the bundle. PermanentError where the archive has nothing of a page."""
    importance = {claim.id: claim.importance for claim in bundle.claims}
    snapshots = {snapshot.id: snapshot for snapshot in bundle.snapshots}
    newest: dict[str, tuple[SnapshotLine, Haystack | Drift]] = {}
    edges: list[DriftedEdge] = []
    for edge in bundle.evidence:
        cited = snapshots[edge.snapshot_id]
        if cited.id not in newest:
            line = await _newest(cited, catalog)
            newest[cited.id] = (line, await _text(line, cited, members, leads_home))
        line, there = newest[cited.id]
        found = there if isinstance(there, Drift) else drift_of(Passage(edge.quote, edge.prefix, edge.suffix), there)
        edges.append(
            DriftedEdge(
                evidence_id=edge.id,
                claim_id=edge.claim_id,
                importance=importance[edge.claim_id],
                support=edge.support,
                snapshot_id=cited.id,
                newest_snapshot_id=line.snapshot.id,
                newest_retrieved_at=line.snapshot.retrieved_at,
                url=cited.final_url,
                state=found.state,
                reason=found.reason,
                start=found.start,
                end=found.end,
                diff=found.diff,
                lost=found.lost,
                gained=found.gained,
            )
        )
    return DriftReport(
        schema="citevault/drift-report@1",
        report=bundle.id,
        bundle_sha256=bundle_sha256,
        made_at=now,
        edges=tuple(edges),
    )


async def _newest(cited: BundleSnapshot, catalog: Catalog) -> SnapshotLine:
    """The newest snapshot of the page, found under the address that was asked for and the one that answered."""
    asked = identity_of_request(cited.requested_url)
    addresses = [cited.normalized_url, *([] if isinstance(asked, UrlError) else [asked.url])]
    names = [name for address in dict.fromkeys(addresses) for name in (await catalog.snapshots_of(address))[:1]]
    lines = [line for name in dict.fromkeys(names) if (line := await catalog.snapshot(name)) is not None]
    if not lines:
        raise PermanentError(
            "the archive has no snapshot of a page that the bundle cites",
            where=cited.final_url,
            next_step="use the archive that the bundle was built from, or archive the page: `archive --from BUNDLE`",
        )
    return max(lines, key=lambda line: line.snapshot.retrieved_at)


async def _text(line: SnapshotLine, cited: BundleSnapshot, members: Members, leads_home: LeadsHome) -> Haystack | Drift:
    """The newest text, or why there is none to look in."""
    shot = line.snapshot
    refused = unanswered(shot)
    if refused is not None:
        return refused
    if shot.text_sha256 != cited.text_sha256 and leads_home(cited.requested_url, shot.final_url):
        return Drift(DriftState.SOFT_404, f"led to the home page {shot.final_url[:200]}")
    text = await members.text(line)
    if isinstance(text, TakenDown):
        return Drift(DriftState.UNREPLAYABLE, "the newest text was taken down")
    return Haystack(text.decode("utf-8"))
