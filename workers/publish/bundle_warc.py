"""The WARC file of a bundle: members copied byte for byte from the archive's files, each of them once."""

from __future__ import annotations

from schemas.records.bundle import BundleMember
from schemas.records.outcome import RecordType


class WarcLayout:
    """Where each member lies in a file that grows at its end. Holds no bytes."""

    def __init__(self) -> None:
        self.size = 0
        self._places: dict[str, BundleMember] = {}

    def find(self, record_id: str) -> BundleMember | None:
        """The place of a record that the file holds already."""
        return self._places.get(record_id)

    def append(self, record_id: str, record_type: RecordType, length: int) -> BundleMember:
        """The place of the member that is written next. ValueError where the file holds the record already."""
        if record_id in self._places:
            raise ValueError(f"the record {record_id} is in the file already")
        place = BundleMember(record_id=record_id, type=record_type, offset=self.size, length=length)
        self._places[record_id] = place
        self.size += length
        return place
