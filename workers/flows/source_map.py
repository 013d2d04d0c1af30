"""Making a source map of what was opened: snapshots of the archive, their texts in chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.records.snapshot import ReaderStatus, SnapshotLine
from schemas.records.source_map import Chunk, MappedSource, SourceMap, UnopenedSource
from workers.cite.chunks import TARGET_TOKENS, pieces_of
from workers.flows.bundle_members import Members, TakenDown
from workers.flows.naming import NotNamed, snapshot_named
from workers.ports import Catalog

MAX_SOURCES = 1_000


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that is wanted in the map: a snapshot id, or a URL, which means its newest citeable snapshot."""

    name: str
    provider: str = "web"
    rank: int | None = None


async def build_source_map(
    hits: Sequence[Hit],
    catalog: Catalog,
    members: Members,
    *,
    run_id: str,
    query: str | None,
    now: str,
    target_tokens: int = TARGET_TOKENS,
) -> SourceMap:
    """Sources in the order of the hits, one for each resource; what cannot be read is listed apart, with the reason."""
    sources: list[MappedSource] = []
    unopened: list[UnopenedSource] = []
    seen: set[str] = set()
    for hit in hits[:MAX_SOURCES]:
        line = await _line(hit.name, catalog)
        if isinstance(line, str):
            unopened.append(UnopenedSource(url=hit.name, why=line))
            continue
        text = await members.text(line)
        if isinstance(text, TakenDown):
            unopened.append(UnopenedSource(url=hit.name, why="its text was taken down"))
        elif line.snapshot.source_id not in seen:
            seen.add(line.snapshot.source_id)
            sources.append(_source(len(sources) + 1, line, text.decode("utf-8"), hit, target_tokens))
    unopened += [UnopenedSource(url=hit.name, why=f"beyond the {MAX_SOURCES} of a map") for hit in hits[MAX_SOURCES:]]
    return SourceMap(
        schema="citevault/source-map@1",
        run_id=run_id,
        query=query,
        created_at=now,
        sources=tuple(sources),
        unopened=tuple(unopened),
    )


async def _line(name: str, catalog: Catalog) -> SnapshotLine | str:
    """The snapshot that is meant, or why there is none that may be cited."""
    found = await snapshot_named(catalog, name)
    if isinstance(found, NotNamed):
        return found.why
    return found if found.snapshot.citeable else f"its reader status is {found.snapshot.reader_status.value}"


def _source(number: int, line: SnapshotLine, text: str, hit: Hit, target: int) -> MappedSource:
    shot = line.snapshot
    chunks = tuple(
        Chunk(
            source_id=number,
            chunk_id=f"{number}.{place}",
            title=shot.title,
            url=shot.final_url,
            section=piece.section,
            text=text[piece.start : piece.end],
            char_start=piece.start,
            char_end=piece.end,
            token_estimate=piece.tokens,
        )
        for place, piece in enumerate(pieces_of(text, line.headings, target), 1)
    )
    return MappedSource(
        source_id=number,
        snapshot_id=shot.id,
        canonical_url=shot.normalized_url,
        original_url=shot.requested_url,
        title=shot.title,
        provider=hit.provider,
        search_rank=hit.rank,
        retrieved_at=shot.retrieved_at,
        opened=True,
        content_type=shot.content_type,
        reader_status=ReaderStatus.OK,
        text_sha256=shot.text_sha256 or "",
        chunks=chunks,
    )
