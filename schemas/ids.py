"""How every identifier is made (`schemas/README.md, Ids`). All are safe as file names and object keys."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

_NO_OFFSET = timedelta(0)


def source_id(normalized_url: str) -> str:
    """`src-<16 hex>` of a conservative@1 URL: derived, so that no counter can be lost."""
    digest = hashlib.sha256(b"conservative@1\n" + normalized_url.encode("utf-8")).hexdigest()
    return f"src-{digest[:16]}"


def snapshot_id(source: str, retrieved_at: str, last_record_id: str) -> str:
    """`snap-<12 hex of the source>-<time>-<8 hex of the last response's or revisit's record id>`.

    `retrieved_at` is RFC 3339 in UTC; its fraction is dropped. `last_record_id` has no angle brackets.
    """
    stamp = compact_time(retrieved_at)
    record = hashlib.sha256(last_record_id.encode("ascii")).hexdigest()[:8]
    return f"snap-{source.removeprefix('src-')[:12]}-{stamp}-{record}"


def schedule_id(collection: str, normalized_url: str) -> str:
    """`sch-<16 hex>` of a collection and a conservative@1 URL: a page has one schedule in a collection."""
    digest = hashlib.sha256(f"{collection}\n{normalized_url}".encode()).hexdigest()
    return f"sch-{digest[:16]}"


def cluster_id(leader_snapshot_id: str) -> str:
    """`cl-<16 hex>` of the leader's snapshot id at birth."""
    return f"cl-{hashlib.sha256(leader_snapshot_id.encode('ascii')).hexdigest()[:16]}"


def compact_time(utc: str) -> str:
    """`2026-08-22T03:15:00.5Z` to `20260822T031500Z`."""
    return f"{utc[0:4]}{utc[5:7]}{utc[8:10]}T{utc[11:13]}{utc[14:16]}{utc[17:19]}Z"


def digits_14(utc: str) -> str:
    """`2026-08-22T03:15:00.5Z` to the 14 digits of CDXJ and Memento addresses."""
    return f"{utc[0:4]}{utc[5:7]}{utc[8:10]}{utc[11:13]}{utc[14:16]}{utc[17:19]}"


def utc_string(moment: datetime) -> str:
    """An aware datetime in UTC as `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""
    if moment.utcoffset() != _NO_OFFSET:
        raise ValueError("times are written in UTC: give an aware datetime in UTC")
    return moment.isoformat(timespec="microseconds")[:26] + "Z"  # 26: all but the offset


def segment_id(opened_at: str, ulid: str) -> str:
    """`<YYYYMMDDTHHMMSSZ>-<ULID>`."""
    return f"{compact_time(opened_at)}-{ulid}"


_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid_time(identifier: str) -> str:
    """The UTC time in the ULID that ends an identifier (`job-<ULID>`), to the millisecond.

    Raises ValueError where the identifier does not end in one.
    """
    ulid = identifier[-26:].upper()
    if len(ulid) != 26 or any(letter not in _CROCKFORD for letter in ulid) or ulid[0] > "7":
        raise ValueError("the identifier does not end in a ULID")
    milliseconds = 0
    for letter in ulid[:10]:
        milliseconds = milliseconds * 32 + _CROCKFORD.index(letter)
    return utc_string(datetime.fromtimestamp(milliseconds // 1000, UTC).replace(microsecond=milliseconds % 1000 * 1000))


def job_id(ulid: str) -> str:
    return f"job-{ulid}"


def batch_id(ulid: str) -> str:
    return f"b-{ulid}"
