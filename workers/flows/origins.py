"""Where a span of a snapshot's text stands in the payload that the archive holds."""

from __future__ import annotations

import hashlib

from schemas.records.snapshot import SnapshotLine
from workers.errors import PermanentError
from workers.extract.decode import Decoded, read_codings, remove_codings
from workers.extract.origin import Origin, origin_of
from workers.flows.extract.answer import header_values
from workers.flows.reading import read_answer, read_text
from workers.ports import Catalog, ObjectStore


async def origin_in_archive(
    store: ObjectStore, catalog: Catalog, line: SnapshotLine, start: int, end: int
) -> Origin | None:
    """None where no single place can be told. PermanentError where there is no such span of text."""
    text = await read_text(store, line)
    if text is None or not 0 <= start < end <= len(text):
        raise PermanentError(
            "the snapshot's text has no such span",
            where=f"{line.snapshot.id} {start}:{end}",
            next_step=f"count code points of `citevault show {line.snapshot.id} --text`, from 0 to {len(text or '')}",
        )
    records = line.snapshot.records
    answer = await read_answer(store, catalog, records.model_copy(update={"response": records.payload}))
    content = answer.block[len(answer.head) :]
    decoded = remove_codings(content, read_codings(header_values(answer.head, "Content-Encoding")))
    if not isinstance(decoded, Decoded) or hashlib.sha256(decoded.data).hexdigest() != line.snapshot.decoded_sha256:
        return None
    return origin_of(decoded.data, line.snapshot.content_type, text, start, end)
