"""The tasks: decode the message, call the flow, count. Nothing is decided here.

A message that cannot be read is dropped with a word in the log: what it stood for is in the ledger. An
error ends the task; the lease or the ledger brings the work back.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from celery import Celery

from schemas.messages import CaptureBatch, ClusterSegment, ExtractSegment, TaskMessage
from schemas.reading import DocumentError, read_document
from workers import metrics
from workers.bootstrap import Archive
from workers.errors import CitevaultError, CorruptError, RetryableError
from workers.flows.capture.batch import capture_batch
from workers.flows.cluster import cluster_segment
from workers.flows.extract import extract_segment
from workers.tasks.runtime import Runtime

LOG = logging.getLogger(__name__)
M = TypeVar("M", bound=TaskMessage)


def _capturing(stopping: Callable[[], bool]) -> Callable[[Archive, CaptureBatch], Awaitable[None]]:
    async def capture(archive: Archive, message: CaptureBatch) -> None:
        ports, settings = archive.capture_ports(), archive.capture_settings()
        await capture_batch(message, ports, settings, archive.transport, archive.robots, stopping)

    return capture


async def _extract(archive: Archive, message: ExtractSegment) -> None:
    await extract_segment(message.receipt_key, archive.extract_ports())
    metrics.SEGMENTS.labels("extracted").inc()


async def _cluster(archive: Archive, message: ClusterSegment) -> None:
    clustered = await cluster_segment(message, archive.cluster_ports())
    metrics.SEGMENTS.labels("clustered").inc()
    metrics.EDGES.labels("yes").inc(clustered.confirmed)
    metrics.EDGES.labels("no").inc(clustered.verdicts - clustered.confirmed)


def register(app: Celery, runtime: Runtime) -> None:
    """Give the application its tasks."""
    _add(app, runtime, CaptureBatch, _capturing(runtime.stopping))
    _add(app, runtime, ExtractSegment, _extract)
    _add(app, runtime, ClusterSegment, _cluster)


def _add(app: Celery, runtime: Runtime, kind: type[M], flow: Callable[[Archive, M], Awaitable[None]]) -> None:
    stage = kind.task.rpartition(".")[2]

    def shell(body: str) -> None:
        message = read_document(body.encode("utf-8"), kind)
        if isinstance(message, DocumentError):
            metrics.ERRORS.labels(stage, "message").inc()
            LOG.error("message dropped task=%s pointer=%s reason=%s", kind.task, message.pointer, message.message)
            return
        started = time.monotonic()
        try:
            runtime.run(lambda archive: flow(archive, message))
        except CitevaultError as error:
            metrics.ERRORS.labels(stage, _root(error)).inc()
            LOG.error("task failed task=%s kind=%s error=%s", kind.task, _root(error), error)
            return
        finally:
            metrics.STAGE_SECONDS.labels(stage).observe(time.monotonic() - started)
        metrics.LAST_WORK.labels(stage).set_to_current_time()

    app.task(name=kind.task, ignore_result=True)(shell)


def _root(error: CitevaultError) -> str:
    if isinstance(error, CorruptError):
        return "corrupt"
    return "retryable" if isinstance(error, RetryableError) else "permanent"
