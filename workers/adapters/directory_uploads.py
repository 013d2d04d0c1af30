"""`Uploads` in a directory store: a folder an upload, in which one file grows, and beside it a list of its parts.

A part is in the list once its bytes are durable. Completing gives the file its name, so nothing is copied twice.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256 as new_sha256
from pathlib import Path

from workers.adapters.changed import CHANGED, GIVES_BACK_OTHERS, LOOK_AT_DISK, STOP_WRITING
from workers.adapters.directory_names import DirectoryNames, digest_of, disk_errors, locked_file, sync_folder
from workers.adapters.file_span import FileSpan
from workers.adapters.object_key import checked, checked_prefix
from workers.adapters.threads import Threads
from workers.errors import CorruptError, PermanentError, RetryableError, UploadLostError
from workers.ports import FilePart, Upload, UploadedPart

FOLDER = ".uploads"  # no key begins with a dot
KEY, DATA, PARTS = "key", "data", "parts.json"
CHUNK = 1024 * 1024


class DirectoryUploads:
    """The unfinished uploads of one store."""

    def __init__(self, names: DirectoryNames, threads: Threads) -> None:
        self._names = names
        self._root = names.root / FOLDER
        self._run = threads.run

    async def begin(self, key: str, *, content_type: str = "application/octet-stream") -> Upload:
        return await self._run(self._begin, key)

    async def send(self, upload: Upload, number: int, part: FilePart) -> UploadedPart:
        return await self._run(self._send, upload, number, part)

    async def parts(self, upload: Upload) -> Sequence[UploadedPart]:
        return await self._run(self._parts, upload)

    async def complete(
        self, upload: Upload, parts: Sequence[UploadedPart], digests: Sequence[str], *, sha256: str
    ) -> None:
        await self._run(self._complete, upload, parts, digests, sha256)

    async def abort(self, upload: Upload) -> None:
        await self._run(self._abort, upload)

    async def begun(self, prefix: str) -> AsyncIterator[Upload]:
        for upload in await self._run(self._begun, prefix):
            yield upload

    # --- one blocking call each, run in a thread -------------------------------------------------

    def _begin(self, key: str) -> Upload:
        name = secrets.token_hex(16)
        folder, coming = self._root / name, self._root / f".{name}"
        with disk_errors(checked(key)):
            coming.mkdir(parents=True, mode=0o700)
            (coming / KEY).write_text(key, encoding="ascii")
            coming.rename(folder)  # nobody ever sees it without its key
            sync_folder(self._root)
            return Upload(key, name, _begun_at(folder))

    def _send(self, upload: Upload, number: int, part: FilePart) -> UploadedPart:
        with disk_errors(upload.key), self._held(upload) as folder:
            before = _listed(folder)[: number - 1]
            if len(before) < number - 1:
                raise PermanentError(f"part {number} comes before part {len(before) + 1}", where=upload.key)
            _list(folder, before)
            with FileSpan(part.path, part.offset, part.size) as span, (folder / DATA).open("ab") as data:
                data.truncate(sum(each.size for each in before))
                shutil.copyfileobj(span, data, CHUNK)
                data.flush()
                os.fsync(data.fileno())
            new = UploadedPart(number, part.size, part.sha256, part.sha256)
            if _digest_at(folder / DATA, sum(each.size for each in before), part.size) != part.sha256:
                raise RetryableError(CHANGED, where=str(part.path), next_step=LOOK_AT_DISK)
            _list(folder, [*before, new])
            return new

    def _parts(self, upload: Upload) -> Sequence[UploadedPart]:
        with disk_errors(upload.key), self._held(upload) as folder:
            return _listed(folder)

    def _complete(self, upload: Upload, parts: Sequence[UploadedPart], digests: Sequence[str], sha256: str) -> None:
        with disk_errors(upload.key):
            try:
                with self._held(upload) as folder:
                    if _listed(folder)[: len(parts)] != list(parts) or [part.sha256 for part in parts] != list(digests):
                        raise UploadLostError("the store has other parts", where=upload.key)
                    os.truncate(folder / DATA, sum(part.size for part in parts))
                    if digest_of(folder / DATA).hex() != sha256:
                        raise CorruptError(GIVES_BACK_OTHERS, where=upload.key, next_step=STOP_WRITING)
                    with self._names.locked():
                        self._names.publish(upload.key, (folder / DATA).replace)
                    shutil.rmtree(folder)
            except UploadLostError:
                if not self._is_there(upload.key, sha256):
                    raise

    def _is_there(self, key: str, sha256: str) -> bool:
        path = self._names.path(key)
        return path.is_file() and digest_of(path).hex() == sha256

    def _abort(self, upload: Upload) -> None:
        with disk_errors(upload.key):
            shutil.rmtree(self._root / upload.id, ignore_errors=True)

    def _begun(self, prefix: str) -> Sequence[Upload]:
        checked_prefix(prefix)
        found = []
        with disk_errors(prefix):
            folders = sorted(self._root.iterdir()) if self._root.is_dir() else []
            for folder in folders:
                try:
                    key = (folder / KEY).read_text(encoding="ascii")
                    upload = Upload(key, folder.name, _begun_at(folder))
                except (FileNotFoundError, NotADirectoryError):  # completed or aborted just now
                    continue
                if key.startswith(prefix):
                    found.append(upload)
        return found

    @contextmanager
    def _held(self, upload: Upload) -> Iterator[Path]:
        """The folder of an upload, for one process at a time."""
        folder = self._root / upload.id
        if not (folder / KEY).is_file():
            raise UploadLostError("the upload is gone", where=upload.key, next_step="upload again from the start")
        with locked_file(folder / KEY):
            yield folder


def _begun_at(folder: Path) -> datetime:
    return datetime.fromtimestamp((folder / KEY).stat().st_mtime, UTC)


def _listed(folder: Path) -> list[UploadedPart]:
    try:
        listed = json.loads((folder / PARTS).read_bytes())
    except FileNotFoundError:
        return []
    return [UploadedPart(number, size, sha256, sha256) for number, (size, sha256) in enumerate(listed, start=1)]


def _list(folder: Path, parts: Sequence[UploadedPart]) -> None:
    """Write the list, in one step."""
    coming = folder / f"{PARTS}.coming"
    with coming.open("w", encoding="ascii") as file:
        json.dump([(part.size, part.sha256) for part in parts], file)
        file.flush()
        os.fsync(file.fileno())
    coming.replace(folder / PARTS)
    sync_folder(folder)


def _digest_at(path: Path, offset: int, size: int) -> str:
    digest = new_sha256()
    with FileSpan(path, offset, size) as span:
        while piece := span.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()
