"""`citevault-validate manifest`: the chain of heads from the first one, its one tree, its signatures.

Everything is recomputed from the leaves and streamed: one leaf file at a time, and of the tree one
hash for each bit of its size (RFC 9162, 2.1). What no head names is garbage and is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from schemas.canonical import sha256_hex
from schemas.findings import FindingKind
from schemas.merkle import CompactTree
from schemas.reading import DocumentError, read_document
from schemas.records.manifest import Leaf, ManifestHead
from validator.checkpoint import LogCheckpoint
from validator.found import Found
from validator.heads import check_head_signature, head_name, is_canonical
from validator.key_files import keys_inside
from validator.leaves import LeafFile, read_leaf_file
from validator.limits import LIMITS
from validator.locations import Locations, check_located
from validator.place import Place, Unavailable, read_all
from validator.settings import RefusedInputError, Settings
from validator.times import check_times

_HEAD: Final = re.compile(r"([0-9]{10})\.json")


@dataclass(frozen=True, slots=True)
class LogState:
    """The last head that was read."""

    head: ManifestHead
    head_sha256: str


def check_manifest(place: Place, folder: str, last: int | None, settings: Settings, found: Found) -> LogState | None:
    """Check the log whose heads lie in `folder` (ends in `/`), up to number `last` or to its end.

    Raises RefusedInputError where there is no log, or a head that cannot be read. None: the place
    could not be looked into.
    """
    newest = _newest(place, folder, found)
    if newest is None:
        return None
    if newest == 0:
        raise RefusedInputError("no manifest there; name the folder or prefix that holds 0000000001.json")
    if last is not None and last > newest:
        raise RefusedInputError(f"there is no manifest {last}; the newest is {newest}")
    if not settings.deep:
        found.add(FindingKind.SCOPE_NOT_DEEP)
    if settings.time is None:
        found.add(FindingKind.TIME_NOT_GIVEN)
    with Locations() as locations:
        if settings.deep:
            locations.read(place, found)
        log = _Log(place, folder, settings, found, locations)
        state = log.check(last or newest, whole=last is None or last == newest)
        locations.tell_lacking(found)
        return state


def _newest(place: Place, folder: str, found: Found) -> int | None:
    names = place.names(folder)
    if isinstance(names, Unavailable):
        found.add(names.kind, path=folder, detail=names.detail)
        return None
    newest = 0
    try:
        for name in names:
            match = _HEAD.fullmatch(name.removeprefix(folder))
            newest = max(newest, int(match[1]) if match else 0)
    except OSError as error:
        found.add(FindingKind.FILE_UNREADABLE, path=folder, detail=error.strerror or "")
        return None
    return newest


class _Log:
    """The state that goes along the chain: the head before, and the tree so far."""

    def __init__(self, place: Place, folder: str, settings: Settings, found: Found, locations: Locations) -> None:
        self._place = place
        self._folder = folder
        self._settings = settings
        self._found = found
        self._locations = locations
        self._keys: dict[str, Ed25519PublicKey] = keys_inside(place)
        self._previous: LogState | None = None
        self._tree: CompactTree | None = CompactTree()
        self._checkpoint = LogCheckpoint(settings.checkpoint, found)

    def check(self, last: int, *, whole: bool) -> LogState | None:
        for sequence in range(1, last + 1):
            path = self._folder + head_name(sequence)
            data = read_all(self._place, path, LIMITS.small_file)
            if isinstance(data, Unavailable):
                gap = data.kind is FindingKind.FILE_MISSING
                self._found.add(FindingKind.MANIFEST_GAP if gap else data.kind, path=path, detail=data.detail)
                break
            head = read_document(data, ManifestHead)
            if isinstance(head, DocumentError):
                raise RefusedInputError(f"{path}: {head}")
            self._head(head, data, sequence, path)
            self._leaves(head)
            self._previous = LogState(head, sha256_hex(data))
            self._checkpoint.after_head(head, self._previous.head_sha256)
        self._checkpoint.at_end(self._previous.head if self._previous else None, whole=whole)
        return self._previous

    def _head(self, head: ManifestHead, data: bytes, sequence: int, path: str) -> None:
        found = self._found
        found.looked_at("heads")
        if head.sequence != sequence or not is_canonical(head, data):
            found.add(FindingKind.HEAD_DIFFERS, path=path, expected=f"number {sequence} in RFC 8785 form")
        before = self._previous
        expected = (before.head_sha256, before.head.tree_size) if before else (None, 0)
        actual = (head.previous_sha256, head.first_leaf)
        if actual != expected:
            found.add(
                FindingKind.MANIFEST_CHAIN,
                path=path,
                expected=f"previous {expected[0]}, first leaf {expected[1]}",
                actual=f"previous {actual[0]}, first leaf {actual[1]}",
            )
        check_head_signature(head, data, self._place, self._folder, self._keys, self._settings, found)
        check_times([("/created_at", head.created_at)], self._settings.time, found, path=path)

    def _leaves(self, head: ManifestHead) -> None:
        path = f"{self._folder}{head.sequence:010d}-{head.leaves_sha256[:16]}.leaves.jsonl.gz"
        file = read_leaf_file(self._place, path, self._each(path), self._found)
        if file is None:
            self._lose_the_tree(path)
            return
        if file.sha256 != head.leaves_sha256:
            self._found.add(
                FindingKind.MANIFEST_LEAVES_DIGEST, path=path, expected=head.leaves_sha256, actual=file.sha256
            )
        promised = head.tree_size - head.first_leaf
        if len(file.hashes) != promised or not 1 <= promised <= LIMITS.leaves_per_manifest:
            self._found.add(
                FindingKind.MANIFEST_TREE_SIZE,
                path=path,
                expected=f"{promised} leaves, 1 to {LIMITS.leaves_per_manifest}",
                actual=f"{len(file.hashes)}{'' if file.whole else ' or more'}",
            )
        if file.whole:
            self._grow(head, file, path)
        else:
            self._lose_the_tree(path)

    def _grow(self, head: ManifestHead, file: LeafFile, path: str) -> None:
        if self._tree is None:
            return
        self._checkpoint.before_growth(self._tree, file.hashes)
        self._tree = self._tree.extend(file.hashes)
        root = self._tree.root().hex()
        self._found.looked_at("roots")
        if root != head.root_sha256:
            self._found.add(
                FindingKind.MANIFEST_ROOT,
                path=path,
                expected=f"{head.root_sha256} of {head.tree_size}",
                actual=f"{root} of {self._tree.size}",
            )

    def _lose_the_tree(self, path: str) -> None:
        """From here on no root can be recomputed: said once, and never taken for a match."""
        if self._tree is not None:
            self._found.add(FindingKind.MANIFEST_ROOT_UNCHECKED, path=path)
        self._tree = None
        self._checkpoint.lose_the_tree()

    def _each(self, path: str) -> Callable[[Leaf, int], None]:
        def look(leaf: Leaf, number: int) -> None:
            where = f"/{number - 1}"
            check_times([(f"{where}/retrieved_at", leaf.retrieved_at)], self._settings.time, self._found, path=path)
            if self._settings.deep:
                check_located(leaf, self._place, self._locations, self._found)

        return look
