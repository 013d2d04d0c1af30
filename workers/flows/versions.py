"""The versions of one snapshot: what each extractor made of the same bytes, and how two texts differ."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from schemas import keys
from schemas.records.snapshot import SnapshotLine
from workers.cite.word_diff import WordChanges, word_changes
from workers.errors import ObjectMissingError, PermanentError
from workers.flows.documents import read_lines_object
from workers.flows.reading import read_text
from workers.ports import ObjectStore

COMPARED: tuple[str, ...] = (
    "extractor", "reader_status", "reader_reason", "text_sha256", "text_chars", "charset", "title", "author",
    "publisher", "published_at", "modified_at", "language", "declared_canonical", "content_sha256",
)  # fmt: skip
MAX_LINES = 200_000
"""Of a text that is compared line by line; a longer one is only told to differ."""
NO_WORDS = WordChanges((), 0)


@dataclass(frozen=True, slots=True)
class Version:
    """A snapshot as one extractor read it. `text` is None where it has none."""

    line: SnapshotLine
    text: str | None

    @property
    def name(self) -> str:
        return f"{self.line.snapshot.id} {self.line.snapshot.extractor or 'no extractor'}"


@dataclass(frozen=True, slots=True)
class Difference:
    """`fields`: those that differ, with both values. `diff`: unified, by lines of the texts; `words`: of them."""

    fields: dict[str, tuple[str | int | None, str | int | None]]
    diff: tuple[str, ...]
    words: WordChanges

    @property
    def same_text(self) -> bool:
        return not self.diff


async def version_of(store: ObjectStore, line: SnapshotLine, extractor: str | None) -> Version:
    """The version that counts, or that which was made by the pipeline of an extractor. PermanentError where there is
    none."""
    if extractor is not None:
        line = await _made_by(store, line, extractor)
    return Version(line, await read_text(store, line))


def compare(left: Version, right: Version) -> Difference:
    """How two versions differ."""
    fields: dict[str, tuple[str | int | None, str | int | None]] = {}
    for name in COMPARED:
        one, other = getattr(left.line.snapshot, name), getattr(right.line.snapshot, name)
        if one != other:
            fields[name] = (one, other)
    if left.text == right.text:
        return Difference(fields, (), NO_WORDS)
    old, new = (left.text or "").splitlines(), (right.text or "").splitlines()
    if max(len(old), len(new)) > MAX_LINES:
        return Difference(fields, (f"the texts differ, and have more than {MAX_LINES} lines",), NO_WORDS)
    lines = difflib.unified_diff(old, new, left.name, right.name, lineterm="")
    return Difference(fields, tuple(lines), word_changes(old, new))


async def _made_by(store: ObjectStore, line: SnapshotLine, extractor: str) -> SnapshotLine:
    key = keys.snapshots(extractor, line.segment_id)
    try:
        lines = await read_lines_object(store, key, SnapshotLine)
    except ObjectMissingError:
        lines = []
    found = next((each for each in lines if each.snapshot.id == line.snapshot.id), None)
    if found is None:
        raise PermanentError(
            f"{extractor} has not read this snapshot",
            where=line.snapshot.id,
            next_step="run `citevault reprocess`, which says the names of the extractors that it has",
        )
    return found
