"""Whether the bundle hangs together: ids, references, nothing twice, nothing loose, nothing empty (X28, X32).

JSON can say all of this wrongly and still be valid, and each of it has let a citation pass unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schemas.findings import FindingKind
from schemas.judging import MIN_WHY, gives_reason, says_something
from schemas.pointer import pointer
from schemas.records.claim import Support
from validator.found import Found
from validator.input import BundleInput


def check_structure(given: BundleInput, found: Found) -> None:
    """Everything that can be said without opening another file."""
    bundle = given.bundle
    if not bundle.claims or not bundle.evidence:
        name = "claims" if not bundle.claims else "evidence"
        found.add(FindingKind.BUNDLE_EMPTY, pointer=f"/{name}", expected="at least one entry", actual="none")
    _duplicates(given, found)
    _listed_twice(given, found)
    _references(given, found)
    _orphans(given, found)
    _sources_of_edges(given, found)
    _arbitrations(given, found)


def _duplicates(given: BundleInput, found: Found) -> None:
    b = given.bundle
    lists: tuple[tuple[str, Iterable[str]], ...] = (
        ("claims", (c.id for c in b.claims)),
        ("evidence", (e.id for e in b.evidence)),
        ("snapshots", (s.id for s in b.snapshots)),
        ("sources", (s.id for s in b.sources)),
        ("clusters", (c.id for c in b.clusters)),
        ("judgements", (j.id for j in b.judgements)),
        ("arbitrations", (a.id for a in b.arbitrations)),
        ("policies", (p.id for p in b.policies)),
    )
    for name, ids in lists:
        seen: set[str] = set()
        for index, identifier in enumerate(ids):
            if identifier in seen:
                found.add(FindingKind.BUNDLE_DUPLICATE_ID, pointer=pointer((name, index, "id")), ids=(identifier,))
            seen.add(identifier)
            found.looked_at(name)


def _listed_twice(given: BundleInput, found: Found) -> None:
    """Lists within entries: a second mention adds nothing but the look of more."""
    b = given.bundle
    lists: list[tuple[tuple[str | int, ...], list[str]]] = []
    for i, cluster in enumerate(b.clusters):
        lists.append((("clusters", i, "members"), [member.snapshot_id for member in cluster.members]))
        lists.append((("clusters", i, "aliases"), list(cluster.aliases)))
    lists += [(("independence", i, "source_ids"), list(group.source_ids)) for i, group in enumerate(b.independence)]
    lists += [(("arbitrations", i, "evidence_ids"), list(a.evidence_ids)) for i, a in enumerate(b.arbitrations)]
    for tokens, entries in lists:
        seen: set[str] = set()
        for j, entry in enumerate(entries):
            if entry in seen:
                found.add(FindingKind.BUNDLE_LISTED_TWICE, pointer=pointer((*tokens, j)), ids=(entry,))
            seen.add(entry)


def _named(given: BundleInput) -> Iterator[tuple[tuple[str | int, ...], str, bool]]:
    """Every reference: where it stands, what it names, whether that is there."""
    b = given.bundle
    for i, edge in enumerate(b.evidence):
        yield ("evidence", i, "claim_id"), edge.claim_id, edge.claim_id in given.claims
        yield ("evidence", i, "source_id"), edge.source_id, edge.source_id in given.sources
        yield ("evidence", i, "snapshot_id"), edge.snapshot_id, edge.snapshot_id in given.snapshots
        yield ("evidence", i, "judgement_id"), edge.judgement_id, edge.judgement_id in given.judgements
    for i, snapshot in enumerate(b.snapshots):
        yield ("snapshots", i, "source_id"), snapshot.source_id, snapshot.source_id in given.sources
    for i, source in enumerate(b.sources):
        if source.cluster_id is not None:
            yield ("sources", i, "cluster_id"), source.cluster_id, source.cluster_id in given.clusters
    for i, cluster in enumerate(b.clusters):
        chosen = cluster.representative_source_id
        yield ("clusters", i, "representative_source_id"), chosen, chosen in given.sources
        for j, member in enumerate(cluster.members):
            yield (
                ("clusters", i, "members", j, "snapshot_id"),
                member.snapshot_id,
                member.snapshot_id in given.snapshots,
            )
            yield ("clusters", i, "members", j, "source_id"), member.source_id, member.source_id in given.sources
    for i, group in enumerate(b.independence):
        for j, source_id in enumerate(group.source_ids):
            yield ("independence", i, "source_ids", j), source_id, source_id in given.sources
    for i, judgement in enumerate(b.judgements):
        yield ("judgements", i, "claim_id"), judgement.claim_id, judgement.claim_id in given.claims
    for i, arbitration in enumerate(b.arbitrations):
        yield ("arbitrations", i, "claim_id"), arbitration.claim_id, arbitration.claim_id in given.claims
        for j, evidence_id in enumerate(arbitration.evidence_ids):
            yield ("arbitrations", i, "evidence_ids", j), evidence_id, evidence_id in given.evidence


def _references(given: BundleInput, found: Found) -> None:
    for tokens, identifier, present in _named(given):
        found.looked_at("references")
        if not present:
            found.add(FindingKind.BUNDLE_UNKNOWN_REFERENCE, pointer=pointer(tokens), ids=(identifier,))


def _orphans(given: BundleInput, found: Found) -> None:
    """A contradiction that was cut out of `evidence` leaves its judgement, snapshot or source behind."""
    b = given.bundle
    snapshots = {e.snapshot_id for e in b.evidence} | {m.snapshot_id for c in b.clusters for m in c.members}
    sources = {e.source_id for e in b.evidence} | {m.source_id for c in b.clusters for m in c.members}
    edges = {e.judgement_id for e in b.evidence}
    for i, snapshot in enumerate(b.snapshots):
        if snapshot.id not in snapshots:
            found.add(FindingKind.BUNDLE_ORPHAN, pointer=pointer(("snapshots", i)), ids=(snapshot.id,))
    for i, source in enumerate(b.sources):
        if source.id not in sources:
            found.add(FindingKind.BUNDLE_ORPHAN, pointer=pointer(("sources", i)), ids=(source.id,))
    for i, judgement in enumerate(b.judgements):
        # An older judgement of an edge stays beside the one that counts: judgements are appended (R097).
        if judgement.id not in edges and judgement.evidence_id not in given.evidence:
            found.add(FindingKind.BUNDLE_ORPHAN, pointer=pointer(("judgements", i)), ids=(judgement.id,))


def _sources_of_edges(given: BundleInput, found: Found) -> None:
    for i, edge in enumerate(given.bundle.evidence):
        snapshot = given.snapshots.get(edge.snapshot_id)
        if snapshot is not None and edge.source_id != snapshot.source_id:
            found.add(
                FindingKind.BUNDLE_SOURCE_MISMATCH,
                pointer=pointer(("evidence", i, "source_id")),
                ids=(edge.id, edge.snapshot_id),
                expected=snapshot.source_id,
                actual=edge.source_id,
            )


def _arbitrations(given: BundleInput, found: Found) -> None:
    for i, arbitration in enumerate(given.bundle.arbitrations):
        if not says_something(arbitration.by) or not gives_reason(arbitration.why):
            found.add(
                FindingKind.ARBITRATION_UNEXPLAINED,
                pointer=pointer(("arbitrations", i)),
                ids=(arbitration.id,),
                expected=f"by whom, and why in {MIN_WHY} characters or more",
                actual=f"by {arbitration.by!r}: {arbitration.why}",
            )
        for j, evidence_id in enumerate(arbitration.evidence_ids):
            edge = given.evidence.get(evidence_id)
            if edge is not None and (edge.claim_id != arbitration.claim_id or edge.support is not Support.CONTRADICTS):
                found.add(
                    FindingKind.ARBITRATION_MISPLACED,
                    pointer=pointer(("arbitrations", i, "evidence_ids", j)),
                    ids=(arbitration.id, evidence_id),
                    expected=f"a contradicting edge of {arbitration.claim_id}",
                    actual=f"{edge.support} of {edge.claim_id}",
                )
