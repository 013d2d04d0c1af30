"""A source: the resource behind one conservative@1 URL, with what is known of its standing."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import StringConstraints

from schemas.records.base import Id, ParameterId, Record, ShortText, Url

SourceId = Annotated[str, StringConstraints(pattern=r"^src-[0-9a-f]{16}$")]


class Tier(StrEnum):
    """Explainable categories, not a credibility score (R063, R068)."""

    OFFICIAL = "official"
    PRIMARY = "primary"
    SECONDARY = "secondary"
    AGGREGATOR = "aggregator"


class TierVerdict(Record):
    """A tier and why: the policy that decided, and the rule of it that matched."""

    tier: Tier
    policy: ParameterId
    reason: ShortText
    """Name of the rule, or `default`."""


class Source(Record):
    """SourceDocument of R005: identity, who stands behind it, tier, and the cluster of its newest text."""

    id: SourceId
    normalized_url: Url
    host: ShortText
    author: ShortText | None = None
    publisher: ShortText | None = None
    tier: TierVerdict
    cluster_id: Id | None = None
    """None: no verdict yet, so its independence is `unknown`."""
