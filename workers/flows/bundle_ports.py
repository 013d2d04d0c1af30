"""What the bundle flow is given."""

from __future__ import annotations

from dataclasses import dataclass

from workers.dedup.tiers import TierPolicy
from workers.flows.publish import PublishPorts
from workers.ports import Catalog, ClusterState, ObjectStore
from workers.publish.index import LogIndex


@dataclass(frozen=True, slots=True)
class BundlePorts:
    store: ObjectStore
    catalog: Catalog
    clusters: ClusterState
    index: LogIndex
    """What has been read of the log; it is brought up to date. The same one as in `publishing`."""
    tiers: TierPolicy
    publishing: PublishPorts | None = None
    """How what is not published yet gets published. None: this process may not; then it is a problem of the draft."""
