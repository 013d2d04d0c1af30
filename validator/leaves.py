"""One leaf file of the log, streamed: digest of the stored object, form, order and ids of its leaves."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

from schemas import ids
from schemas.findings import FindingKind
from schemas.merkle import leaf_hash
from schemas.reading import DocumentError, LineLimits, read_lines
from schemas.records.manifest import Leaf
from validator.form import canonical_form
from validator.found import Found
from validator.inclusion import check_text_binding
from validator.limits import LIMITS
from validator.place import Place, Unavailable

GZIP_MAGIC: Final = b"\x1f\x8b"
LINES: Final = LineLimits(max_line_bytes=LIMITS.small_file, max_total_bytes=1024 * LIMITS.small_file)


@dataclass(frozen=True, slots=True)
class LeafFile:
    """What was read of a file. `hashes` are of the lines' bytes, whatever they say."""

    hashes: list[bytes]
    sha256: str
    whole: bool
    """Whether every line was seen."""


def read_leaf_file(place: Place, path: str, each: Callable[[Leaf, int], None], found: Found) -> LeafFile | None:
    """Read a leaf file and report on its lines; `each` is called with every good leaf and its line number."""
    opened = place.open(path, LIMITS.compressed_record)
    if isinstance(opened, Unavailable):
        found.add(opened.kind, path=path, detail=opened.detail)
        return None
    with opened:
        try:
            return _read(opened, path, each, found)
        except OSError as error:
            found.add(FindingKind.FILE_UNREADABLE, path=path, detail=error.strerror or "")
            return None


def _read(opened: BinaryIO, path: str, each: Callable[[Leaf, int], None], found: Found) -> LeafFile:
    hashing = _Hashing(opened)
    buffered = io.BufferedReader(hashing, LIMITS.piece)
    if not buffered.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
        # Its lines are looked at all the same: they may be the committed ones, in a form that nobody promised.
        found.add(FindingKind.LEAF_UNREADABLE, path=path, expected="a gzip object", actual="no gzip magic number")
    stream = cast(BinaryIO, buffered)
    hashes: list[bytes] = []
    previous = ""
    whole = True
    for line in read_lines(stream, Leaf, limits=LINES):
        if isinstance(line.value, DocumentError):
            found.add(FindingKind.LEAF_UNREADABLE, path=path, pointer=f"/{line.number - 1}", actual=line.value)
            if not line.data:
                whole = False  # the file itself is broken, and this is its last item
                break
        elif len(hashes) >= LIMITS.leaves_per_manifest:
            whole = False
            break
        hashes.append(leaf_hash(line.data))
        if isinstance(line.value, Leaf):
            _check_leaf(line.value, line.data, line.number, previous, path, found)
            previous = line.value.snapshot_id
            each(line.value, line.number)
    while stream.read(LIMITS.piece):
        pass
    return LeafFile(hashes, hashing.hexdigest(), whole)


def _check_leaf(leaf: Leaf, data: bytes, number: int, previous: str, path: str, found: Found) -> None:
    found.looked_at("leaves")
    where = f"/{number - 1}"
    named = (leaf.snapshot_id,)
    if canonical_form(leaf) != data:
        found.add(FindingKind.LEAF_UNREADABLE, path=path, pointer=where, ids=named, expected="RFC 8785 form")
    if leaf.snapshot_id < previous:
        found.add(FindingKind.LEAF_ORDER, path=path, pointer=where, ids=named, expected=f"after {previous}")
    source = ids.source_id(leaf.normalized_url)
    response = next((r.record_id for r in leaf.records if r.role == "response"), "")
    own = ids.snapshot_id(source, leaf.retrieved_at, response)
    if (source, own) != (leaf.source_id, leaf.snapshot_id):
        found.add(
            FindingKind.LEAF_ID_NOT_DERIVED,
            path=path,
            pointer=where,
            ids=named,
            expected=f"{source} {own}",
            actual=f"{leaf.source_id} {leaf.snapshot_id}",
        )
    check_text_binding(leaf, f"{where}/records", path, found)


class _Hashing(io.RawIOBase):
    """A stream that hashes what goes through it: the digest is of the stored gzip object."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        self._digest.update(data)
        buffer[: len(data)] = data
        return len(data)

    def hexdigest(self) -> str:
        return self._digest.hexdigest()
