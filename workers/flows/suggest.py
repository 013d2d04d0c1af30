"""Which of these sources may be one although no rule unites them (`citevault groups suggest`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.records.snapshot import SnapshotLine
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.dedup.credits import credits_of
from workers.dedup.independence import IndependenceError, ManualGroup, SourceFacts, independence_groups
from workers.dedup.parameters import MAX_TEXT_CHARS
from workers.dedup.published import published_on
from workers.dedup.quantities import quantities
from workers.dedup.sighting import witness_order
from workers.dedup.suggestions import Story, Suggestion, authors_of, sentences_of, suggestions
from workers.errors import PermanentError
from workers.flows.ahead import read_ahead
from workers.flows.reading import read_text
from workers.ports import Catalog, ClusterState, ObjectStore

MAX_SOURCES = 20_000
"""Some 200 MB of hashes of sentences."""
TEXTS_AHEAD = 4
Told = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Suggested:
    """What was found among so many sources."""

    suggestions: tuple[Suggestion, ...]
    sources: int
    """That have a text which could be looked at."""
    urls: Mapping[str, str]
    """Source id to normalized URL, of all that were looked at."""


@dataclass(frozen=True, slots=True)
class SuggestPorts:
    store: ObjectStore
    catalog: Catalog
    clusters: ClusterState


async def suggest(
    snapshot_ids: Iterable[str], manual: Sequence[ManualGroup], ports: SuggestPorts, told: Told
) -> Suggested:
    """Look at the newest of these snapshots of each source. `told` hears of what how many are read, and of how many.

    PermanentError where there are too many, or the manual groups contradict each other.
    """
    newest = await _newest(list(dict.fromkeys(snapshot_ids)), ports.catalog, told)
    if len(newest) > MAX_SOURCES:
        raise PermanentError(
            f"{len(newest)} sources are more than are compared in one go ({MAX_SOURCES})",
            where="groups suggest",
            next_step="name a job, a draft or URLs",
        )
    facts = [
        SourceFacts(source, line.snapshot.normalized_url, await ports.clusters.clusters_of_source(source))
        for source, line in newest.items()
    ]
    groups = independence_groups(facts, manual)
    if isinstance(groups, IndependenceError):
        raise PermanentError(groups.message, where=groups.subject, next_step="see `citevault groups list`")
    # All that nothing is known of are one group for counting; each is told of by itself here.
    group_of = {
        source: group.group if group.group != "unknown" else source for group in groups for source in group.source_ids
    }
    decided = {source: record.sets_apart for record in manual if not record.is_rest for source in record.source_ids}
    stories: list[Story] = []

    async def read(source: str) -> Story | None:
        text = await read_text(ports.store, newest[source])
        if text is None:
            return None
        story = await asyncio.to_thread(story_of, newest[source], text, group_of[source])
        return replace(story, manual=source in decided, set_apart=decided.get(source, False))

    done = 0
    async for _, story in read_ahead(newest, read, at_once=TEXTS_AHEAD):
        done += 1
        told("texts", done, len(newest))
        if story is not None:
            stories.append(story)
    urls = {source: line.snapshot.normalized_url for source, line in newest.items()}
    found = await asyncio.to_thread(suggestions, stories)
    return Suggested(tuple(found), len(stories), urls)


def story_of(line: SnapshotLine, text: str, group: str) -> Story:
    """A source as its snapshot shows it."""
    snapshot = line.snapshot
    canonical = identity_of_request(snapshot.declared_canonical) if snapshot.declared_canonical else None
    declared = canonical.url if canonical is not None and not isinstance(canonical, UrlError) else None
    return Story(
        source_id=snapshot.source_id,
        url=snapshot.normalized_url,
        group=group,
        title=snapshot.title,
        authors=authors_of(snapshot.author),
        publisher=snapshot.publisher,
        published=published_on(snapshot.published_at, snapshot.retrieved_at),
        canonical=declared if declared != snapshot.normalized_url else None,
        credits=credits_of(
            text, normalized_url=snapshot.normalized_url, author=snapshot.author, publisher=snapshot.publisher
        ),
        quantities=quantities(text[:MAX_TEXT_CHARS]),
        sentences=sentences_of(text[:MAX_TEXT_CHARS]),
    )


async def _newest(snapshot_ids: Sequence[str], catalog: Catalog, told: Told) -> dict[str, SnapshotLine]:
    """The newest citeable snapshot of each source, by source id, sorted."""
    found: dict[str, SnapshotLine] = {}
    done = 0
    async for _, line in read_ahead(snapshot_ids, catalog.snapshot):
        done += 1
        told("snapshots", done, len(snapshot_ids))
        if line is None or not line.snapshot.citeable:
            continue
        known = found.get(line.snapshot.source_id)
        if known is None or witness_order(known.snapshot.id) < witness_order(line.snapshot.id):
            found[line.snapshot.source_id] = line
    return dict(sorted(found.items()))
