"""What a pattern asks for, in words, with an example: a person who writes a draft by hand reads no expressions."""

from __future__ import annotations

from typing import Final, get_args

from schemas.records.base import Id, ParameterId, RecordId, Sha256, UtcTime
from schemas.records.claim import ClaimId, EvidenceId, JudgementId
from schemas.records.snapshot import SnapshotId
from schemas.records.source import SourceId
from schemas.records.source_map import ChunkId


def pattern_of(kind: object) -> str:
    """The pattern of a string type of the records."""
    return str(get_args(kind)[1].pattern)


_WORDS: Final = {
    pattern_of(ClaimId): "c- and two to nine digits, such as c-01",
    pattern_of(EvidenceId): "ev- and two to nine digits, such as ev-001",
    pattern_of(JudgementId): "j- and two to nine digits, such as j-001",
    pattern_of(
        SnapshotId
    ): "the id of a snapshot, as `citevault snapshots` prints it: snap-, 12 hex digits, time, 8 more",
    pattern_of(SourceId): "src- and 16 hex digits in lower case",
    pattern_of(ChunkId): "the numbers of a source and of its chunk, such as 1.2",
    pattern_of(Id): "up to 128 of a-z, A-Z, 0-9, dot, _ and -, the first a-z or 0-9, such as report-7",
    pattern_of(
        ParameterId
    ): "up to 128 of a-z, A-Z, 0-9, dot, _, @, + and -, the first a letter or digit, such as plain@1",
    pattern_of(Sha256): "a SHA-256: 64 hex digits in lower case",
    pattern_of(UtcTime): "a time in UTC with Z, such as 2026-08-22T03:15:00Z",
    pattern_of(RecordId): "urn:uuid: and a UUID in lower case",
}


def in_words(pattern: str) -> str:
    """What a value has to be; the pattern itself, where no words are known for it."""
    return _WORDS.get(pattern, f"a string that matches {pattern}")
