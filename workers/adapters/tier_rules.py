"""The tier policy in force: the published rules, and those of a file of the user's before them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from schemas.reading import DocumentError
from workers.dedup.tiers import TIERS, AmbiguousRules, TierOverrides, TierPolicy, read_overrides, tier_policy
from workers.errors import PermanentError

MAX_BYTES: Final = 4 * 1024 * 1024
"""Some 60,000 hosts; a file that is larger is not one of rules."""


def policy_in_force(path: Path, *, required: bool) -> TierPolicy:
    """`path`: the file of own rules. Where it is not there, that is an error if it is `required`, else it holds none.
    PermanentError says what is wrong with it, and where."""
    rules = read_rules(path) if required or path.exists() else None
    policy = tier_policy(rules)
    if isinstance(policy, AmbiguousRules):
        where = str(path) if rules is not None else TIERS
        raise PermanentError(
            f"two tier rules contradict each other: {policy}", where=where, next_step="correct the file"
        )
    return policy


def read_rules(path: Path) -> TierOverrides:
    """A file of own rules (`citevault/tier-overrides@1`)."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PermanentError(
            f"the file of tier rules cannot be read: {error.strerror}",
            where=str(path),
            next_step="correct CITEVAULT_TIER_RULES, or the file",
        ) from error
    if len(data) > MAX_BYTES:
        raise PermanentError(f"the file of tier rules is larger than {MAX_BYTES} bytes", where=str(path))
    rules = read_overrides(data)
    if isinstance(rules, DocumentError):
        raise PermanentError(
            f"this is no file of tier rules: {rules}",
            where=str(path),
            next_step='it is {"schema": "citevault/tier-overrides@1", "rules": [{"reason", "tier", "why", "hosts"}]}',
        )
    return rules
