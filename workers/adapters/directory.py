"""`ObjectStore` in a local directory, for machines without an S3 and for tests. One machine only: the conditions of
`create` and `replace` hold between its processes, by link(2) and by a file lock.

A write is fsynced, file and folder, before its name appears. What a crash leaves behind lies in `.incoming`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from workers.adapters.changed import CHANGED, LOOK_AT_DISK
from workers.adapters.directory_names import DirectoryNames, digest_of, disk_errors, sync_folder
from workers.adapters.directory_uploads import DirectoryUploads
from workers.adapters.object_key import checked_prefix
from workers.adapters.threads import Threads
from workers.errors import CorruptError, ObjectMissingError, PermanentError
from workers.ports import ObjectInfo

INCOMING = ".incoming"  # no key begins with a dot
CHUNK = 1024 * 1024
HASHED_ETAG_BYTES = 1024 * 1024


class DirectoryObjectStore:
    """Objects are files below `root`; a key's segments are its folders."""

    def __init__(self, root: Path, *, workers: int = 8) -> None:
        self._root = root.absolute()
        self._names = DirectoryNames(self._root)
        self._threads = Threads(workers, "store")
        self._uploads = DirectoryUploads(self._names, self._threads)

    @property
    def uploads(self) -> DirectoryUploads:
        return self._uploads

    def close(self) -> None:
        """Wait for what runs."""
        self._threads.close()

    async def put(
        self,
        key: str,
        body: bytes | Path,
        *,
        content_type: str = "application/octet-stream",
        sha256: str | None = None,
    ) -> None:
        await self._threads.run(self._put, key, body, sha256)

    async def create(self, key: str, body: bytes | Path, *, content_type: str = "application/octet-stream") -> bool:
        return await self._threads.run(self._create, key, body)

    async def replace(self, key: str, body: bytes, *, etag: str) -> bool:
        return await self._threads.run(self._replace, key, body, etag)

    async def get(self, key: str, *, limit: int | None = None) -> bytes:
        return await self._threads.run(self._get, key, limit)

    async def get_range(self, key: str, offset: int, length: int) -> bytes:
        return await self._threads.run(self._get_range, key, offset, length)

    async def info(self, key: str) -> ObjectInfo | None:
        return await self._threads.run(self._info, key)

    async def delete(self, key: str) -> None:
        await self._threads.run(self._delete, key)

    async def list(self, prefix: str) -> AsyncIterator[str]:
        for key in await self._threads.run(self._keys, prefix):
            yield key

    # --- one blocking call each, run in a thread -------------------------------------------------

    def _put(self, key: str, body: bytes | Path, sha256: str | None) -> None:
        with disk_errors(key), self._incoming(body) as written:
            if sha256 is not None and digest_of(written).hex() != sha256:
                raise CorruptError(CHANGED, where=key, next_step=LOOK_AT_DISK)
            with self._names.locked():
                self._names.publish(key, written.replace)

    def _create(self, key: str, body: bytes | Path) -> bool:
        with disk_errors(key), self._incoming(body) as written:
            try:
                self._names.publish(key, lambda target: os.link(written, target))
            except FileExistsError:
                return digest_of(self._names.path(key)) == digest_of(written)
        return True

    def _replace(self, key: str, body: bytes, etag: str) -> bool:
        with disk_errors(key), self._incoming(body) as written, self._names.locked():
            found = self._info(key)
            if found is None or found.etag != etag:
                return False
            self._names.publish(key, written.replace)
        return True

    def _get(self, key: str, limit: int | None) -> bytes:
        with disk_errors(key), self._names.open(key) as stream:
            size = os.fstat(stream.fileno()).st_size
            if limit is not None and size > limit:
                raise PermanentError(f"the object has {size} bytes, more than {limit}", where=key)
            return stream.read()

    def _get_range(self, key: str, offset: int, length: int) -> bytes:
        with disk_errors(key), self._names.open(key) as stream:
            stream.seek(offset)
            data = stream.read(length)
        if len(data) != length:
            raise CorruptError(
                f"{len(data)} bytes at {offset} instead of {length}",
                where=key,
                next_step="the object is shorter than what names it says: restore it or rebuild the index",
            )
        return data

    def _info(self, key: str) -> ObjectInfo | None:
        try:
            with disk_errors(key), self._names.open(key) as stream:
                return ObjectInfo(key=key, size=os.fstat(stream.fileno()).st_size, etag=_etag(stream))
        except ObjectMissingError:
            return None

    def _delete(self, key: str) -> None:
        with disk_errors(key), suppress(FileNotFoundError), self._names.locked():
            self._names.path(key).unlink()
            sync_folder(self._names.path(key).parent)

    def _keys(self, prefix: str) -> tuple[str, ...]:
        folder = self._root / checked_prefix(prefix).rpartition("/")[0]
        found = []
        with disk_errors(prefix):
            for parent, folders, names in os.walk(folder):
                folders[:] = [name for name in folders if not name.startswith(".")]
                keys = (Path(parent, name).relative_to(self._root).as_posix() for name in names if name[0] != ".")
                found += [key for key in keys if key.startswith(prefix)]
        return tuple(found)

    # --- files -----------------------------------------------------------------------------------

    @contextmanager
    def _incoming(self, body: bytes | Path) -> Iterator[Path]:
        """The bytes as a synced file beside the objects, so that giving it its name is one atomic step."""
        if isinstance(body, Path) and not body.is_file():
            raise PermanentError("the file to store cannot be read", where=str(body))
        folder = self._root / INCOMING
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(dir=folder)
        written = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                if isinstance(body, bytes):
                    stream.write(body)
                else:
                    with body.open("rb") as source:
                        shutil.copyfileobj(source, stream, CHUNK)
                stream.flush()
                os.fsync(stream.fileno())
            yield written
        finally:
            with suppress(FileNotFoundError):
                written.unlink()


def _etag(stream: BinaryIO) -> str:
    """Changes with the bytes: their digest where that is quick, else what the file system says of the file."""
    facts = os.fstat(stream.fileno())
    if facts.st_size <= HASHED_ETAG_BYTES:
        return hashlib.sha256(stream.read()).hexdigest()[:32]
    return f"{facts.st_ino:x}-{facts.st_mtime_ns:x}-{facts.st_size:x}"
