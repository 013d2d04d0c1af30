"""The answer to one URL as it lies in the archive: the last hop's records, and the head and content they hold."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from schemas.records.outcome import Hop, Outcome, UrlOutcome
from workers.archive.http_head import status_token
from workers.archive.parsing import WarcRecord
from workers.archive.stored_http import StoredHttp, split_http
from workers.archive.wire_notes import BadNotes, read_notes
from workers.errors import CorruptError, NotYetError
from workers.flows.extract.members import SegmentRecords
from workers.ports import Catalog


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """What one URL's last answer consists of. `payload` is `response` itself unless that is a revisit."""

    outcome: UrlOutcome
    hop: Hop
    response: WarcRecord
    payload: WarcRecord
    request: WarcRecord | None
    metadata: WarcRecord | None
    head: bytes
    """Of the answer itself; for a server-not-modified revisit of the original, whose representation it confirms."""
    content: StoredHttp
    content_sha256: str

    @property
    def http_status(self) -> int | None:
        """Status of the answer that holds the payload: for a 304 the original's."""
        if self.hop.outcome is not Outcome.NOT_MODIFIED:
            return self.hop.http_status
        token = status_token(self.head, None)
        return int(token) if token.isascii() and token.isdigit() and len(token) == 3 else None

    @property
    def whole(self) -> bool:
        """Whether all of the message's content came."""
        whole = self.hop.outcome in (Outcome.CAPTURED, Outcome.REVISIT, Outcome.NOT_MODIFIED, Outcome.REDIRECT_LIMIT)
        return whole and self.payload.header("WARC-Truncated") is None

    @property
    def complete(self) -> bool:
        """Whether the content is a whole representation in the sense of RFC 9530."""
        return self.whole and self.http_status != 206

    def header_values(self, name: str) -> list[str]:
        """All values of a field of the head, in order, decoded as Latin-1."""
        return header_values(self.head, name)

    def close(self) -> None:
        """Give back memory and temporary files."""
        for record in (self.response, self.payload, self.request, self.metadata):
            if record is not None:
                record.block.close()


async def stored_answer(outcome: UrlOutcome, records: SegmentRecords, catalog: Catalog) -> StoredAnswer | None:
    """Read and verify the last answer of a URL; None where the last hop has none.

    NotYetError where a revisit's original is not known (yet): its receipt is behind, or the catalog is
    being rebuilt.
    """
    hop = outcome.final
    place = hop.record("response", "revisit") if hop is not None else None
    if hop is None or place is None:
        return None
    response = await records.own(place)
    payload = response if place.type == "response" else await _original(hop, records, catalog)
    request_place, metadata_place = hop.record("request"), hop.record("metadata")
    request = await records.own(request_place) if request_place is not None else None
    metadata = await records.own(metadata_place) if metadata_place is not None else None
    content = split_http(payload.block, _head_bytes(metadata) if payload is response else None)
    own_head = response.block.size > 0 and payload is not response
    answer = StoredAnswer(
        outcome=outcome,
        hop=hop,
        response=response,
        payload=payload,
        request=request,
        metadata=metadata,
        head=split_http(response.block).head if own_head else content.head,
        content=content,
        content_sha256=_sha256(content),
    )
    _compare(answer)
    return answer


def header_values(head: bytes, name: str) -> list[str]:
    """All values of a field, folded lines joined by a blank (RFC 9112, 5.2), decoded as Latin-1."""
    wanted = name.lower().encode("ascii")
    values: list[bytes] = []
    matched = False
    for line in head.split(b"\n")[1:]:
        if line[:1] in (b" ", b"\t"):
            if matched:
                values[-1] += b" " + line.strip()
            continue
        key, colon, value = line.partition(b":")
        matched = bool(colon) and key.strip().lower() == wanted
        if matched:
            values.append(value.strip())
    return [value.decode("latin-1") for value in values]


async def _original(hop: Hop, records: SegmentRecords, catalog: Catalog) -> WarcRecord:
    if hop.refers_to is None:
        raise CorruptError("a revisit names no original", where=hop.url[:200])
    place = records.find(hop.refers_to) or await catalog.locate(hop.refers_to)
    if place is None:
        raise NotYetError(
            f"the original {hop.refers_to} of a revisit is not in the catalog",
            where=hop.url[:200],
            next_step="wait for its segment's receipt, or run `citevault rebuild`",
        )
    return await records.at(place)


def _head_bytes(metadata: WarcRecord | None) -> int | None:
    """Where the head ends, if the metadata record beside the response says so."""
    fields = metadata.fields() if metadata is not None else None
    notes = read_notes(fields) if fields is not None else None
    return None if notes is None or isinstance(notes, BadNotes) else notes.head_bytes


def _sha256(content: StoredHttp) -> str:
    digest = hashlib.sha256()
    for piece in content.payload_chunks():
        digest.update(piece)
    return digest.hexdigest()


def _compare(answer: StoredAnswer) -> None:
    """The content must be what the capture saw; a 304 has none of its own to compare."""
    expected = answer.hop.content_sha256
    if answer.hop.outcome is Outcome.NOT_MODIFIED or expected is None or expected == answer.content_sha256:
        return
    raise CorruptError(
        f"the content of {answer.payload.id} is not what its receipt says "
        f"(expected {expected}, found {answer.content_sha256})",
        where=answer.hop.url[:200],
        next_step="restore the WARC object from a copy of the bucket",
    )
