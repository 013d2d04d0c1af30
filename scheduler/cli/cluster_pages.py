"""The pages behind clusters and sources: a person knows an address and a title, not a digest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from pydantic import JsonValue

from scheduler.cli.output import shown
from schemas.records.cluster import ClusterMember
from schemas.records.snapshot import SnapshotLine
from workers.bootstrap import Archive
from workers.errors import RetryableError


@dataclass(frozen=True, slots=True)
class Page:
    """Where a snapshot was taken, and what it calls itself."""

    url: str
    title: str | None

    def as_json(self) -> dict[str, JsonValue]:
        return dict(asdict(self))

    def in_words(self) -> str:
        """On one line."""
        return shown(self.url) + ("" if self.title is None else f"  {shown(self.title)}")


def page(line: SnapshotLine) -> Page:
    return Page(line.snapshot.final_url, line.snapshot.title)


async def pages_of(opened: Archive, members: Iterable[ClusterMember], most: int) -> list[Page]:
    """One page of each of the first `most` sources among these, by the snapshot that comes first."""
    first: dict[str, str] = {}
    for member in members:
        if len(first) < most:
            first.setdefault(member.source_id, member.snapshot_id)
    lines = [await opened.catalog.snapshot(snapshot) for snapshot in first.values()]
    return [page(line) for line in lines if line is not None]


async def page_of_text(opened: Archive, text_sha256: str) -> Page | None:
    """A page that shows this text; None: none is known."""
    members = await opened.clusters.snapshots_of_text(text_sha256)
    return next(iter(await pages_of(opened, members, 1)), None)


async def page_of_source(opened: Archive, source_id: str) -> Page | None:
    """A page of this source, as far as it is clustered; None: it is not, or nothing is."""
    try:
        for cluster in sorted(await opened.clusters.clusters_of_source(source_id)):
            found = await opened.clusters.members(cluster)
            own = [member for member in found.members if member.source_id == source_id] if found is not None else []
            for one in await pages_of(opened, own, 1):
                return one
    except RetryableError:  # the clusters of this archive are not loaded: a decision does not wait for that
        return None
    return None
