"""New confirmation rules: what older ones judged is judged again, beside the old verdicts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import pytest

from workers.dedup import confirm
from workers.dedup.confirm import RULES
from workers.flows import cluster as flow
from workers.flows.cluster import load_clusters
from workers.flows.rejudge import outdated_pairs, rejudge

if TYPE_CHECKING:
    from tests.workers.flows.cluster.conftest import Archive, Page

    OnArchive = Callable[[Callable[[Archive], Awaitable[None]]], None]


def told(_done: int, _all: int) -> None:
    """Nobody listens."""


def under_old_rules(patch: pytest.MonkeyPatch) -> None:
    """`confirm@1` wanted nearly all runs."""
    for module in (confirm, flow):
        patch.setattr(module, "RULES", "confirm@1")
    patch.setattr(confirm, "OVERLAP", 995_000)
    patch.setattr(confirm, "SUPPORTED_OVERLAP", 995_000)


def test_clusters_become_those_of_the_rules_in_force(on_archive: OnArchive, web: list[Page]) -> None:
    """R056, R057: a new version adds; ids, aliases and a rebuild go on from the log."""

    async def scenario(archive: Archive) -> None:
        with pytest.MonkeyPatch.context() as patch:
            under_old_rules(patch)
            await archive.cluster(web[:4])
            await archive.cluster(web[4:])
            apart = await archive.partition()
        outdated = await outdated_pairs(archive.ports)
        assert len(outdated) == 4
        done = await rejudge(archive.ports, told)
        assert (done.pairs, done.changed, done.unreadable) == (4, 3, 0)
        assert done.decisions > 0
        story = frozenset(one.sha256 for one in web[:5])
        assert story in await archive.partition()
        assert story not in apart
        before = await archive.dump()
        (stands,) = [aliases for _, texts, _, aliases in before.values() if texts == story]
        assert len(stands) == 2
        assert await load_clusters(archive.ports, again=True) == 3
        assert await archive.dump() == before
        for cluster in before:
            assert {edge.rules for edge in await archive.ports.clusters.edges(cluster)} <= {RULES}

    on_archive(scenario)


def test_judging_again_twice_finds_nothing(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        await archive.cluster(web)
        assert await outdated_pairs(archive.ports) == {}
        done = await rejudge(archive.ports, told)
        assert (done.pairs, done.changed, done.unreadable, done.decisions) == (0, 0, 0, 0)

    on_archive(scenario)


def test_pairs_that_were_left_out_are_looked_at_at_last(on_archive: OnArchive, web: list[Page]) -> None:
    """One segment brought too many pairs; afterwards the partition is that of the texts again, in any order."""

    async def scenario(archive: Archive) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(flow, "MAX_PAIRS", 1)
            done = await archive.cluster(web)
        assert (done.verdicts, done.pairs_left_out) == (1, 3)
        story = frozenset(one.sha256 for one in web[:5])
        assert story not in await archive.partition()
        assert len(await outdated_pairs(archive.ports)) == 3
        found = await rejudge(archive.ports, told)
        assert (found.pairs, found.unreadable) == (3, 0)
        assert story in await archive.partition()
        assert await outdated_pairs(archive.ports) == {}
        before = await archive.dump()
        assert await load_clusters(archive.ports, again=True) == 2
        assert await archive.dump() == before

    on_archive(scenario)
