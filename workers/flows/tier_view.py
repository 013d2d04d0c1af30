"""What a tier policy says to a person: the rule that decides on a page, and all rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workers.dedup.tier_fit import NOTES, carried_by
from workers.dedup.tiers import TierPolicy, TierRule

__all__ = ["ExplainedTier", "TierRule", "explain_tier", "rules_of"]


@dataclass(frozen=True, slots=True)
class ExplainedTier:
    """A tier, the rule that gave it, and what it is good for."""

    tier: str
    policy: str
    reason: str
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
        place=found.place if found is not None else None,
        own_rule=found is not None and found.own,
        why=found.rule.why if found is not None else "no rule names this host",
        carries=tuple(kind.value for kind in carried_by(verdict.tier)),
        good_for=NOTES[verdict.tier],
    )


def rules_of(policy: TierPolicy) -> Iterator[tuple[TierRule, bool]]:
    """Each rule, and whether it is the user's own; these first."""
    for own, index in ((True, policy.overrides), (False, policy.published)):
        for rule in {rule.reason: rule for rule in index.values()}.values():
            yield rule, own
