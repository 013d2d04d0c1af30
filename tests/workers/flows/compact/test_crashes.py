"""Stopped at any write, by a kill or by a store that went away: nothing is lost, nothing stands twice, and a second run
ends what the first began."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from workers.errors import RetryableError
from workers.flows.compact import JoinLimits, clear, compact
from workers.flows.compact.log import compactions_after

LIMITS = JoinLimits(bytes=10_000_000, files=3)
WEEK = 7 * 86_400.0


class Killed(BaseException):
    """No handler of ours may catch it."""


class AwayError(RetryableError):
    """What a store raises that went away; no other error is expected."""


class Breaking:
    """A store that ends at the n-th write, before it or after it."""

    def __init__(self, store: Any, *, at: int, after: bool, error: type[BaseException]) -> None:
        self._store = store
        self._left = at
        self._after = after
        self._error = error
        self.broke = False

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._store, name)
        if name not in ("put", "create", "delete"):
            return call

        async def write(*args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            last = self._left == 0
            if last and not self._after:
                self._break()
            answer = await call(*args, **kwargs)
            if last:
                self._break()
            return answer

        return write

    def _break(self) -> None:
        self.broke = True
        raise self._error("the store went away")


async def filled(shelf: Any) -> None:
    """Two groups of three, the second larger, so that the two new files are not joined in their turn."""
    for number in range(6):
        await shelf.commit([b"page %d" % number, b"other %d" % number, os.urandom(100 * number)])


@pytest.mark.parametrize(("error", "after"), [(Killed, False), (Killed, True), (AwayError, False)])
def test_a_join_that_is_stopped_at_any_write_is_ended_by_the_next_run(on_shelf, after, error):
    async def scenario(shelf, at):
        await filled(shelf)
        breaking = Breaking(shelf.store, at=at, after=after, error=error)
        with suppress(Killed, AwayError):
            await compact(shelf.ports(breaking), LIMITS)
        assert list((shelf.folder / "new").iterdir()) == []
        await shelf.is_whole()
        done = await compact(shelf.ports(), LIMITS)
        await shelf.is_whole()
        assert done.files == 2
        entries = [entry async for entry in compactions_after(shelf.store)]
        assert sorted(len(entry.sources) for entry in entries) == [3, 3]
        assert await shelf.catalog.compacted() == 2
        shelf.clock.pass_days(8)
        cleared = await clear(shelf.ports(), grace_seconds=WEEK)
        assert cleared.files == 6
        named = {entry.warc.key for entry in entries}
        assert set(await shelf.keys("warc/")) == named, "no garbage is left"
        await shelf.is_whole()
        return breaking.broke

    writes = 2 * 3  # two new files, each with a file, an index and an entry
    for at in range(1, writes + 2):
        broke = on_shelf(lambda shelf, at=at: scenario(empty(shelf), at))
        assert broke == (at <= writes), at


def empty(shelf: Any) -> Any:
    """The same folder for each scenario: what the one before stored is removed."""
    for path in sorted((shelf.folder / "store").rglob("*"), reverse=True):
        if path.is_file():
            path.unlink()
    return shelf


@pytest.mark.parametrize(("error", "after"), [(Killed, False), (Killed, True), (AwayError, False)])
def test_clearing_that_is_stopped_at_any_write_is_ended_by_the_next_run(on_shelf, after, error):
    async def scenario(shelf, at):
        await filled(shelf)
        await compact(shelf.ports(), LIMITS)
        shelf.clock.pass_days(8)
        breaking = Breaking(shelf.store, at=at, after=after, error=error)
        with suppress(Killed, AwayError):
            await clear(shelf.ports(breaking), grace_seconds=WEEK)
        await shelf.is_whole()
        await clear(shelf.ports(), grace_seconds=WEEK)
        await shelf.is_whole()
        assert len(await shelf.keys("warc/")) == len(await shelf.keys("cdxj/")) == 2
        again = await clear(shelf.ports(), grace_seconds=WEEK)
        assert (again.entries, again.files) == ([], 0)
        return breaking.broke

    writes = 2 * (3 + 3 + 1)  # of each entry its files, their indexes and a note
    for at in range(1, writes + 2):
        broke = on_shelf(lambda shelf, at=at: scenario(empty(shelf), at))
        assert broke == (at <= writes), at


def test_a_catalog_that_was_not_told_of_an_entry_is_told_before_anything_is_deleted(on_shelf):
    async def scenario(shelf):
        await filled(shelf)
        breaking = Breaking(shelf.store, at=3, after=True, error=Killed)
        with pytest.raises(Killed):
            await compact(shelf.ports(breaking), JoinLimits())
        assert await shelf.catalog.compacted() == 0
        await shelf.is_whole()
        shelf.clock.pass_days(8)
        cleared = await clear(shelf.ports(), grace_seconds=WEEK)
        assert cleared.files == 6
        await shelf.is_whole()

    on_shelf(scenario)


def test_the_folder_that_a_killed_run_left_is_emptied_by_the_next_one(tmp_path: Path):
    from workers.adapters.scratch import exclusive_folder

    with exclusive_folder(tmp_path / "own", whose="a test") as folder:
        (folder / "left").write_bytes(b"x")
        (folder / "inner").mkdir()
        with pytest.raises(RetryableError, match="does the same: a test"), exclusive_folder(folder, whose="a test"):
            pass
        assert (folder / "left").exists()
    (folder / "left").write_bytes(b"left by a process that was killed")
    with exclusive_folder(tmp_path / "own", whose="a test") as folder:
        assert [path.name for path in folder.iterdir()] == ["lock"]
