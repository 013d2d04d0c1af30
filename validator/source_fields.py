"""What a source repeats of its newest snapshot in the bundle: author, publisher, and the cluster of the newest that
has one (`schemas/README.md, Bundle`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.bundle import BundleSnapshot
from schemas.records.cluster import Cluster
from schemas.records.source import Source
from validator.found import Found
from validator.input import BundleInput


def check_source_fields(given: BundleInput, found: Found) -> None:
    """All sources that have a snapshot; those that have none are reported elsewhere."""
    newest = newest_first(given.bundle.snapshots)
    within = clusters_of_snapshots(given.bundle.clusters)
    for i, source in enumerate(given.bundle.sources):
        own = newest.get(source.id)
        if own is None:
            continue
        wanted = repeated(source, own, within)
        for name in ("author", "publisher", "cluster_id"):
            expected, actual = getattr(wanted, name), getattr(source, name)
            if name == "cluster_id" and actual is not None and actual in given.clusters:
                actual = given.clusters[actual].id  # one of its aliases stands for it
            if expected != actual:
                found.add(
                    FindingKind.SOURCE_FIELD,
                    pointer=pointer(("sources", i, name)),
                    ids=(source.id, own[0].id),
                    expected=expected,
                    actual=actual,
                )


def newest_first(snapshots: Iterable[BundleSnapshot]) -> dict[str, Sequence[BundleSnapshot]]:
    """Snapshots of each source, by the second of their capture and then by id, the newest first."""
    out: dict[str, list[BundleSnapshot]] = {}
    for snapshot in sorted(snapshots, key=lambda s: (s.id.split("-")[2], s.id), reverse=True):
        out.setdefault(snapshot.source_id, []).append(snapshot)
    return dict(out)


def clusters_of_snapshots(clusters: Iterable[Cluster]) -> dict[str, str]:
    """Cluster id by the id of each member."""
    return {member.snapshot_id: cluster.id for cluster in clusters for member in cluster.members}


def repeated(source: Source, newest: Sequence[BundleSnapshot], clusters: dict[str, str]) -> Source:
    """The source as its snapshots have it. `newest`: the newest first, at least one."""
    judged = [clusters[snapshot.id] for snapshot in newest if snapshot.id in clusters]
    return source.model_copy(
        update={
            "author": newest[0].author,
            "publisher": newest[0].publisher,
            "cluster_id": judged[0] if judged else None,
        }
    )
