"""Ids as few bytes. A snapshot id is 45 characters and stands in Redis four times; packed it is 16 bytes."""

from __future__ import annotations

import re
import uuid
from datetime import datetime

from workers.ports import KnownVersion, Original

_RECORD_PREFIX = "urn:uuid:"
_UUID_BYTES = 16
_SNAPSHOT = re.compile(r"snap-([0-9a-f]{12})-([0-9]{8})T([0-9]{6})Z-([0-9a-f]{8})")


def pack_snapshot(snapshot_id: str) -> bytes:
    """6 bytes of the source, 6 of the 14 digits of the time, 4 of the record. ValueError for what is no such id."""
    parts = _SNAPSHOT.fullmatch(snapshot_id)
    if parts is None:
        raise ValueError("not a snapshot id")
    source, day, time, record = parts.groups()
    return bytes.fromhex(source) + int(day + time).to_bytes(6) + bytes.fromhex(record)


def unpack_snapshot(packed: bytes) -> str:
    """The inverse of `pack_snapshot`."""
    digits = f"{int.from_bytes(packed[6:12]):014d}"
    return f"snap-{packed[:6].hex()}-{digits[:8]}T{digits[8:]}Z-{packed[12:].hex()}"


def pack_record(record_id: str) -> bytes:
    """The 16 bytes of a `urn:uuid:`. ValueError for another form."""
    if not record_id.startswith(_RECORD_PREFIX):
        raise ValueError("a record id is a urn:uuid")
    packed = bytes.fromhex(record_id.removeprefix(_RECORD_PREFIX).replace("-", ""))
    if len(packed) != _UUID_BYTES:
        raise ValueError("a record id is a urn:uuid")
    return packed


def unpack_record(packed: bytes) -> str:
    """The inverse of `pack_record`."""
    return _RECORD_PREFIX + str(uuid.UUID(bytes=packed))


def pack_original(original: Original) -> bytes:
    """Record id, date, and target URI, which comes last since it may hold anything."""
    return pack_record(original.record_id) + f"{original.date}\n{original.target_uri}".encode()


def unpack_original(packed: bytes, content_sha256: str) -> Original:
    """The inverse of `pack_original`; the digest is the name under which it was found."""
    date, _, target_uri = packed[16:].decode().partition("\n")
    return Original(unpack_record(packed[:16]), target_uri, date, content_sha256)


def pack_version(version: KnownVersion) -> bytes:
    """Record id (zeros: none), payload digest, and the rest as lines. ValueError where a value holds a line end."""
    date = "" if version.original is None else version.original.date
    lines = (
        date,
        version.received_at if version.received_at != date else "",
        f"{version.confirmed:x}",
        "d" if version.distrusted else "",
        f"{version.content_bytes:x}",
        version.etag or "",
        version.last_modified or "",
        version.content_type or "",
    )
    text = "\n".join(lines)
    if text.count("\n") != len(lines) - 1:
        raise ValueError("a line end within a validator or a content type")
    record = bytes(_UUID_BYTES) if version.original is None else pack_record(version.original.record_id)
    return record + bytes.fromhex(version.content_sha256) + text.encode()


def unpack_version(packed: bytes, url: str) -> KnownVersion:
    """The inverse of `pack_version`; the URL is the name under which it was found."""
    date, received, confirmed, distrusted, size, etag, modified, content_type = packed[48:].decode().split("\n")
    digest = packed[16:48].hex()
    return KnownVersion(
        original=Original(unpack_record(packed[:16]), url, date, digest) if any(packed[:16]) else None,
        content_sha256=digest,
        content_bytes=int(size, 16),
        content_type=content_type or None,
        etag=etag or None,
        last_modified=modified or None,
        received_at=received or date,
        confirmed=int(confirmed, 16),
        distrusted=bool(distrusted),
    )


def microseconds(utc: str) -> int:
    """An RFC 3339 time in UTC as microseconds since 1970; finer digits are dropped."""
    whole, _, fraction = utc.removesuffix("Z").partition(".")
    seconds = round(datetime.fromisoformat(whole + "+00:00").timestamp())
    return seconds * 1_000_000 + int(f"{fraction}000000"[:6])


def milliseconds(utc: str) -> int:
    """An RFC 3339 time in UTC as milliseconds since 1970; finer digits are dropped."""
    return microseconds(utc) // 1000
