from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import pytest

from schemas.ids import source_id
from workers.dedup.independence import ManualGroup
from workers.dedup.tiers import TierPolicy, tier_policy
from workers.flows.cluster_view import ClusterReader

if TYPE_CHECKING:
    from tests.workers.flows.cluster.conftest import Archive, Page

    OnArchive = Callable[[Callable[[Archive], Awaitable[None]]], None]


@pytest.fixture
def reader() -> Callable[[Archive], ClusterReader]:
    policy = tier_policy()
    assert isinstance(policy, TierPolicy)
    return lambda archive: ClusterReader(archive.ports.clusters, archive.ports.catalog, policy)


def test_a_cluster_shows_every_url_and_who_speaks_for_it(
    on_archive: OnArchive, web: list[Page], page: type[Page], reader: Callable[[Archive], ClusterReader]
) -> None:
    """R059, R060, R061."""
    ministry = page("https://water.gov/dam-story", web[3].text, "Dam breaks", 40)

    async def scenario(archive: Archive) -> None:
        await archive.cluster([*web, ministry])
        cluster_id = await archive.ports.clusters.cluster_of(web[0].sha256)
        assert cluster_id is not None
        spread = await reader(archive).cluster(cluster_id)
        assert spread is not None
        assert len(spread.members) == 6
        assert spread.representative_source_id == source_id(web[0].url)
        assert len(spread.edges) == 3
        rule = await reader(archive).cluster(cluster_id, "specification")
        assert rule is not None
        assert rule.representative_source_id == source_id(ministry.url)
        assert await reader(archive).cluster("cl-0000000000000000") is None

    on_archive(scenario)


def test_the_standing_of_a_snapshot_names_cluster_tier_and_group(
    on_archive: OnArchive, web: list[Page], reader: Callable[[Archive], ClusterReader]
) -> None:
    async def scenario(archive: Archive) -> None:
        message = await archive.extract(web)
        catalog, clusters = archive.ports.catalog, archive.ports.clusters
        lines = {}
        for one in web:
            (newest,) = await catalog.snapshots_of(one.url)
            found = await catalog.snapshot(newest)
            assert found is not None
            lines[one.url] = found
        await archive.cluster([])  # loads the state; the segment itself has no verdict yet
        unknown = await reader(archive).standing(lines[web[0].url])
        assert (unknown.cluster_id, unknown.group) == (None, "unknown")

        await archive.recluster(message)
        story = await clusters.cluster_of(web[0].sha256)
        shared = await reader(archive).standing(lines[web[0].url], decisions_sequence=4)
        assert (shared.cluster_id, shared.group, shared.decisions_sequence) == (story, f"cluster:{story}", 4)
        official = await reader(archive).standing(lines["https://water.gov/dam"])
        assert (official.group, official.tier.reason) == ("site:water.gov", "government")
        assert official.tier.policy in official.policies
        by_hand = ManualGroup("agency", (source_id(web[0].url),), "ann", "2026-08-22T03:15:00Z", "wire story")
        assert (await reader(archive).standing(lines[web[0].url], manual=[by_hand])).group == "manual:agency"

    on_archive(scenario)
