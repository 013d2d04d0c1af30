"""What the commands answer with `--json`, as far as the demo reads it. More fields may come; these must be there."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Ended(_Answer):
    """How a job ended."""

    known: int
    done: int
    outcomes: dict[str, int]
    without_response: int
    parked: tuple[str, ...]


class Archived(_Answer):
    """`archive --wait --json`."""

    job_id: str
    lines: int
    seeds: int
    duplicates: int
    bad_lines: int
    ended: Ended


class Missing(_Answer):
    url: str
    outcome: str
    why: str | None


class JobStatus(_Answer):
    """`status JOB --json`."""

    segments: dict[str, int]
    missing: tuple[Missing, ...]
    requisites: dict[str, int]
    """Outcomes of what the pages needed."""


class SnapshotRow(_Answer):
    """A row of `snapshots --json`."""

    id: str
    http_status: int | None
    reader_status: str
    citeable: bool
    requested_url: str
    final_url: str
    title: str | None
    revisit: bool


class ClusterRow(_Answer):
    """A row of `clusters --json`."""

    id: str
    sources: int
    snapshots: int


class ManifestRow(_Answer):
    """A row of `manifest list --json`."""

    sequence: int
    leaves: int
    tree_size: int
    root_sha256: str


class Stack(_Answer):
    """`run/stack.json` of a data directory."""

    web: str
