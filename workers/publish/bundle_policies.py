"""Policies as they travel: each with its kind, so that whoever has the bundle can apply them again (X7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

PolicyKind = Literal["url", "tier", "fingerprint", "confirmation", "normalizer", "extractor"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What a policy id stands for."""

    kind: PolicyKind
    value: JsonValue
