"""The object in which one segment's clustering is written down, and from which all state is rebuilt.

`clusters/<params>/<extractor>/…/<segment>.jsonl.gz`: a head, then every verdict on a candidate pair, then the
decisions that followed. Its PUT commits the stage: once it exists, its verdicts stand, and nobody
judges its pairs again. Heads are numbered, since cluster ids depend on the order of births.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from schemas.records.base import Count, Id, ParameterId, Record, UtcTime
from schemas.records.cluster import ClusterDecision, ClusterMember, EdgeVerdict

_SCHEMA = re.compile(rb'"schema":"(citevault/[a-z-]+@[0-9]+)"')


class ClusterHead(Record):
    """First line of the object."""

    schema_id: Literal["citevault/cluster-segment@1"] = Field(alias="schema")
    segment_id: Id
    extractor: ParameterId
    """Whose texts of the segment these are: extracted anew by another, it is clustered anew, in another object."""
    params: ParameterId
    rules: ParameterId
    sequence: Count
    """Place in the log, from 1. Two of one number were written without knowledge of each other."""
    at: UtcTime
    members: tuple[ClusterMember, ...]
    """The citeable snapshots of the segment and their texts."""
    pairs_left_out: Count = 0
    """Candidate pairs that were not looked at, since one segment brought more than is looked at in one go."""


@dataclass(frozen=True, slots=True)
class ClusterLog:
    """The whole object."""

    head: ClusterHead
    verdicts: tuple[EdgeVerdict, ...]
    decisions: tuple[ClusterDecision, ...]

    @property
    def name(self) -> str:
        """Of the object, among all that the state has followed."""
        return f"{self.head.extractor}/{self.head.segment_id}"

    def records(self) -> Iterator[Record]:
        """All lines, in their order."""
        yield self.head
        yield from self.verdicts
        yield from self.decisions


def line_type(line: bytes) -> type[ClusterHead] | type[EdgeVerdict] | type[ClusterDecision]:
    """Which record a line of the object holds; the head where it does not say (reading it then tells why)."""
    found = _SCHEMA.search(line)
    if found is not None and found.group(1) == b"citevault/edge-verdict@1":
        return EdgeVerdict
    if found is not None and found.group(1) == b"citevault/cluster-decision@1":
        return ClusterDecision
    return ClusterHead
