"""Near-duplicate clusters: confirmed, with the figures that confirmed them. Ratios are parts per million,
since canonical JSON holds no floats."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Count, ParameterId, Record, Sha256, ShortText, UtcTime
from schemas.records.snapshot import SnapshotId
from schemas.records.source import SourceId

ClusterId = Annotated[str, StringConstraints(pattern=r"^cl-[0-9a-f]{16}$")]
PartsPerMillion = Annotated[int, Field(ge=0, le=1_000_000)]


class EdgeFigures(Record):
    """What the look at two texts found."""

    shingle_jaccard_ppm: PartsPerMillion
    containment_ppm: PartsPerMillion
    numbers_ppm: PartsPerMillion | None = None
    """Share of common quantities. Below 1,000,000 the texts tell other figures; None where they name none."""
    opening_ppm: PartsPerMillion | None = None
    """How much of the first words of one stands in the other."""
    title_ppm: PartsPerMillion | None = None
    title_in_shared_ppm: PartsPerMillion | None = None
    """How much of what one title says alone stands in the text that both have; None: not looked at."""
    same_author: bool | None = None
    days_apart: Count | None = None
    outlinks_ppm: PartsPerMillion | None = None


class EdgeVerdict(Record):
    """A candidate pair of texts, judged. `a` < `b` as strings."""

    schema_id: Literal["citevault/edge-verdict@1"] = Field(alias="schema")
    a: Sha256
    b: Sha256
    confirmed: bool
    rule: ShortText
    """The rule that decided, by name."""
    figures: EdgeFigures
    params: ParameterId
    """Fingerprint parameters under which the pair became a candidate."""
    rules: ParameterId
    """Version of the confirmation rules."""


class ClusterDecision(Record):
    """One line of the decision log: a cluster came to be, grew, merged or split."""

    schema_id: Literal["citevault/cluster-decision@1"] = Field(alias="schema")
    kind: Literal["birth", "join", "merge", "split"]
    cluster_id: ClusterId
    leader_text_sha256: Sha256
    texts: tuple[Sha256, ...]
    """All texts of the cluster after the decision, sorted."""
    other: ClusterId | None = None
    """merge: the younger id that becomes an alias; split: the id that the split-off part got."""
    reason: ShortText
    at: UtcTime


class ClusterMember(Record):
    """A snapshot within a cluster. Every URL stays (R059, R061)."""

    snapshot_id: SnapshotId
    source_id: SourceId
    text_sha256: Sha256


class Cluster(Record):
    """A cluster as a bundle or the API shows it."""

    id: ClusterId
    params: ParameterId
    rules: ParameterId
    leader_text_sha256: Sha256
    members: tuple[ClusterMember, ...] = Field(min_length=1)
    representative_source_id: SourceId
    representative_reason: ShortText
    edges: tuple[EdgeVerdict, ...] = ()
    aliases: tuple[ClusterId, ...] = ()


class Fingerprint(Record):
    """The near-duplicate fingerprint of one text under one set of parameters."""

    schema_id: Literal["citevault/fingerprint@1"] = Field(alias="schema")
    text_sha256: Sha256
    snapshot_id: SnapshotId
    params: ParameterId
    shingles: Count
    minhash: ShortText | None
    """Base64 of the little-endian uint32 values; None below 20 shingles."""
    minhash_sha256: Sha256 | None
    """SHA-256 of those bytes: what a leaf binds."""
    simhash: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")] | None = None
    """Majority, bit by bit, of the first 64 bits of SHA-1 over the same shingles; None below 20 shingles, and in
    records that were written without it."""
