"""Which source speaks for a cluster; every other URL stays beside it (R059-R061).

It depends on the purpose: for what a specification, policy or price says, the most official source; for
how a story spread, the earliest. Neither says which one is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from schemas.records.source import Tier
from workers.dedup.published import published_on

Purpose = Literal["specification", "tracing"]

_STANDING = {tier: place for place, tier in enumerate((Tier.OFFICIAL, Tier.PRIMARY, Tier.SECONDARY, Tier.AGGREGATOR))}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member of a cluster, as far as the choice looks at it."""

    source_id: str
    snapshot_id: str
    tier: Tier
    published_at: str | None
    retrieved_at: str


@dataclass(frozen=True, slots=True)
class Representative:
    source_id: str
    reason: str


def representative(members: Sequence[Candidate], purpose: Purpose) -> Representative:
    """The representative of a cluster, which has at least one member. Ties go by time, then by id."""
    if purpose == "specification":
        chosen = min(members, key=lambda member: (_STANDING[member.tier], _earliest(member)))
        return Representative(chosen.source_id, f"for specifications: tier {chosen.tier.value}, earliest of it")
    chosen = min(members, key=_earliest)
    told = published_on(chosen.published_at, chosen.retrieved_at) is not None
    return Representative(chosen.source_id, f"for tracing: earliest by {'publication' if told else 'capture'} date")


def _earliest(member: Candidate) -> tuple[date, str, str, str]:
    """The day it was published, else captured; then the time of capture."""
    day = published_on(member.published_at, member.retrieved_at) or date.fromisoformat(member.retrieved_at[:10])
    return day, member.retrieved_at, member.source_id, member.snapshot_id
