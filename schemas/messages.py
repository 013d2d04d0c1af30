"""Task messages: the names and payloads that the control plane and the data plane both speak.

A message carries ids and object keys only; what it speaks of lies in the store or in the frontier.
Losing one costs time, never data: the ledger sweep finds what is stuck and sends it again.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from schemas.records.base import Count, Id, Record, ShortText
from schemas.records.job import Lane

Queue = Literal["capture", "extract", "cluster", "interactive"]


class TaskMessage(Record):
    """Base of all messages: `task` is the registered Celery name, `queue` where it goes."""

    task: ClassVar[str]
    queue: ClassVar[Queue]
    lane: Lane

    def destination(self) -> Queue:
        """The queue for this message: interactive work has one of its own, except that clusters are
        decided on one after the other."""
        if self.lane is Lane.INTERACTIVE and self.queue != "cluster":
            return "interactive"
        return self.queue


class CaptureBatch(TaskMessage):
    """Take the batch of this id from the frontier and capture what is in it."""

    task: ClassVar[str] = "citevault.capture"
    queue: ClassVar[Queue] = "capture"
    schema_id: Literal["citevault/capture-batch@1"] = Field(alias="schema")
    job_id: Id
    batch_id: Id
    epoch: Count


class ExtractSegment(TaskMessage):
    """Extract the text of every response of one committed segment."""

    task: ClassVar[str] = "citevault.extract"
    queue: ClassVar[Queue] = "extract"
    schema_id: Literal["citevault/extract-segment@1"] = Field(alias="schema")
    segment_id: Id
    receipt_key: ShortText


class ClusterSegment(TaskMessage):
    """Fingerprint candidates, confirm and cluster the texts of one extracted segment."""

    task: ClassVar[str] = "citevault.cluster"
    queue: ClassVar[Queue] = "cluster"
    schema_id: Literal["citevault/cluster-segment@1"] = Field(alias="schema")
    segment_id: Id
    snapshots_key: ShortText
    prints_key: ShortText
    receipt_key: ShortText
