"""What it takes to rebuild, over a Redis and a store of a test's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from scheduler.rebuild import Lineage, RebuildPorts
from workers.adapters.redis.audit import RedisAudit
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import AsyncRedis
from workers.adapters.redis.found import RedisFoundUrls
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.adapters.redis.lineage import RedisLineage
from workers.adapters.redis.requisites import RedisRequisites
from workers.adapters.redis.revisits import RedisRevisits
from workers.adapters.redis.singleton import Singleton
from workers.adapters.redis.state import RedisState
from workers.adapters.redis.versions import RedisVersions
from workers.frontier import names
from workers.frontier.epoch import Epoch
from workers.ports import ObjectStore

NewRebuildPorts: TypeAlias = Callable[[AsyncRedis, ObjectStore], RebuildPorts]


@pytest.fixture
def new_rebuild_ports() -> NewRebuildPorts:
    """Makes the ports of an archive that nobody has settled yet."""

    def make(client: AsyncRedis, store: ObjectStore) -> RebuildPorts:
        epoch = Epoch(store)
        guard = Guard(client, epoch)
        return RebuildPorts(
            store=store,
            frontier=RedisFrontier(guard),
            ledger=RedisLedger(guard),
            catalog=RedisCatalog(guard, store),
            revisits=RedisRevisits(guard),
            requisites=RedisRequisites(guard),
            versions=RedisVersions(guard),
            found=RedisFoundUrls(guard),
            state=RedisState(client),
            audit=RedisAudit(guard),
            epoch=epoch,
            lease=Singleton(client, "rebuilder", key=names.REBUILDER),
            lineage=Lineage(store, epoch, RedisLineage(guard)),
        )

    return make
