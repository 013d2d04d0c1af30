"""The conversion file of one segment: a warcinfo record, then each text with the record that says how it was made."""

from __future__ import annotations

from schemas import keys
from schemas.records.snapshot import MemberLocation
from schemas.text_v1 import NORMALIZER
from schemas.urls.policy import conservative_1
from workers.archive import gzip_member
from workers.archive.conversion import ConversionMethod, ConversionSource, conversion_records
from workers.archive.record import Record, new_record_id
from workers.archive.warcinfo import Warcinfo
from workers.extract.extraction import Extracted
from workers.flows.extract.answer import StoredAnswer
from workers.flows.extract.snapshot import Conversion


class TextFile:
    """Members in memory: the texts of a segment are a tenth of its pages. Empty until a text is added."""

    def __init__(self, pipeline: str, segment_id: str, attempt: str, *, software: str, made_at: str) -> None:
        self.key = keys.conversion(pipeline, segment_id, attempt)
        self._made_at = made_at
        self._members: list[bytes] = []
        self._size = 0
        self._warcinfo_id = new_record_id()
        info = Warcinfo(software=software, description="texts extracted from archived pages")
        self._append(info.record(self._warcinfo_id, made_at, self.key.rsplit("/", 1)[1]))
        self.texts = 0

    def add(self, answer: StoredAnswer, found: Extracted, decoded_sha256: str | None) -> Conversion:
        """Write the text of an answer."""
        records = conversion_records(
            found.text.encode("utf-8"),
            ConversionSource(
                answer.payload.id, answer.payload.header("WARC-Target-URI") or answer.hop.url, decoded_sha256
            ),
            ConversionMethod(
                extractor=found.extractor,
                normalizer=NORMALIZER,
                content_type=found.media_type,
                charset=None if found.charset is None else f"{found.charset} ({found.charset_source})",
                policies=(conservative_1().id,),
            ),
            converted_at=self._made_at,
            warcinfo_id=self._warcinfo_id,
        )
        place = self._append(records.conversion)
        self._append(records.metadata)
        self.texts += 1
        return Conversion(place, records.conversion.block.sha256, len(found.text))

    def data(self) -> bytes:
        """The file."""
        return b"".join(self._members)

    def _append(self, record: Record) -> MemberLocation:
        member = b"".join(gzip_member.compress_pieces(record.pieces()))
        place = MemberLocation(key=self.key, record_id=record.id, offset=self._size, length=len(member))
        self._members.append(member)
        self._size += len(member)
        return place
