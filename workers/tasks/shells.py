"""The tasks: decode the message, call the flow, count. Nothing is decided here.

A message that cannot be read is dropped with a word in the log: what it stood for is in the ledger. An
error ends the task; the lease or the ledger brings the work back. While a store is away for a moment, the task waits
for it (`patience`), since there is nothing else that could be done meanwhile.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from celery import Celery

from schemas.messages import CaptureBatch, ClusterSegment, ExtractSegment, TaskMessage
from schemas.reading import DocumentError, read_document
from workers import metrics
from workers.bootstrap import Archive
from workers.errors import CitevaultError, root_of
from workers.flows.capture.in_turn import begin_in_turn
from workers.flows.capture.right_clock import wait_for_right_clock
from workers.flows.cluster import cluster_segment
from workers.flows.extract import extract_segment
from workers.flows.failing import tell_failure
from workers.tasks.patience import PATIENCE, patiently
from workers.tasks.runtime import Runtime

LOG = logging.getLogger(__name__)
M = TypeVar("M", bound=TaskMessage)


def _capturing(stopping: Callable[[], bool]) -> Callable[[Archive, CaptureBatch], Awaitable[None]]:
    async def capture(archive: Archive, message: CaptureBatch) -> None:
        ports, settings = archive.capture_ports(), archive.capture_settings()
        await wait_for_right_clock(archive.times.now_ms, archive.clock, stopping)
        await begin_in_turn(message, ports, settings, archive.transport, archive.robots, stopping)

    return capture


async def _extract(archive: Archive, message: ExtractSegment) -> None:
    await extract_segment(message.receipt_key, archive.extract_ports())
    metrics.SEGMENTS.labels("extracted").inc()


async def _cluster(archive: Archive, message: ClusterSegment) -> None:
    clustered = await cluster_segment(message, archive.cluster_ports())
    metrics.SEGMENTS.labels("clustered").inc()
    metrics.EDGES.labels("yes").inc(clustered.confirmed)
    metrics.EDGES.labels("no").inc(clustered.verdicts - clustered.confirmed)
    metrics.EDGES.labels("left_out").inc(clustered.pairs_left_out)


def register(app: Celery, runtime: Runtime) -> None:
    """Give the application its tasks."""
    _add(app, runtime, CaptureBatch, _capturing(runtime.stopping))
    _add(app, runtime, ExtractSegment, _extract, patience=PATIENCE)
    _add(app, runtime, ClusterSegment, _cluster, patience=PATIENCE)


def _add(
    app: Celery,
    runtime: Runtime,
    kind: type[M],
    flow: Callable[[Archive, M], Awaitable[None]],
    *,
    patience: Sequence[float] = (),
) -> None:
    stage = kind.task.rpartition(".")[2]

    def shell(body: str) -> None:
        message = read_document(body.encode("utf-8"), kind)
        if isinstance(message, DocumentError):
            metrics.ERRORS.labels(stage, "message").inc()
            LOG.error("message dropped task=%s pointer=%s reason=%s", kind.task, message.pointer, message.message)
            return
        started = time.monotonic()
        try:
            patiently(lambda: runtime.run(lambda archive: flow(archive, message)), patience)
        except CitevaultError as error:
            metrics.ERRORS.labels(stage, root_of(error)).inc()
            LOG.error("task failed task=%s kind=%s error=%s", kind.task, root_of(error), error)
            _tell(runtime, message, error)
            return
        except Exception as error:
            _tell(runtime, message, error)
            raise
        finally:
            metrics.STAGE_SECONDS.labels(stage).observe(time.monotonic() - started)
        metrics.LAST_WORK.labels(stage).set_to_current_time()

    app.task(name=kind.task, ignore_result=True)(shell)


def _tell(runtime: Runtime, message: TaskMessage, error: Exception) -> None:
    """The ledger decides when a segment is tried again. Where nobody can tell it, the sweep finds out in its time."""
    if not isinstance(message, ExtractSegment | ClusterSegment):
        return
    segment_id = message.segment_id
    try:
        runtime.run(lambda archive: tell_failure(archive.ledger, archive.clock, segment_id, error))
    except CitevaultError as untold:
        LOG.warning("failure not told segment=%s error=%s", segment_id, untold)
