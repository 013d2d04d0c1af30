"""Tiers by a versioned policy of rules with reasons (R063-R069). A tier is an explainable category of what a
host publishes, not a score of how true it is; it is read together with the kind of claim.

A policy is data: `policies/tiers@2.json`, and a file of a user's own rules, which go before it. Its id
`tiers@2+<8 hex>` carries the digest of both together, so that a verdict can be made again. A published
policy file never changes; another list is another version beside it, and the newest is in force.

A rule's `hosts` name hosts (`www.` in front does not matter) or, as `*.example.org`, everything under one; a
host on another port than its scheme's own is named with that port (`lab.example:8080`, `*.lab.example:8080`), and a
pattern without a port does not reach it. This is part of what a policy id means, and stays as it is.
`path`, where given, is a prefix of the path that ends at a segment. Of several rules the user's go first,
then the one with the exact host, then the longer host pattern, then the longer path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue, StringConstraints

from schemas.canonical import canonical_sha256
from schemas.reading import DocumentError, read_document
from schemas.records.base import Record, ShortText
from schemas.records.source import Tier, TierVerdict
from workers.dedup.site import site_of
from workers.errors import CorruptError

TIERS: Final = "tiers@2"
"""The published policy in force."""
DEFAULT_REASON = "default"

HostPattern = Annotated[str, StringConstraints(pattern=r"^(\*\.)?[a-z0-9][a-z0-9.\-]{0,252}(:[0-9]{1,5})?$")]
PathPrefix = Annotated[str, StringConstraints(pattern=r"^/[!-~]{0,200}$")]
Reason = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]

_PATH = re.compile(r"^[^:/?#]+://[^/?#]*(/[^?#]*)")


class TierRule(Record):
    """Hosts that get a tier, and why."""

    reason: Reason
    """Name of the rule; stands in every verdict that it makes."""
    tier: Tier
    why: ShortText
    hosts: Annotated[tuple[HostPattern, ...], Field(min_length=1)]
    path: PathPrefix | None = None


class TierPolicyFile(Record):
    """A published policy."""

    schema_id: Literal["citevault/tier-policy@1"] = Field(alias="schema")
    name: Literal["tiers@1", "tiers@2"]
    default_tier: Tier
    rules: tuple[TierRule, ...]


class TierOverrides(Record):
    """A user's own rules."""

    schema_id: Literal["citevault/tier-overrides@1"] = Field(alias="schema")
    rules: tuple[TierRule, ...]


@dataclass(frozen=True, slots=True)
class AmbiguousRules:
    """Two rules of one file name the same host and path, so that neither can decide."""

    host: str
    path: str
    reasons: tuple[str, str]

    def __str__(self) -> str:
        where = self.host + self.path
        return f"the rules {self.reasons[0]} and {self.reasons[1]} both name {where}; take it out of one of them"


@dataclass(frozen=True, slots=True)
class FittingRule:
    """A rule that names a page."""

    rule: TierRule
    place: str
    """Host pattern and path prefix by which it does."""
    own: bool
    """It is one of the user's."""


@dataclass(frozen=True, slots=True)
class TierPolicy:
    """Rules in force: the published ones, and the user's before them."""

    id: str
    value: JsonValue
    """What the id's digest is of, as a bundle carries it."""
    default_tier: Tier
    overrides: dict[tuple[str, str], TierRule]
    published: dict[tuple[str, str], TierRule]

    def verdict(self, normalized_url: str) -> TierVerdict:
        """The tier of a page and the rule that gave it."""
        found = self.rule(normalized_url)
        if found is None:
            return TierVerdict(tier=self.default_tier, policy=self.id, reason=DEFAULT_REASON)
        return TierVerdict(tier=found.rule.tier, policy=self.id, reason=found.rule.reason)

    def rule(self, normalized_url: str) -> FittingRule | None:
        """The rule that decides on a page, and by which of its places; None: none does."""
        host = site_of(normalized_url)
        found = _PATH.match(normalized_url)
        path = found.group(1) if found else "/"
        for rules in (self.overrides, self.published):
            for pattern in _patterns(host):
                for prefix in _prefixes(path):
                    rule = rules.get((pattern, prefix))
                    if rule is not None:
                        return FittingRule(rule, pattern + prefix, own=rules is self.overrides)
        return None


@cache
def published_policy(name: str = TIERS) -> TierPolicyFile:
    """A policy as the package ships it."""
    data = files("workers.dedup").joinpath("policies", f"{name}.json").read_bytes()
    policy = read_document(data, TierPolicyFile)
    if isinstance(policy, DocumentError):
        raise CorruptError(
            f"the tier policy of this installation cannot be read: {policy}",
            where=f"workers/dedup/policies/{name}.json",
            next_step="install Citevault again",
        )
    return policy


def read_overrides(data: bytes) -> TierOverrides | DocumentError:
    """A user's file of rules."""
    return read_document(data, TierOverrides)


def tier_policy(overrides: TierOverrides | None = None) -> TierPolicy | AmbiguousRules:
    """The policy in force. Without overrides its digest is that of the published file."""
    published = published_policy()
    value: dict[str, JsonValue] = published.model_dump(mode="json", by_alias=True)
    if overrides is not None and overrides.rules:
        value["x_overrides"] = overrides.model_dump(mode="json", by_alias=True)["rules"]
    own = _index(overrides.rules if overrides is not None else ())
    if isinstance(own, AmbiguousRules):
        return own
    shipped = _index(published.rules)
    if isinstance(shipped, AmbiguousRules):
        return shipped
    return TierPolicy(f"{TIERS}+{canonical_sha256(value)[:8]}", value, published.default_tier, own, shipped)


def _index(rules: tuple[TierRule, ...]) -> dict[tuple[str, str], TierRule] | AmbiguousRules:
    index: dict[tuple[str, str], TierRule] = {}
    for rule in rules:
        for host in rule.hosts:
            key = (host.removeprefix("www."), (rule.path or "").rstrip("/"))
            if key in index:
                return AmbiguousRules(key[0], key[1], (index[key].reason, rule.reason))
            index[key] = rule
    return index


def _patterns(host: str) -> list[str]:
    """`a.example.org` itself, then `*.example.org`, `*.org`: the longer pattern first."""
    labels = host.split(".")
    return [host, *("*." + ".".join(labels[at:]) for at in range(1, len(labels)))]


def _prefixes(path: str) -> list[str]:
    """`/a/b` of `/a/b/c?`, then `/a`, then every path; the longer first."""
    segments = path.split("/")[1:21]  # rules are short; a path of thousands of segments is not walked
    return ["/" + "/".join(segments[:count]) for count in range(len(segments), 0, -1)] + [""]
