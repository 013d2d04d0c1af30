"""What the caller asked for, read and checked before anything is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from schemas.judging import HUMAN_SAMPLE_PPM
from schemas.records.manifest import Checkpoint
from validator.trust import TrustedKeys


class Profile(StrEnum):
    """X22. For a bundle it sets severities; the name stands in the report."""

    PARAGRAPH = "paragraph"
    CLAIM = "claim"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of one run. None means not asked for."""

    profile: Profile = Profile.CLAIM
    deep: bool = False
    trusted: TrustedKeys = field(default_factory=TrustedKeys)
    """Of `--trust`: may sign heads and bundles."""
    trusted_authors: TrustedKeys = field(default_factory=TrustedKeys)
    """Of `--trust-author`: may sign bundles only, so no author can make up a log."""
    checkpoint: Checkpoint | None = None
    time: str | None = None
    """RFC 3339 in UTC: the only clock."""
    re_extract: bool = False
    max_age_seconds: int | None = None
    """How long before `time` a snapshot that is evidence may have been retrieved."""
    human_sample_ppm: int = HUMAN_SAMPLE_PPM
    """Share of what an evaluator judged that a person must have judged too; 0: none."""

    @property
    def strict(self) -> bool:
        return self.profile is Profile.STRICT


class RefusedInputError(Exception):
    """The input or an option cannot be read at all: exit 2, one message."""
