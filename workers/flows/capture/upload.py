"""A segment goes up while it is still written, so that its commit waits for its last part only.

What is durable is sent in the background, in parts of one size, one at a time; no visit ever waits for it. When the
file is closed the rest follows, and the upload is completed and confirmed. A file that never filled a part, and
one whose upload came to nothing, is stored by one PUT: an upload saves time, and nothing rests on it.

The digest of a part is of what was written to the file: the store refuses other bytes, so that what it has is what was
captured and not what a disk gave back. Of a file that was left it is made of the file, and so is that of all parts.

Uploads are found by their key alone, so a file that was left is gone on with by whoever takes it. Nobody uses one
for longer than `LIVES_SECONDS`: what is much older belongs to nobody, and may be aborted (`scheduler.uploads`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from workers import metrics
from workers.archive.file_parts import FileParts, match
from workers.archive.segment import ClosedSegment
from workers.errors import CitevaultError, PermanentError, RetryableError, UploadLostError
from workers.ports import Clock, FilePart, ObjectStore, Upload

LOG = logging.getLogger(__name__)
CONTENT_TYPE = "application/warc"
LIVES_SECONDS = 6 * 3600.0
"""Far beyond what a batch takes (minutes), far below what is taken for an orphan."""
PAUSE_SECONDS = (1.0, 2.0, 4.0, 8.0, 15.0)
ABORT_SECONDS = 5.0
OTHER_BYTES = "the file holds other bytes than were written to it"
NO_FILE = (OSError, EOFError)
"""The file cannot be read, or ends too soon. Whether it can be stored at all shows when it is stored whole."""


class SegmentUpload:
    """The way of one segment into the store. Belongs to one event loop."""

    def __init__(
        self,
        store: ObjectStore,
        clock: Clock,
        key: str,
        path: Path,
        part_bytes: int,
        *,
        written: Callable[[], Sequence[str]] = tuple,
        left: bool = False,
    ) -> None:
        """`path`: the file while it is open. `written`: the digests of its parts, as they were written to it. `left`:
        another worker left it, and perhaps an upload."""
        self._store = store
        self._clock = clock
        self._key = key
        self._path = path
        self._written = written
        self._left = left
        self._parts = FileParts(part_bytes)
        self._upload: Upload | None = None
        self._sending: asyncio.Task[None] | None = None
        self._failures = 0
        self._not_before = 0.0
        self._off = False
        """Nothing goes up in parts any more."""

    def go_on(self, durable: int) -> None:
        """Send in the background what fills parts of the first `durable` bytes. Returns at once; what fails is tried
        again by a later call."""
        busy = self._sending is not None and not self._sending.done()
        if busy or self._off or self._clock.monotonic() < self._not_before:
            return
        if self._parts.next(durable, last=False) is not None:
            self._sending = asyncio.create_task(self._send_ahead(durable))

    async def finish(self, closed: ClosedSegment) -> None:
        """Send what is left, complete and confirm. Called again after a RetryableError, it goes on where it was."""
        if self._sending is not None:
            await self._sending
        if self._left:
            await self._look_up(closed)
        if self._upload is not None and not await self._completed(closed):
            await self._abort(self._upload)
            self._forget()
            self._off = True
        if self._upload is None:
            await self._store.put(self._key, closed.path, content_type=CONTENT_TYPE, sha256=closed.sha256)

    async def stop(self, *, abort: bool) -> None:
        """Send nothing more. What is there stays for who takes the file next, or is given up with the file."""
        self._off = True
        sending = self._sending
        if sending is not None:
            # An abort that overtakes a part leaves that part behind.
            await asyncio.wait({sending}, timeout=ABORT_SECONDS if abort else 0)
            sending.cancel()
            await asyncio.wait({sending})
        if abort and self._upload is not None:
            await self._abort(self._upload)

    async def _send_ahead(self, durable: int) -> None:
        try:
            await self._send(self._path, durable, self._written())
            self._failures = 0
        except RetryableError as error:
            if isinstance(error, UploadLostError):
                self._forget()
            pause = PAUSE_SECONDS[min(self._failures, len(PAUSE_SECONDS) - 1)]
            self._failures += 1
            self._not_before = self._clock.monotonic() + pause
            metrics.ERRORS.labels("upload", "retryable").inc()
            LOG.warning("part waits key=%s error=%s pause=%.1f", self._key, error, pause)
        except (CitevaultError, *NO_FILE) as error:
            self._off = self._path.exists()  # else it was closed just now: `finish` knows its name
            level = logging.WARNING if self._off else logging.INFO
            LOG.log(level, "no more parts ahead key=%s error=%s", self._key, error)

    async def _send(self, path: Path, upto: int, written: Sequence[str], *, last: bool = False) -> None:
        """`written`: digests of all parts up to there, or none, where the file must be read for them."""
        while not self._off and (place := self._parts.next(upto, last=last)) is not None:
            number, whole = len(self._parts.sent), None
            if written:
                part = FilePart(path, *place, written[number])
            else:
                part, whole = await asyncio.to_thread(self._parts.read, path, *place)
            if self._upload is None:
                self._upload = await self._store.uploads.begin(self._key, content_type=CONTENT_TYPE)
            self._check_age(self._upload)
            try:
                sent = await self._store.uploads.send(self._upload, number + 1, part)
            except RetryableError:  # of a checksum, a store says that something went wrong on the way
                await self._check_file(part)
                raise
            self._parts.add(sent, part.sha256, whole)

    async def _check_file(self, part: FilePart) -> None:
        found, _ = await asyncio.to_thread(self._parts.read, part.path, part.offset, part.size)
        if found.sha256 != part.sha256:
            raise PermanentError(OTHER_BYTES, where=str(part.path))

    async def _completed(self, closed: ClosedSegment) -> bool:
        """Whether the upload became the object. Not: it is of no use."""
        upload, parts = self._upload, self._parts
        if upload is None or self._off:
            return False
        try:
            await self._send(closed.path, closed.size, closed.part_digests, last=True)
            if not closed.part_digests and parts.sha256 != closed.sha256:
                raise UploadLostError(OTHER_BYTES, where=str(closed.path))
            self._check_age(upload)
            await self._store.uploads.complete(upload, parts.sent, parts.digests, sha256=closed.sha256)
        except (UploadLostError, PermanentError, *NO_FILE) as error:
            LOG.warning("stored whole after all key=%s error=%s", self._key, error)
            return False
        metrics.UPLOADS.labels("completed").inc()
        return True

    async def _look_up(self, closed: ClosedSegment) -> None:
        """Find the upload that the file's last worker had begun, and give up what is not of the file as it is now."""
        self._forget()
        try:
            async for upload in self._store.uploads.begun(self._key):
                if upload.key == self._key:
                    await self._take(upload, closed)
        except (PermanentError, *NO_FILE) as error:
            LOG.warning("uploads not looked up key=%s error=%s", self._key, error)
        self._left = False

    async def _take(self, upload: Upload, closed: ClosedSegment) -> None:
        try:
            self._check_age(upload)
            listed = await self._store.uploads.parts(upload)
        except UploadLostError as error:
            found: FileParts | str = error.what
        else:
            found = await asyncio.to_thread(match, closed.path, closed.size, self._parts.part_bytes, listed)
        if isinstance(found, FileParts) and found.size > self._parts.size:
            useless, self._upload, self._parts = self._upload, upload, found
            metrics.UPLOADS.labels("resumed").inc()
            LOG.info("upload gone on with key=%s parts=%d bytes=%d", self._key, len(found.sent), found.size)
        else:
            useless = upload
            why = found if isinstance(found, str) else "it holds no more than another"
            LOG.info("upload of no use key=%s reason=%s", self._key, why)
        if useless is not None:
            await self._abort(useless)

    def _check_age(self, upload: Upload) -> None:
        if (self._clock.now() - upload.begun_at).total_seconds() > LIVES_SECONDS:
            raise UploadLostError("the upload is too old to be gone on with", where=self._key)

    def _forget(self) -> None:
        self._upload, self._parts = None, FileParts(self._parts.part_bytes)

    async def _abort(self, upload: Upload) -> None:
        """Give its parts up, if that can be had within seconds; else it stays for the sweep."""
        try:
            await asyncio.wait_for(self._store.uploads.abort(upload), ABORT_SECONDS)
            metrics.UPLOADS.labels("aborted").inc()
        except (CitevaultError, TimeoutError) as error:
            LOG.warning("upload not aborted key=%s error=%s", self._key, error)
