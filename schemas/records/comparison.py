"""Two bundles side by side: which verdicts changed, and why (R099)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from schemas.records.base import Record, Sha256, ShortText
from schemas.records.claim import ClaimId, EvidenceId, Verdict


class Cause(StrEnum):
    """Why a verdict changed, in the order in which causes are tried."""

    EVIDENCE = "evidence"
    EXTRACTOR = "extractor"
    NORMALIZER = "normalizer"
    URL_POLICY = "url_policy"
    CLUSTER = "cluster"
    CHECKER = "checker"
    GATE = "gate"
    NONE = "none"


class EdgeChange(Record):
    """One difference between what two bundles have for a claim; null where one of them has no such edge."""

    before: EvidenceId | None
    after: EvidenceId | None
    cause: Cause
    what: ShortText
    """In words: what it was, and what it is."""


class ClaimChange(Record):
    """One claim in both bundles; null where it is not in one of them."""

    claim_id: ClaimId
    before: Verdict | None
    after: Verdict | None
    cause: Cause
    causes: tuple[Cause, ...]
    """What the later verdict takes; one, unless several changes are needed together. Empty where nothing changed."""
    edges: tuple[EdgeChange, ...]
    """Every difference, also those that changed no verdict."""


class BundleComparison(Record):
    """Every claim of either bundle, by id."""

    schema_id: Literal["citevault/bundle-comparison@1"] = Field(alias="schema")
    before: Sha256
    """Of `bundle.json`."""
    after: Sha256
    claims: tuple[ClaimChange, ...]
