"""The record that opens a file."""

from workers.archive.octets import read_fields
from workers.archive.warcinfo import Warcinfo

RECORD_ID = "urn:uuid:33333333-3333-4333-8333-333333333333"


def test_warcinfo_says_who_recorded_with_what_and_how() -> None:
    info = Warcinfo(
        software="citevault/0.1.0",
        operator="Research team\r\nX-Evil: 1",
        robots="obey",
        user_agent="Citevault/0.1.0 (+mailto:a@example.org)",
        hostname="host-1",
        is_part_of="default",
        options=(("transfer-framing", "strip"),),
    )
    record = info.record(RECORD_ID, "2026-11-29T12:00:00Z", "a.warc.gz")
    assert record.block.inline is not None
    assert read_fields(record.block.inline) == (
        ("software", "citevault/0.1.0"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("operator", "Research team X-Evil: 1"),
        ("robots", "obey"),
        ("http-header-user-agent", "Citevault/0.1.0 (+mailto:a@example.org)"),
        ("hostname", "host-1"),
        ("isPartOf", "default"),
        ("transfer-framing", "strip"),
    )
    assert b"WARC-Filename: a.warc.gz\r\n" in record.header
    assert b"WARC-Target-URI" not in record.header
    assert record.index is None


def test_what_is_not_known_is_not_written() -> None:
    record = Warcinfo("citevault/0.1.0").record(RECORD_ID, "2026-11-29T12:00:00Z", "a")
    assert record.block.inline is not None
    assert [name for name, _ in read_fields(record.block.inline) or ()] == ["software", "format", "conformsTo"]
