"""What a believed 304 says is still there: the stored document, read back to be searched for what it needs."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from workers.archive.stored_http import StoredHttp, split_http
from workers.errors import CorruptError
from workers.flows.capture.requisite_documents import DECODED, Document
from workers.flows.extract.answer import header_values
from workers.flows.extract.members import record_at
from workers.ports import Catalog, ObjectStore, Original

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConfirmedDocuments:
    """Reads the originals of a batch's 304."""

    store: ObjectStore
    catalog: Catalog

    async def read(self, original: Original) -> Document | None:
        """The document; None where it is too large to be searched, or cannot be had now: the 304 stands all the same,
        and extraction says louder what is wrong with its original."""
        place = await self.catalog.locate(original.record_id)
        if place is None:
            LOG.warning("original not in the catalog record=%s", original.record_id)
            return None
        if place.length > DECODED.max_bytes:
            return None
        try:
            record = await record_at(self.store, self.catalog, place)
        except CorruptError as error:
            LOG.error("original not searched for requisites error=%s", error)
            return None
        try:
            return _document(original.target_uri, split_http(record.block))
        finally:
            record.block.close()


def _document(url: str, content: StoredHttp) -> Document | None:
    if content.payload_bytes > DECODED.max_bytes:
        return None
    types, codings = (header_values(content.head, name) for name in ("Content-Type", "Content-Encoding"))
    return Document(url, types, codings, content.payload())
