"""A ZIP file as a `Place`: a WACZ that carries a bundle, or a bundle that somebody packed.

Written for strangers' files: two entries of one name, encrypted ones, links, and names that lead outside are refused
or reported, sizes are checked before anything is unpacked, and a part of a stored entry (as WACZ stores its WARC
files) is read from where it lies, so that many records cost no more than one.
"""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast

from schemas.findings import FindingKind
from validator.limits import LIMITS
from validator.paths import is_safe_name
from validator.place import Unavailable
from validator.settings import RefusedInputError
from validator.warc import Slice

LOCAL_HEADER: Final = 30
ENCRYPTED: Final = 0x1
READABLE: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Zipped:
    """The files of a ZIP, by name. Directories are none."""

    def __init__(self, archive: zipfile.ZipFile, stream: BinaryIO) -> None:
        self._archive = archive
        self._stream = stream
        self._entries: dict[str, zipfile.ZipInfo] = {}
        self._unpacked: dict[str, BinaryIO] = {}
        self._damaged: set[str] = set()
        for entry in archive.infolist():
            if entry.is_dir():
                continue
            if entry.filename in self._entries:
                raise RefusedInputError("the ZIP has two entries of one name; readers would disagree about it")
            self._entries[entry.filename] = entry

    @classmethod
    def at(cls, path: Path, scratch: ExitStack) -> Zipped:
        """Open until `scratch` ends. Raises RefusedInputError where the file is no ZIP that can be read."""
        try:
            stream = scratch.enter_context(path.open("rb"))
            archive = scratch.enter_context(zipfile.ZipFile(stream))
        except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError, EOFError):
            raise RefusedInputError(
                "neither a folder nor a ZIP that can be read (WACZ); name the folder that holds bundle.json"
            ) from None
        if len(archive.infolist()) > LIMITS.zip_entries:
            raise RefusedInputError(f"a ZIP with more than {LIMITS.zip_entries} entries")
        zipped = cls(archive, stream)
        scratch.callback(zipped.forget)
        return zipped

    def forget(self) -> None:
        """Give back the space of what was unpacked."""
        for unpacked in self._unpacked.values():
            unpacked.close()

    def open(self, name: str, max_bytes: int) -> BinaryIO | Unavailable:
        entry = self._entry(name)
        if isinstance(entry, Unavailable):
            return entry
        if entry.file_size > max_bytes:
            return Unavailable(
                FindingKind.FILE_TOO_LARGE, f"It has {entry.file_size} bytes, at most {max_bytes} are read."
            )
        try:
            return cast(BinaryIO, io.BufferedReader(_Checked(self._archive.open(entry))))
        except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
            return Unavailable(FindingKind.FILE_UNREADABLE, "Its ZIP entry is damaged.")

    def open_range(self, name: str, offset: int, length: int, max_bytes: int) -> BinaryIO | Unavailable:
        if length > max_bytes:
            return Unavailable(
                FindingKind.FILE_TOO_LARGE, f"The part has {length} bytes, at most {max_bytes} are read."
            )
        entry = self._entry(name)
        if isinstance(entry, Unavailable):
            return entry
        try:
            whole, start = self._whole(entry)
        except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
            return Unavailable(FindingKind.FILE_UNREADABLE, "Its ZIP entry is damaged.")
        left = max(0, min(length, entry.file_size - offset))
        return cast(BinaryIO, io.BufferedReader(Slice(whole, start + offset, left)))

    def names(self, prefix: str) -> Iterator[str] | Unavailable:
        return iter(sorted(name for name in self._entries if name.startswith(prefix)))

    def _entry(self, name: str) -> zipfile.ZipInfo | Unavailable:
        if not is_safe_name(name):
            return Unavailable(FindingKind.FILE_UNSAFE_PATH, "")
        entry = self._entries.get(name)
        if entry is None:
            return Unavailable(FindingKind.FILE_MISSING, "")
        if stat.S_ISLNK(entry.external_attr >> 16):
            return Unavailable(FindingKind.FILE_NOT_REGULAR, "A link.")
        if entry.flag_bits & ENCRYPTED or entry.compress_type not in READABLE:
            return Unavailable(FindingKind.FILE_UNREADABLE, "It is encrypted, or packed by a method not known here.")
        return entry

    def _whole(self, entry: zipfile.ZipInfo) -> tuple[BinaryIO, int]:
        """A stream with the entry's bytes in it, and where they begin."""
        if entry.compress_type == zipfile.ZIP_STORED:
            self._stream.seek(entry.header_offset)
            header = self._stream.read(LOCAL_HEADER)
            if len(header) < LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
                raise zipfile.BadZipFile
            lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
            return self._stream, entry.header_offset + LOCAL_HEADER + lengths
        if entry.filename in self._damaged or entry.file_size > LIMITS.unpacked:
            raise OSError
        unpacked = self._unpacked.get(entry.filename)
        return (unpacked or self._unpack(entry)), 0

    def _unpack(self, entry: zipfile.ZipInfo) -> BinaryIO:
        """Once, whole; what fails once is not tried again."""
        unpacked = cast(BinaryIO, SpooledTemporaryFile(LIMITS.memory))  # noqa: SIM115 -- lives as long as the ZIP
        self._unpacked[entry.filename] = unpacked
        self._damaged.add(entry.filename)
        with self._archive.open(entry) as packed:
            while piece := packed.read(LIMITS.piece):
                unpacked.write(piece)
        self._damaged.discard(entry.filename)
        return unpacked


class _Checked(io.RawIOBase):
    """An entry whose damage is an OSError, as a file's is."""

    def __init__(self, stream: zipfile.ZipExtFile | object) -> None:
        self._stream = cast(BinaryIO, stream)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._stream.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise OSError(0, "its ZIP entry is damaged") from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
