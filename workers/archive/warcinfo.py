"""The `warcinfo` record that opens each file: who recorded it, with what, and under which rules (WARC 1.1, 6.2)."""

from __future__ import annotations

from dataclasses import dataclass

from workers.archive.octets import CONTENT_TYPE, one_line, write_fields
from workers.archive.record import Block, Record, build

FORMAT = "WARC File Format 1.1"
CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"


@dataclass(frozen=True, slots=True)
class Warcinfo:
    """What is the same for all records of a file."""

    software: str
    """Name and version, such as `citevault/0.1.0`."""
    operator: str | None = None
    """Who to ask: a name, an address, a URL."""
    robots: str | None = None
    """The robots policy that was followed, such as `obey` (RFC 9309)."""
    user_agent: str | None = None
    hostname: str | None = None
    is_part_of: str | None = None
    """The collection."""
    description: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    """Further settings that shaped the records, such as `transfer-framing: strip`; names are tokens."""

    def record(self, record_id: str, date: str, filename: str) -> Record:
        """The record for a file of this name."""
        known = [
            ("software", self.software),
            ("format", FORMAT),
            ("conformsTo", CONFORMS_TO),
            ("operator", self.operator),
            ("robots", self.robots),
            ("http-header-user-agent", self.user_agent),
            ("hostname", self.hostname),
            ("isPartOf", self.is_part_of),
            ("description", self.description),
            *self.options,
        ]
        block = Block.of(write_fields((name, one_line(value)) for name, value in known if value))
        fields = [("WARC-Filename", filename)]
        return build("warcinfo", record_id, date, block, content_type=CONTENT_TYPE, fields=fields)
