"""Where the input lies: what every check needs of a folder or a bucket, and how it fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from schemas.findings import FindingKind


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why a file cannot be looked at: one of the `file.*` findings, with a word on it."""

    kind: FindingKind
    detail: str


class Place(Protocol):
    """A tree of files under relative names with `/`."""

    def open(self, name: str, max_bytes: int) -> BinaryIO | Unavailable:
        """The whole file, to be closed by the caller."""
        ...

    def open_range(self, name: str, offset: int, length: int, max_bytes: int) -> BinaryIO | Unavailable:
        """A part of it; it ends early where the file does."""
        ...

    def names(self, prefix: str) -> Iterator[str] | Unavailable:
        """Names below a prefix that ends in `/`, or all names below the empty one, in any order. None is no error."""
        ...


def read_all(place: Place, name: str, max_bytes: int) -> bytes | Unavailable:
    """A small file, whole."""
    stream = place.open(name, max_bytes)
    if isinstance(stream, Unavailable):
        return stream
    with stream:
        try:
            data = stream.read(max_bytes + 1)
        except OSError as error:
            return Unavailable(FindingKind.FILE_UNREADABLE, error.strerror or "it cannot be read")
    if len(data) > max_bytes:
        return Unavailable(FindingKind.FILE_TOO_LARGE, f"More than {max_bytes} bytes.")
    return data
