"""Names of the Redis keys of catalog, revisit and version index; all share the frontier's tag and its epoch."""

from __future__ import annotations

import hashlib

TAG = "{f}"
FILES = f"{TAG}:cf"
"""Hash of object key to its number: records and snapshots name their file by two or three characters."""
FILE_NAMES = f"{TAG}:cn"
"""Hash of number to object key."""
RECORDS = f"{TAG}:cr"
"""Hash of record id (16 bytes) to `file:offset:length`, all hex."""
MOVED = f"{TAG}:cm"
"""Hash of the number of a file that was joined to `file:start`, both hex: what lay at an offset lies at start + offset
of that file, which may have been joined in its turn."""
COMPACTED = f"{TAG}:cq"
"""Number of the last entry of the compaction log that stands in `MOVED`."""
SNAPSHOTS = f"{TAG}:cs"
"""Hash of snapshot id (packed) to `file:line`, both hex."""
NEWEST = f"{TAG}:cw"
"""Sorted set of all snapshots (packed) by time of retrieval."""


def resource(normalized_url: str) -> str:
    """Sorted set of the snapshots of one resource, as requested or final URL, by time of retrieval."""
    return f"{TAG}:cu:{hashlib.sha256(normalized_url.encode()).hexdigest()[:24]}"


def job_snapshots(job_id: str) -> str:
    """Sorted set of the snapshots of a job by time of retrieval."""
    return f"{TAG}:cj:{job_id}"


def requisites(job_id: str) -> str:
    """Set of the requisites that a job has captured: 16 bytes (in hex) of the SHA-256 of each address."""
    return f"{TAG}:rq:{job_id}"


def requisite_name(url: str) -> str:
    """16 bytes in hex: to be taken for each other two addresses would have to be looked for through 2^64 digests."""
    return hashlib.sha256(url.encode()).hexdigest()[:32]


def revisits(collection: str) -> str:
    """Hash of payload digest (32 bytes) to the original that holds it."""
    return f"{TAG}:rv:{collection}"


def versions(collection: str) -> str:
    """Hash of URL (see `version_field`) to the version that the archive holds."""
    return f"{TAG}:va:{collection}"


def version_field(url: str) -> bytes:
    """16 bytes for a URL: of 10^12 URLs two share them with a chance of 10^24 / 2^129, some 10^-15."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).digest()[:16]
