"""What one process has open: stores, Redis with all that stands in it, and what is made when it is first asked for.

What only a worker needs (HTTP, numpy, the sandbox) is imported there too: a command that lists snapshots must not wait
for libraries that it never calls.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workers.adapters.announcer import CeleryAnnouncer
from workers.adapters.clock import SystemClock
from workers.adapters.keys import FileSigner, load_key
from workers.adapters.redis.catalog import RedisCatalog
from workers.adapters.redis.client import AsyncRedis
from workers.adapters.redis.clusters import RedisClusters
from workers.adapters.redis.due import RedisDueQueue
from workers.adapters.redis.found import RedisFoundUrls
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.ledger import RedisLedger
from workers.adapters.redis.requisites import RedisRequisites
from workers.adapters.redis.revisits import RedisRevisits
from workers.adapters.redis.robots_copies import RedisRobotsCopies
from workers.adapters.redis.times import RedisTimes
from workers.adapters.redis.versions import RedisVersions
from workers.adapters.spool import SegmentSpool
from workers.adapters.stores import ClosableStore
from workers.adapters.tier_rules import policy_in_force
from workers.config import Settings
from workers.dedup.tiers import TierPolicy
from workers.flows.cluster_view import ClusterReader
from workers.publish.index import LogIndex

if TYPE_CHECKING:
    from workers.adapters.http.fetcher import Fetcher
    from workers.adapters.redis.candidates import RedisCandidates
    from workers.extract.sandbox import Sandbox
    from workers.flows.capture.robots import RobotsCache
    from workers.flows.discover import Discovery

ROBOTS_TOKEN = "citevault"  # noqa: S105 (a product token, RFC 9309)


@dataclass(slots=True)
class Opened:
    """Belongs to the event loop that opened it."""

    settings: Settings
    clock: SystemClock
    store: ClosableStore
    redis: AsyncRedis
    guard: Guard
    frontier: RedisFrontier
    ledger: RedisLedger
    catalog: RedisCatalog
    revisits: RedisRevisits
    requisites: RedisRequisites
    versions: RedisVersions
    clusters: RedisClusters
    due: RedisDueQueue
    announcer: CeleryAnnouncer
    log_index: LogIndex
    """What was read of the log; it only grows."""
    _candidates: RedisCandidates | None = None
    _transport: Fetcher | None = None
    _robots: RobotsCache | None = None
    _sandbox: Sandbox | None = None
    _files: SegmentSpool | None = None
    _discovery: Discovery | None = None
    _tiers: TierPolicy | None = None

    @property
    def candidates(self) -> RedisCandidates:
        """The LSH index."""
        from workers.adapters.redis.candidates import RedisCandidates

        if self._candidates is None:
            self._candidates = RedisCandidates(self.redis)
        return self._candidates

    @property
    def transport(self) -> Fetcher:
        """The HTTP client, with its pool of connections."""
        from workers.adapters.http.fetcher import Fetcher

        if self._transport is None:
            with suppress(OSError):  # no batch is begun before the spool can be written, and what is wrong is said
                self.settings.spool_dir.mkdir(parents=True, exist_ok=True)
            self._transport = Fetcher(spool_dir=self.settings.spool_dir)
        return self._transport

    @property
    def robots(self) -> RobotsCache:
        """Rules of the sites that this process has met."""
        from workers.flows.capture.robots import RobotsCache

        if self._robots is None:
            self._robots = RobotsCache(ROBOTS_TOKEN, self.clock, RedisRobotsCopies(self.guard))
        return self._robots

    @property
    def files(self) -> SegmentSpool:
        """Segments before they are stored. Made in the process that captures, since a fork would share its lock."""
        if self._files is None:
            self._files = SegmentSpool(self.settings.spool_dir)
        return self._files

    @property
    def sandbox(self) -> Sandbox:
        """The extractor in its child process; nothing is started before it is asked."""
        if self._sandbox is None:
            self._sandbox = self.new_sandbox()
        return self._sandbox

    def new_sandbox(self) -> Sandbox:
        """One more, which whoever asks closes."""
        from workers.bootstrap.settings import sandbox_limits
        from workers.extract.sandbox import Sandbox

        return Sandbox(sandbox_limits(self.settings))

    @property
    def found(self) -> RedisFoundUrls:
        """What jobs have found by links."""
        return RedisFoundUrls(self.guard)

    @property
    def discovery(self) -> Discovery:
        """Takes links; remembers what the jobs of this process ask of them."""
        from workers.flows.discover import CrawlOrders, DiscoverPorts, Discovery
        from workers.flows.discover.sitemaps import StoredSitemaps

        if self._discovery is None:
            sitemaps = StoredSitemaps(self.store, self.catalog)
            ports = DiscoverPorts(self.store, self.catalog, self.frontier, self.found, sitemaps, ROBOTS_TOKEN)
            self._discovery = Discovery(ports, CrawlOrders(self.store))
        return self._discovery

    @property
    def times(self) -> RedisTimes:
        return RedisTimes(self.guard)

    def cluster_reader(self) -> ClusterReader:
        """Clusters with what they mean."""
        return ClusterReader(self.clusters, self.catalog, self.tiers())

    def tiers(self) -> TierPolicy:
        """The tier policy in force, with the user's own rules before it. PermanentError where these are no rules."""
        if self._tiers is None:
            path = self.settings.tier_rules
            self._tiers = policy_in_force(path, required=path != self.settings.data_dir / "tiers.json")
        return self._tiers

    def signer(self) -> FileSigner:
        """The key of the manifest log. PermanentError where there is none."""
        return load_key(self.settings.signing_key)

    async def close(self) -> None:
        """Give everything back, each also where another cannot be closed."""
        async with AsyncExitStack() as closing:  # in the opposite order
            closing.callback(self.store.close)
            closing.push_async_callback(self.redis.aclose)
            if self._files is not None:
                closing.callback(self._files.close)
            if self._sandbox is not None:
                closing.callback(self._sandbox.close)
            if self._transport is not None:
                closing.push_async_callback(self._transport.close)
