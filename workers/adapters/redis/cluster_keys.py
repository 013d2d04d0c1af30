"""Names of the Redis keys of the cluster state. They carry the frontier's tag, since they stand behind its epoch."""

from __future__ import annotations

from dataclasses import dataclass

from workers.frontier.names import TAG


@dataclass(frozen=True, slots=True)
class ClusterKeys:
    """The keys under one parameter id."""

    params: str

    @property
    def prefix(self) -> str:
        return f"{TAG}:c:{self.params}:"

    @property
    def lock(self) -> str:
        """String: token of the holder. Outlives a clearing."""
        return f"{TAG}:cl:{self.params}"

    @property
    def meta(self) -> str:
        """Hash: sequence, births, pending, loaded."""
        return self.prefix + "meta"

    @property
    def applied(self) -> str:
        """Set of the objects that are applied, by extractor and segment."""
        return self.prefix + "segments"

    @property
    def unsettled(self) -> str:
        """Set of texts that wait for a decision."""
        return self.prefix + "unsettled"

    @property
    def witness(self) -> str:
        """Hash: text to snapshot id."""
        return self.prefix + "witness"

    @property
    def cluster_of(self) -> str:
        """Hash: text to cluster id."""
        return self.prefix + "of"

    @property
    def clusters(self) -> str:
        """Hash: cluster id to its number of birth and its leader."""
        return self.prefix + "clusters"

    @property
    def alias(self) -> str:
        """Hash: younger id to the id that stands for it now."""
        return self.prefix + "alias"

    def aliases(self, cluster_id: str) -> str:
        """Set of the aliases of a cluster."""
        return f"{self.prefix}a:{cluster_id}"

    def texts(self, cluster_id: str) -> str:
        """Set of the texts of a cluster."""
        return f"{self.prefix}t:{cluster_id}"

    def snapshots(self, text: str) -> str:
        """Set of the snapshots with a text: snapshot id, blank, source id."""
        return f"{self.prefix}s:{text}"

    def near(self, text: str) -> str:
        """Hash: text with a confirmed edge to this one, to the overlap in parts per million."""
        return f"{self.prefix}n:{text}"

    def verdicts(self, text: str) -> str:
        """Hash: larger text with a confirmed edge to this one, to the verdict."""
        return f"{self.prefix}v:{text}"

    def source(self, source_id: str) -> str:
        """Set of the texts of a source."""
        return f"{self.prefix}o:{source_id}"
