"""Forgeries of the log itself, which `manifest` has to see. Some only against a checkpoint: the log is whole."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass

from schemas.findings import FindingKind as K
from validator.heads import head_name
from validator.selftest.log import FOLDER, ForgedLog
from validator.selftest.signing import STRANGER

Edit = Callable[[ForgedLog], object]


@dataclass(frozen=True, slots=True)
class LogMutant:
    """One forgery of a log. `edit` before it is committed, `after` when it has been."""

    name: str
    expected: K | None
    edit: Edit | None = None
    after: Edit | None = None


def reordered(log: ForgedLog) -> None:
    """The second and third head change places, with their envelopes."""
    second, third = log.heads[1], log.heads[2]
    log.put(third, 2)
    log.put(second, 3)


def relinked(log: ForgedLog) -> None:
    """Another predecessor, signed by the publisher."""
    log.put({**log.heads[2], "previous_sha256": "0" * 64})


def missing(log: ForgedLog) -> None:
    for name in [name for name in log.files if name.startswith(f"{FOLDER}0000000002")]:
        del log.files[name]


def leaf_edited(log: ForgedLog) -> None:
    path = log.path(2, ".leaves.jsonl.gz")
    log.files[path] = gzip.compress(gzip.decompress(log.files[path]).replace(b'"visit"', b'"vizit"') + b"\n", mtime=0)


def leaf_dropped(log: ForgedLog) -> None:
    path = log.path(1, ".leaves.jsonl.gz")
    lines = gzip.decompress(log.files[path]).splitlines(keepends=True)
    log.files[path] = gzip.compress(b"".join(lines[:-1]), mtime=0)


def rerooted(log: ForgedLog) -> None:
    log.put({**log.heads[2], "root_sha256": "0" * 64})


def resigned(log: ForgedLog) -> None:
    log.put(log.heads[2], signer=STRANGER)


def unsigned(log: ForgedLog) -> None:
    del log.files[log.path(3, ".dsse.json")]


def rolled_back(log: ForgedLog) -> None:
    """The last manifest never was; what is left is whole."""
    log.batches.pop()


def forked(log: ForgedLog) -> None:
    """Another history, whole and signed by the publisher."""
    log.batches[1], log.batches[2] = log.batches[2], log.batches[1]


def disordered(log: ForgedLog) -> None:
    log.batches[0].reverse()


def misnamed(log: ForgedLog) -> None:
    log.batches[0][0] = {**log.batches[0][0], "normalized_url": "https://elsewhere.example/"}


def unbound(log: ForgedLog) -> None:
    leaf = log.batches[2][0]
    log.batches[2][0] = {**leaf, "text_sha256": "0" * 64}


def head_spoilt(log: ForgedLog) -> None:
    log.files[f"{FOLDER}{head_name(3)}"] += b"\n"


MUTANTS = (
    LogMutant("the chain reordered", K.HEAD_DIFFERS, after=reordered),
    LogMutant("another predecessor", K.MANIFEST_CHAIN, after=relinked),
    LogMutant("a manifest missing", K.MANIFEST_GAP, after=missing),
    LogMutant("a leaf edited", K.MANIFEST_LEAVES_DIGEST, after=leaf_edited),
    LogMutant("a leaf dropped", K.MANIFEST_LEAVES_DIGEST, after=leaf_dropped),
    LogMutant("another root, signed", K.MANIFEST_ROOT, after=rerooted),
    LogMutant("a head signed anew with another key", K.SIGNATURE_UNTRUSTED, after=resigned),
    LogMutant("a signature taken out", K.SIGNATURE_MISSING, after=unsigned),
    LogMutant("a head's bytes changed", K.HEAD_DIFFERS, after=head_spoilt),
    LogMutant("leaves out of order", K.LEAF_ORDER, edit=disordered),
    LogMutant("a leaf of another page", K.LEAF_ID_NOT_DERIVED, edit=misnamed),
    LogMutant("a leaf that binds another text", K.LEAF_TEXT_UNBOUND, edit=unbound),
    LogMutant("the log rolled back", K.CHECKPOINT_ROLLBACK, edit=rolled_back),
    LogMutant("the log forked", K.CHECKPOINT_FORK, edit=forked),
)
