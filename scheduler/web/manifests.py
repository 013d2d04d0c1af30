"""The heads of the signed log, as stored. Nothing is verified here: that is the validator's part.

Heads are numbered without gaps (`schemas/README.md, Manifest log`), so the newest is found by asking for ever higher
numbers and halving: some 40 small requests for a log of a million heads, one where nothing was published since.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

from schemas import keys
from schemas.dsse import Envelope
from schemas.records.manifest import ManifestHead
from workers.flows.documents import parse
from workers.ports import ObjectStore

MAX_DOCUMENT_BYTES = 1024 * 1024
KEPT = 1000


@dataclass(frozen=True, slots=True)
class StoredHead:
    """A head with the bytes that its signature and its successor speak of."""

    head: ManifestHead
    data: bytes
    sha256: str


class LogHeads:
    """Reads heads and keeps them: they never change."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._newest = 0
        self._kept: OrderedDict[int, StoredHead] = OrderedDict()

    async def newest(self) -> int:
        """Sequence of the newest head; 0: nothing is published yet."""
        low, step = self._newest, 1
        while await self._exists(low + step):
            low, step = low + step, step * 2
        missing = low + step
        while missing - low > 1:
            middle = (low + missing) // 2
            if await self._exists(middle):
                low = middle
            else:
                missing = middle
        self._newest = max(self._newest, low)
        return self._newest

    async def head(self, sequence: int) -> StoredHead:
        """One head. ObjectMissingError where there is none."""
        kept = self._kept.get(sequence)
        if kept is None:
            key = keys.manifest_head(sequence)
            data = await self._store.get(key, limit=MAX_DOCUMENT_BYTES)
            kept = StoredHead(parse(data, ManifestHead, key), data, hashlib.sha256(data).hexdigest())
            self._kept[sequence] = kept
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return kept

    async def envelope(self, stored: StoredHead) -> bytes:
        """The signature of a head: a DSSE envelope, as stored."""
        key = keys.manifest_envelope(stored.head.sequence, stored.sha256)
        return await self._store.get(key, limit=MAX_DOCUMENT_BYTES)

    async def keyids(self, stored: StoredHead) -> tuple[str, ...]:
        """Ids of the keys that claim to have signed a head."""
        data = await self.envelope(stored)
        envelope = parse(data, Envelope, f"envelope of manifest {stored.head.sequence}")
        return tuple(signature.keyid for signature in envelope.signatures)

    async def _exists(self, sequence: int) -> bool:
        return await self._store.info(keys.manifest_head(sequence)) is not None
