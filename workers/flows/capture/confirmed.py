"""What a believed 304 says is still there: the stored document, read back to be searched for what it needs."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from workers.archive.stored_http import split_http
from workers.errors import CorruptError
from workers.flows.capture.requisite_documents import DECODED, Document
from workers.flows.extract.answer import header_values
from workers.flows.extract.members import record_at
from workers.ports import Catalog, KnownVersion, ObjectStore

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConfirmedDocuments:
    """Reads the originals of a batch's 304."""

    store: ObjectStore
    catalog: Catalog

    async def read(self, version: KnownVersion) -> Document | None:
        """The document of a version; None where it is too large to be searched, or cannot be had now: the 304 stands
        all the same, and extraction says louder what is wrong with its original."""
        if version.content_bytes > DECODED.max_bytes:
            return None
        place = await self.catalog.locate(version.original.record_id)
        if place is None:
            LOG.warning("original not in the catalog record=%s", version.original.record_id)
            return None
        try:
            record = await record_at(self.store, place)
        except CorruptError as error:
            LOG.error("original not searched for requisites error=%s", error)
            return None
        try:
            content = split_http(record.block)
            return Document(
                version.original.target_uri,
                header_values(content.head, "Content-Type"),
                header_values(content.head, "Content-Encoding"),
                content.payload(),
            )
        finally:
            record.block.close()
