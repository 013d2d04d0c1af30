"""Snapshots that a command was given by id or by URL: which one is meant, told on stderr where a URL was given."""

from __future__ import annotations

from scheduler.cli.output import say
from schemas.records.snapshot import SnapshotLine
from workers.bootstrap import Archive
from workers.errors import PermanentError
from workers.flows.naming import NotNamed, is_id, snapshot_named, versions_named


async def line_named(opened: Archive, name: str) -> SnapshotLine:
    """The snapshot with this id; of a URL the newest that may be cited, or if none may, the newest. PermanentError
    where there is none."""
    found = await snapshot_named(opened.catalog, name)
    if isinstance(found, NotNamed):
        if found.newest is None:
            raise _refusal(found, name)
        say(f"{found.why}; shown is that one, {_told(found.newest)}")
        return found.newest
    if not is_id(name):
        say(f"the newest snapshot of it that may be cited: {_told(found)}")
    return found


async def pair_named(opened: Archive, url: str) -> tuple[SnapshotLine, SnapshotLine]:
    """The two newest versions of a page, the older one first. PermanentError where there are no two snapshots."""
    found = await versions_named(opened.catalog, url)
    if isinstance(found, NotNamed):
        raise _refusal(found, url)
    older, newer = found
    same = "" if older.snapshot.text_sha256 != newer.snapshot.text_sha256 else "; all have this one text"
    say(f"compared: {_told(older)} with the newest, {_told(newer)}{same}")
    return found


def _refusal(found: NotNamed, name: str) -> PermanentError:
    return PermanentError(found.why, where=name[:80], next_step=found.next_step)


def _told(line: SnapshotLine) -> str:
    return f"{line.snapshot.id} of {line.snapshot.retrieved_at}"
