"""Visits the hostile server with the real data plane: frontier, capture flow, WARC, S3, receipt, extraction.

The steps are those of a running system, one after the other in this process, so that a test can take them too.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aiohttp.abc import AbstractResolver, ResolveResult
from ulid import ULID

from deploy.hostile import limits
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.ids import job_id, ulid_time
from schemas.messages import CaptureBatch
from schemas.records.job import JobOptions, Lane, StoredJob
from schemas.records.outcome import UrlOutcome
from schemas.records.receipt import Receipt
from schemas.records.snapshot import Snapshot
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.adapters.http.fetcher import Fetcher
from workers.bootstrap import Archive
from workers.capture.transport import Transport
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.capture.settings import CaptureSettings
from workers.flows.documents import read_object
from workers.flows.extract import extract_segment
from workers.frontier.urls import politeness_key
from workers.ports import Batch, QueuedUrl

AT_ONCE = 2
"""Batches side by side in one process, as two workers would take them."""
HOSTS_IN_A_BATCH = 64


class NoNames(AbstractResolver):
    """Asks no name server: some cases redirect to sites of the world, which have nothing to do with them."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """No host has an address."""
        raise OSError(None, "names are not looked up here")

    async def close(self) -> None:
        """There is nothing to give back."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the archive holds after the visit."""

    receipts: tuple[Receipt, ...]
    files: Mapping[str, bytes]
    """WARC files by key."""
    index: bytes
    """All CDXJ lines, sorted."""
    snapshots: Mapping[str, Snapshot]
    """By requested URL."""

    def outcomes(self) -> dict[str, tuple[UrlOutcome, str]]:
        """What became of each requested URL, and the key of the WARC file that holds it."""
        return {
            outcome.requested_url: (outcome, receipt.warc.key)
            for receipt in self.receipts
            if receipt.warc is not None
            for outcome in receipt.outcomes
        }


async def visit_all(archive: Archive, epoch: int, urls: Sequence[str]) -> Run:
    """Capture and extract these URLs as one job."""
    job = await _admit(archive, urls)
    async with Fetcher(resolver=NoNames()) as transport:
        await _capture_all(archive, epoch, transport)
    found = sorted([key async for key in archive.store.list(keys.receipts(job.id))])
    receipts = [await read_object(archive.store, key, Receipt) for key in found]
    for key in found:
        await extract_segment(key, archive.extract_ports())
    lines = [await archive.catalog.snapshot(found) for found in await archive.catalog.snapshots_of_job(job.id)]
    index = [await archive.store.get(receipt.cdxj.key) for receipt in receipts if receipt.cdxj is not None]
    return Run(
        receipts=tuple(receipts),
        files={receipt.warc.key: await archive.store.get(receipt.warc.key) for receipt in receipts if receipt.warc},
        index=b"".join(sorted(line for part in index for line in part.splitlines(keepends=True))),
        snapshots={line.snapshot.requested_url: line.snapshot for line in lines if line is not None},
    )


def hostile_settings(archive: Archive) -> CaptureSettings:
    """Those of the archive, with patience for seconds only."""
    settings = archive.capture_settings()
    return replace(settings, limits=limits.FETCH_LIMITS)


async def _capture_all(archive: Archive, epoch: int, transport: Transport) -> None:
    """Side by side, since most of the time goes into waiting for servers that say nothing."""
    while batches := await archive.frontier.release(now_ms=_now_ms(archive), batches=AT_ONCE, urls=HOSTS_IN_A_BATCH):
        await asyncio.gather(*(_capture(archive, epoch, batch, transport) for batch in batches))


async def _capture(archive: Archive, epoch: int, batch: Batch, transport: Transport) -> None:
    message = CaptureBatch(
        schema="citevault/capture-batch@1",
        lane=batch.lane,
        job_id=batch.job_id,
        batch_id=batch.batch_id,
        epoch=epoch,
    )
    settings = hostile_settings(archive)
    await capture_in_turn(message, archive.capture_ports(), settings, transport, archive.robots, most=1)


async def _admit(archive: Archive, urls: Sequence[str]) -> StoredJob:
    identifier = job_id(str(ULID()))
    job = StoredJob(
        schema="citevault/stored-job@1",
        id=identifier,
        collection="hostile",
        lane=Lane.BULK,
        created_at=ulid_time(identifier),
        options=JobOptions(requisites=False),
        seed_parts=(),
        lines=len(urls),
        seeds=len(urls),
        duplicates=0,
        bad_lines=0,
    )
    await archive.store.create(keys.job(job.id, job.created_at), canonical_bytes(job))
    await archive.frontier.open_job(job)
    await archive.frontier.admit(job.id, [_queued(url) for url in urls])
    await archive.frontier.close_intake(job.id)
    return job


def _queued(url: str) -> QueuedUrl:
    identity = identity_of_request(url)
    if isinstance(identity, UrlError):
        raise ValueError(f"{url} is no URL: {identity.message}")  # noqa: TRY004 (the value is wrong, not its type)
    return QueuedUrl(url, identity.url, politeness_key(identity.url))


def _now_ms(archive: Archive) -> int:
    return int(archive.clock.now().timestamp() * 1000)
