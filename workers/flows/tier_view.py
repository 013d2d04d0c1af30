"""What a tier policy says to a person: the rule that decides on a page, and all rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from workers.dedup.site import site_of
from workers.dedup.tier_fit import NOTES, carried_by
from workers.dedup.tiers import TierPolicy, TierRule

__all__ = ["OTHER_PORTS", "ExplainedTier", "TierRule", "explain_tier", "rules_of", "why_of"]

OTHER_PORTS: Final = 'a host on another port than 80 (http) or 443 (https) is named with it, such as "lab.example:8080"'
_REQUIREMENTS: Final = re.compile(r" \(R[0-9]{3}(?:, R[0-9]{3})*\)")
_PORT: Final = re.compile(r"^([a-z]+://(?:\[[^\]]*\]|[^/?#:]*)):[0-9]+")


@dataclass(frozen=True, slots=True)
class ExplainedTier:
    """A tier, the rule that gave it, and what it is good for."""

    tier: str
    policy: str
    reason: str
    host: str
    """As a rule's `hosts` name it, with its port if that is not the scheme's own."""
    place: str | None
    """Host pattern and path by which the rule names the page; None: no rule does."""
    own_rule: bool
    why: str
    carries: tuple[str, ...]
    """Kinds of claims."""
    good_for: str


def explain_tier(policy: TierPolicy, normalized_url: str) -> ExplainedTier:
    """The tier of a page and everything that is to be said of it."""
    verdict, found = policy.verdict(normalized_url), policy.rule(normalized_url)
    return ExplainedTier(
        tier=verdict.tier.value,
        policy=verdict.policy,
        reason=verdict.reason,
        host=site_of(normalized_url),
        place=found.place if found is not None else None,
        own_rule=found is not None and found.own,
        why=why_of(found.rule, own=found.own) if found is not None else _why_none(policy, normalized_url),
        carries=tuple(kind.value for kind in carried_by(verdict.tier)),
        good_for=NOTES[verdict.tier],
    )


def why_of(rule: TierRule, *, own: bool) -> str:
    """Why a rule gives its tier, for a person: a published one names requirements, by numbers that its digest holds
    fast and that say nothing to a reader. The words of the user's `own` are left as they are."""
    return rule.why if own else _REQUIREMENTS.sub("", rule.why)


def rules_of(policy: TierPolicy) -> Iterator[tuple[TierRule, bool]]:
    """Each rule, and whether it is the user's own; these first."""
    for own, index in ((True, policy.overrides), (False, policy.published)):
        for rule in {rule.reason: rule for rule in index.values()}.values():
            yield rule, own


def _why_none(policy: TierPolicy, normalized_url: str) -> str:
    """Why no rule decides on a page: the host is in none, or in one that does not reach its port."""
    why = f"no rule names {site_of(normalized_url)}"
    without_port = _PORT.sub(r"\1", normalized_url)
    near = policy.rule(without_port) if without_port != normalized_url else None
    if near is None:
        return why
    return (
        f"{why}; rule {near.rule.reason} names {near.place}, and without a port that is only 80 (http) or 443 (https)"
    )
