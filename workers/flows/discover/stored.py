"""`discovered/`: what pages brought their jobs, written before it is queued, and queued again from what is written."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from schemas import keys
from schemas.records.discovered import PageLinks
from schemas.urls.error import UrlError
from schemas.urls.location import read_http_url
from workers.discover.traps import query_form
from workers.errors import ObjectMissingError
from workers.flows.documents import pack_lines, read_lines_object
from workers.frontier.urls import politeness_key
from workers.ports import FoundUrl, FoundUrls, Frontier, ObjectStore, QueuedUrl

_KEY = re.compile(r"discovered/[^/]+/(.+)-([0-9]{4})\.jsonl\.gz")


async def stored_part(store: ObjectStore, job_id: str, segment_id: str, part: int) -> list[PageLinks] | None:
    """A part as it was written; None where there is none. CorruptError where it cannot be read."""
    try:
        return await read_lines_object(store, keys.discovered(job_id, segment_id, part), PageLinks)
    except ObjectMissingError:
        return None


async def write_part(
    store: ObjectStore, job_id: str, segment_id: str, part: int, lines: Sequence[PageLinks]
) -> list[PageLinks]:
    """Write a part; of two workers with one segment the first decides, and both go on with what is there."""
    key = keys.discovered(job_id, segment_id, part)
    if await store.create(key, pack_lines(lines), content_type="application/gzip"):
        return list(lines)
    return await read_lines_object(store, key, PageLinks)


def links_of(lines: Sequence[PageLinks]) -> list[FoundUrl]:
    """The links of a part as they are queued, each resource once, at its least depth."""
    found: dict[str, FoundUrl] = {}
    for line in sorted(lines, key=lambda each: each.depth):
        for link in line.links:
            if link.normalized_url not in found:
                url = QueuedUrl(
                    link.requested_url,
                    link.normalized_url,
                    politeness_key(link.normalized_url),
                    visit=line.visit,
                    depth=line.depth + 1,
                )
                found[link.normalized_url] = FoundUrl(url, form_of(link.normalized_url))
    return list(found.values())


def form_of(normalized_url: str) -> str | None:
    """The form of its query, as when it was judged."""
    location = read_http_url(normalized_url)
    return None if isinstance(location, UrlError) else query_form(location)


def nearer(lines: Sequence[PageLinks]) -> frozenset[str]:
    """Pages that the job had found by longer ways."""
    return frozenset(link.normalized_url for line in lines for link in line.links if link.nearer)


async def queue_links(
    job_id: str, links: Sequence[FoundUrl], *, frontier: Frontier, found: FoundUrls
) -> tuple[frozenset[str], int]:
    """Note what is written down, then queue it: those that the job had queued before, and how many were new. Again is
    harmless."""
    before = await found.note(job_id, links)
    return before, await frontier.admit(job_id, [link.url for link in links])


@dataclass(slots=True)
class Replay:
    """What the parts of one job gave back."""

    queued: int = 0
    ended: set[str] = field(default_factory=set)
    """Segments whose links were all taken; of the others the extract stage takes the rest."""


def segment_and_part(key: str) -> tuple[str, int] | None:
    """Which part of which segment lies under a key; None for a key of another form."""
    matched = _KEY.fullmatch(key)
    return None if matched is None else (matched[1], int(matched[2]))


async def replay_links(
    job_id: str, parts: AsyncIterator[tuple[str, list[PageLinks]]], *, frontier: Frontier, found: FoundUrls
) -> Replay:
    """Queue again what was written down for a job, where it has no outcome. `parts`: keys with their lines, in order of
    keys, without those that cannot be read."""
    replay = Replay()
    following: dict[str, int] = {}
    async for key, lines in parts:
        _, new = await queue_links(job_id, links_of(lines), frontier=frontier, found=found)
        replay.queued += new
        place = segment_and_part(key)
        if place is None or place[1] != following.get(place[0], 0):
            continue  # a part before it is missing: its segment is not told as ended
        following[place[0]] = place[1] + 1
        replay.ended.discard(place[0])
        if not nearer(lines):
            replay.ended.add(place[0])
    return replay
