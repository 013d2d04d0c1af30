"""A file cut into parts for its upload: which of them are durable, and whether parts that a store has are of it.

All parts but the last have the same size (some stores ask for that), so where a part lies follows from its number. A
part may end within a record; what is below the last fsynced whole record is all that may go up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workers.ports import FilePart, UploadedPart

PART_BYTES = 8 * 1024 * 1024
"""Above S3's 5 MiB. 10,000 of them are 78 GiB: more than the longest segment, whose last record may have 64 GiB."""
READ_BYTES = 1024 * 1024


@dataclass(slots=True)
class FileParts:
    """The parts of one file that are in a store, from the first on, and the digest over all that was read of it."""

    part_bytes: int
    sent: list[UploadedPart] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    """SHA-256 of each, by the file."""
    size: int = 0
    """Bytes of the file that they hold."""
    _whole: hashlib._Hash = field(default_factory=hashlib.sha256)

    @property
    def sha256(self) -> str:
        """Of those that were read, 64 hex."""
        return self._whole.hexdigest()

    def next(self, upto: int, *, last: bool) -> tuple[int, int] | None:
        """Offset and size of the part that goes up next, of a file of which `upto` bytes are durable; None: there is
        none yet. `last`: the file ends there, so that the rest is a part too."""
        size = min(self.part_bytes, upto - self.size)
        return (self.size, size) if size == self.part_bytes or (last and size > 0) else None

    def read(self, path: Path, offset: int, size: int) -> tuple[FilePart, hashlib._Hash]:
        """A part as the file has it now, and the digest over everything up to its end. Reads in pieces of 1 MiB.
        OSError; EOFError where the file ends before."""
        own, whole, left = hashlib.sha256(), self._whole.copy(), size
        with path.open("rb") as file:
            file.seek(offset)
            while left:
                piece = file.read(min(READ_BYTES, left))
                if not piece:
                    raise EOFError(f"{path} ends {left} bytes before the part does")
                own.update(piece)
                whole.update(piece)
                left -= len(piece)
        return FilePart(path, offset, size, own.hexdigest()), whole

    def add(self, part: UploadedPart, sha256: str, whole: hashlib._Hash | None = None) -> None:
        """The next part is in the store. `whole`: where it was read, the digest up to its end."""
        self.sent.append(part)
        self.digests.append(sha256)
        self.size += part.size
        if whole is not None:
            self._whole = whole


def match(path: Path, size: int, part_bytes: int, listed: Sequence[UploadedPart]) -> FileParts | str:
    """The parts that a store lists, held against a file of `size` bytes; or why they are not its beginning. Every byte
    below their end is read."""
    found = FileParts(part_bytes)
    by_number: dict[int, UploadedPart] = {}
    for part in listed:
        known = by_number.setdefault(part.number, part)
        if (known.size, known.etag, known.sha256) != (part.size, part.etag, part.sha256):
            return f"part {part.number} is there twice, and not the same"
    for number, part in sorted(by_number.items()):
        if number != len(found.sent) + 1:
            return f"part {len(found.sent) + 1} is missing"
        place = found.next(size, last=True)
        if place is None or part.size != place[1]:
            return f"part {number} has {part.size} bytes, and the file has others there"
        ours, whole = found.read(path, *place)
        if part.sha256 is not None and part.sha256 != ours.sha256:
            return f"part {number} has other bytes than the file"
        found.add(part, ours.sha256, whole)
    return found
