"""The bundle: claims, the evidence for them, and everything needed to check it without a network."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from schemas.records.base import Count, Id, ParameterId, Record, RecordId, Sha256, ShortText, UtcTime
from schemas.records.claim import Arbitration, Claim, Evidence, Judgement
from schemas.records.cluster import Cluster
from schemas.records.independence import IndependenceGroup
from schemas.records.manifest import Inclusion, ManifestHead
from schemas.records.outcome import RecordType
from schemas.records.snapshot import Heading, Snapshot
from schemas.records.source import Source


class BundleMember(Record):
    """One gzip member of the bundle's WARC file."""

    record_id: RecordId
    type: RecordType
    offset: Count
    length: Count


class BundleWarc(Record):
    """The snapshot's records within the bundle: warcinfo, request, response, originals, metadata, conversion."""

    path: ShortText
    members: tuple[BundleMember, ...] = Field(min_length=1)


class BundleSnapshot(Snapshot):
    """A snapshot with its text, its records and the proof that the log holds it. `headings` and `pages` are those of
    its snapshot line: what a locator is derived from. They are left out where there are none."""

    headings: tuple[Heading, ...] = Field(default=(), exclude_if=lambda headings: not headings)
    pages: tuple[Count, ...] = Field(default=(), exclude_if=lambda pages: not pages)
    warc: BundleWarc
    inclusion: Inclusion


class BundlePolicy(Record):
    """A policy as it was applied, whole, so that it can be applied again."""

    id: ParameterId
    kind: Literal["url", "tier", "fingerprint", "confirmation", "normalizer", "extractor", "checker", "suffixes"]
    sha256: Sha256
    """Of the RFC 8785 bytes of `value`."""
    value: JsonValue


class Bundle(Record):
    """`bundle.json` (`schemas/README.md, Bundle`)."""

    schema_id: Literal["citevault/bundle@1"] = Field(alias="schema")
    id: Id
    created_at: UtcTime
    offset_unit: Literal["unicode_code_point"]
    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]
    snapshots: tuple[BundleSnapshot, ...]
    sources: tuple[Source, ...]
    clusters: tuple[Cluster, ...]
    independence: tuple[IndependenceGroup, ...]
    judgements: tuple[Judgement, ...]
    arbitrations: tuple[Arbitration, ...] = ()
    policies: tuple[BundlePolicy, ...]
    head: ManifestHead
