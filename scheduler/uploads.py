"""Uploads in parts that nobody will finish: their worker was killed, and its file is gone with its machine.

They cost room that no listing of objects shows, so they are aborted. An upload names no worker, and needs none to be
told apart: nobody uses one for longer than `workers.flows.capture.upload.LIVES_SECONDS` after it was begun, and an
orphan is four times as old. Its begin is by the store's clock, from which a machine may not differ by 15 minutes,
or the store refuses it.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

from schemas import keys
from workers import metrics
from workers.ports import Upload, Uploads

LOG = logging.getLogger(__name__)
ORPHANED_AFTER = timedelta(hours=24)
PREFIXES = (keys.WARC, keys.CDXJ, keys.JOBS)
"""Under which objects are stored from files, so that they may go up in parts. A bucket may hold what is not ours."""


async def orphans(uploads: Uploads, *, now: datetime, after: timedelta = ORPHANED_AFTER) -> AsyncIterator[Upload]:
    """Uploads that were begun so long ago. `now`: aware."""
    for prefix in PREFIXES:
        async for upload in uploads.begun(prefix):
            if now - upload.begun_at > after:
                yield upload


async def abort_orphans(uploads: Uploads, *, now: datetime) -> int:
    """Abort them; how many there were."""
    aborted = 0
    async for upload in orphans(uploads, now=now):
        await uploads.abort(upload)
        metrics.UPLOADS.labels("orphaned").inc()
        LOG.warning("orphaned upload aborted key=%s begun_at=%s", upload.key, upload.begun_at.isoformat())
        aborted += 1
    return aborted
