"""What became of a bundle's quotes on the newest snapshots of their pages. The bundle stays what it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from schemas.records.base import Count, Id, LongText, Record, Sha256, ShortText, Url, UtcTime
from schemas.records.claim import ClaimId, EvidenceId, Importance, Support
from schemas.records.snapshot import SnapshotId


class DriftState(StrEnum):
    """Of one edge. Only `exact` and `moved` say that the quote is still there, and nothing is ever anchored anew."""

    EXACT = "exact"
    """Once, with the same surroundings."""
    MOVED = "moved"
    """Once, among others than before."""
    AMBIGUOUS = "ambiguous"
    """In several places, none of which is told from the others by its surroundings."""
    CHANGED = "changed"
    """Not there; a passage much like it is, and the difference is shown."""
    ORPHAN = "orphan"
    UNREPLAYABLE = "unreplayable"
    """There is no text to look in: not kept, taken down, not readable, or a server's error."""
    GONE = "gone"
    SOFT_404 = "soft_404"
    BLOCKED = "blocked"


class DriftedEdge(Record):
    evidence_id: EvidenceId
    claim_id: ClaimId
    importance: Importance
    support: Support
    snapshot_id: SnapshotId
    """The cited one, for which the old verdict stays valid."""
    newest_snapshot_id: SnapshotId
    newest_retrieved_at: UtcTime
    url: Url
    state: DriftState
    reason: ShortText | None = None
    start: Count | None = None
    end: Count | None = None
    """Where the quote, or what is much like it, stands in the newest text, in code points."""
    diff: LongText | None = None
    """`[-only in the quote-]{+only in the text+}`."""
    lost: tuple[ShortText, ...] = ()
    """Figures, comparisons and negations of the quote that the passage no longer has."""
    gained: tuple[ShortText, ...] = ()


class DriftReport(Record):
    schema_id: Literal["citevault/drift-report@1"] = Field(alias="schema")
    report: Id
    bundle_sha256: Sha256
    made_at: UtcTime
    edges: tuple[DriftedEdge, ...]
