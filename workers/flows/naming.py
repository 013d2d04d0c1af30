"""Snapshots as a person names them: by their id, or by a page's URL, which means its newest that may be cited."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from schemas.records.snapshot import SnapshotLine
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.ports import Catalog

ID_PREFIX = "snap-"
MAX_LOOKED_AT = 1_000
"""Snapshots of one page that are looked through for another text."""


@dataclass(frozen=True, slots=True)
class NotNamed:
    """Why there is no such snapshot. `newest`: the page's newest, where it has some and none may be cited."""

    why: str
    next_step: str
    newest: SnapshotLine | None = None


def is_id(name: str) -> bool:
    """Whether a snapshot's id is meant, and no URL."""
    return name.startswith(ID_PREFIX)


async def snapshot_named(catalog: Catalog, name: str) -> SnapshotLine | NotNamed:
    """The snapshot with this id, citeable or not; or the newest of this URL that may be cited."""
    if is_id(name):
        line = await catalog.snapshot(name)
        return line or NotNamed("there is no such snapshot", "see `citevault snapshots`")
    first: SnapshotLine | None = None
    resource = identity_of_request(name)
    if isinstance(resource, UrlError):
        return _no_name(resource)
    async for line in _of(catalog, resource.url):
        if line.snapshot.citeable:
            return line
        first = first or line
    return _none_to_cite(first)


async def versions_named(catalog: Catalog, url: str) -> tuple[SnapshotLine, SnapshotLine] | NotNamed:
    """The newest snapshot of a page that may be cited, behind the last one before it that has another text; where all
    have one text, behind the one before it."""
    resource = identity_of_request(url)
    if isinstance(resource, UrlError):
        return _no_name(resource)
    newest: SnapshotLine | None = None
    before: SnapshotLine | None = None
    refused: SnapshotLine | None = None
    async for line in _of(catalog, resource.url):
        if not line.snapshot.citeable:
            refused = refused or line
        elif newest is None:
            newest = line
        else:
            before = before or line
            if line.snapshot.text_sha256 != newest.snapshot.text_sha256:
                return line, newest
    if newest is None:
        return _none_to_cite(refused)
    if before is None:
        again = "archive the page again (`citevault archive --fresh URL`), or name two snapshots"
        return NotNamed("only one snapshot of this page may be cited, so there is nothing to compare", again, newest)
    return before, newest


async def _of(catalog: Catalog, url: str) -> AsyncIterator[SnapshotLine]:
    for name in (await catalog.snapshots_of(url))[:MAX_LOOKED_AT]:
        line = await catalog.snapshot(name)
        if line is not None:
            yield line


def _none_to_cite(newest: SnapshotLine | None) -> NotNamed:
    if newest is None:
        step = "archive it with `citevault archive URL --wait`, or see `citevault snapshots` for what is there"
        return NotNamed("nothing is archived of this page", step)
    status = newest.snapshot.reader_status.value
    step = "see `citevault snapshots URL`, and name one by its id; or archive the page again"
    return NotNamed(f"no snapshot of this page may be cited; the newest is {status}", step, newest)


def _no_name(error: UrlError) -> NotNamed:
    return NotNamed(
        f"neither a snapshot's id nor a URL: {error.message}", "give an id that `citevault snapshots` lists, or a URL"
    )
