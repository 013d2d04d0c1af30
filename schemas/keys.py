"""Names of stored objects: the one place that builds them (`schemas/README.md, Object keys`).

ASCII, no empty segment, no `..`, and no key is a path prefix of another. Date folders have a fixed
depth. Nothing may rely on the order in which a store lists them.
"""

from __future__ import annotations

import hashlib

EPOCH = "control/epoch"
PULSE = "control/pulse"
PROBE_PREFIX = "control/probe"
MANIFESTS = "manifests/"
COMMITS = "commits/"
JOBS = "jobs/"
DECISIONS = "decisions/"
POLICIES = "policies/"
PUBLIC_KEYS = "keys/"
COMPACTIONS = "compactions/"
WARC = "warc/"
CDXJ = "cdxj/"
JOINED = "joined"
"""Stands where files of captures have their attempt: nobody captured this file, a compaction made it."""
JUDGEMENTS = "judgements/"
SCHEDULES = "schedules/pages/"
VISIT_POSITION = "schedules/position.json"


def _day(utc: str) -> str:
    """`yyyy/mm/dd` of an RFC 3339 time or of a segment id's stamp."""
    digits = utc.replace("-", "")[:8]
    return f"{digits[0:4]}/{digits[4:6]}/{digits[6:8]}"


def _instant(utc: str) -> str:
    """The digits of an RFC 3339 time, to the millisecond."""
    whole, _, fraction = utc.removesuffix("Z").partition(".")
    return "".join(letter for letter in whole if letter.isdigit()) + f"{fraction}000"[:3]


def job_folder(job_id: str, created_at: str) -> str:
    """Folder of a job; its objects are `job.json`, `seeds-NNNNN.jsonl.gz`, `bad-lines.jsonl.gz`."""
    return f"jobs/{_day(created_at)}/{job_id}"


def job(job_id: str, created_at: str) -> str:
    return f"{job_folder(job_id, created_at)}/job.json"


def job_seeds(job_id: str, created_at: str, part: int) -> str:
    return f"{job_folder(job_id, created_at)}/seeds-{part:05d}.jsonl.gz"


def job_bad_lines(job_id: str, created_at: str) -> str:
    return f"{job_folder(job_id, created_at)}/bad-lines.jsonl.gz"


def warc(segment_id: str, attempt: str, ending: str = "gz") -> str:
    """WARC file of the captures of one segment; `ending` says how its records are packed, `gz` or `zst`."""
    return f"warc/{_day(segment_id)}/{segment_id}-{attempt}.warc.{ending}"


def cdxj(segment_id: str, attempt: str) -> str:
    return f"cdxj/{_day(segment_id)}/{segment_id}-{attempt}.cdxj"


def compaction(sequence: int) -> str:
    """One entry of the append-only compaction log."""
    return f"compactions/{sequence:010d}.json"


def compaction_number(key: str) -> int | None:
    """Which entry of the compaction log this key is of; None: of none."""
    digits = key.removeprefix(COMPACTIONS).removesuffix(".json")
    return int(digits) if digits.isdecimal() and compaction(int(digits)) == key else None


def compaction_cleared(sequence: int) -> str:
    """Says that the files which an entry joined are deleted."""
    return f"compactions/{sequence:010d}-cleared.json"


def receipts(job_id: str) -> str:
    """Prefix of all receipts of a job."""
    return f"commits/{job_id}/"


def batch_receipts(job_id: str, batch_id: str) -> str:
    """Prefix of all receipts of one batch."""
    return f"commits/{job_id}/{batch_id}-"


def receipt(job_id: str, batch_id: str, part: int) -> str:
    return f"commits/{job_id}/{batch_id}-{part:04d}.json"


def conversion(extractor: str, segment_id: str, attempt: str) -> str:
    """WARC file of the conversion records of one segment."""
    return f"text/{extractor}/{_day(segment_id)}/{segment_id}-{attempt}.warc.gz"


def snapshots(extractor: str, segment_id: str) -> str:
    """Snapshot lines of one segment; their PUT commits the extract stage."""
    return f"text/{extractor}/{_day(segment_id)}/{segment_id}.jsonl.gz"


def prints(params: str, extractor: str, segment_id: str) -> str:
    """Fingerprints of one segment's texts, as this extractor found them."""
    return f"prints/{params}/{extractor}/{_day(segment_id)}/{segment_id}.jsonl.gz"


def clusters(params: str, extractor: str, segment_id: str) -> str:
    """Edge verdicts and cluster decisions that one segment brought, by the texts that this extractor found."""
    return f"clusters/{params}/{extractor}/{_day(segment_id)}/{segment_id}.jsonl.gz"


def extractor_of(key: str) -> str:
    """The extractor id in the key of snapshots, fingerprints or clusters; empty where there is none."""
    parts = key.split("/")
    place = 1 if parts[0] == "text" else 2
    return parts[place] if parts[0] in ("text", "prints", "clusters") and len(parts) == place + 5 else ""


def manifest_head(sequence: int) -> str:
    return f"manifests/{sequence:010d}.json"


def manifest_leaves(sequence: int, leaves_sha256: str) -> str:
    return f"manifests/{sequence:010d}-{leaves_sha256[:16]}.leaves.jsonl.gz"


def manifest_envelope(sequence: int, head_sha256: str) -> str:
    return f"manifests/{sequence:010d}-{head_sha256[:16]}.dsse.json"


def public_key(keyid: str) -> str:
    return f"keys/{keyid}.json"


def policy(policy_id: str) -> str:
    return f"policies/{policy_id}"


def decision(sequence: int) -> str:
    """One entry of the append-only decision log."""
    return f"decisions/{sequence:010d}.json"


def numbers_of(report: str) -> str:
    """Prefix of the citation numbers of one report."""
    return f"numbers/{report}/"


def numbers(report: str, sequence: int) -> str:
    """One object of the append-only log of a report's citation numbers."""
    return f"{numbers_of(report)}{sequence:010d}.json"


def judgements_of(inputs_sha256: str) -> str:
    """Prefix of all judgements of the same inputs, by whichever checker."""
    return f"{JUDGEMENTS}{inputs_sha256}/"


def judgement(inputs_sha256: str, key: str, sequence: int) -> str:
    """One judgement; `key` is the digest of inputs, passage and checker."""
    return f"{judgements_of(inputs_sha256)}{key}-{sequence:010d}.json"


def parked_at(stage: str) -> str:
    """Prefix of the segments that could not leave a stage."""
    return f"parked/{stage}/"


def discovered_of(job_id: str) -> str:
    """Prefix of what the pages of a job brought it."""
    return f"discovered/{job_id}/"


def discovered(job_id: str, segment_id: str, part: int) -> str:
    """Links that the pages of one segment brought their job; later parts are of pages that came nearer by them."""
    return f"discovered/{job_id}/{segment_id}-{part:04d}.jsonl.gz"


def parked(stage: str, segment_id: str, now: str) -> str:
    """A segment that could not leave a stage; `now` is RFC 3339 in UTC."""
    return f"{parked_at(stage)}{segment_id}-{_instant(now)}.json"


PARKED_AGAIN = "parked/again/"


def parked_again(segment_id: str, now: str) -> str:
    """A parked segment is to be tried again."""
    return f"{PARKED_AGAIN}{segment_id}-{_instant(now)}.json"


def unread_of(job_id: str) -> str:
    """Prefix of what could not be read out of the segments of a job."""
    return f"parked/answers/{job_id}/"


def unread(job_id: str, extractor: str, segment_id: str) -> str:
    return f"{unread_of(job_id)}{extractor}/{segment_id}.json"


DAMAGED = "parked/objects/"
"""Prefix of what rebuilds could not read; the folders below are of epochs."""


def damaged_of(epoch: int) -> str:
    """Prefix of what the rebuild that began an epoch could not read."""
    return f"{DAMAGED}{epoch:010d}/"


def damaged(epoch: int, key: str) -> str:
    """What is told of one such object; its name follows from the object's key."""
    return f"{damaged_of(epoch)}{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def schedules(shard: str) -> str:
    """Schedules whose id begins with these three hex digits."""
    return f"schedules/pages/{shard}.jsonl.gz"


def schedules_aside(shard: str, sha256: str) -> str:
    """Schedules that could not be read, as they were; named by their bytes."""
    return f"schedules/aside/{shard}-{sha256[:16]}.bin"


def visit_round(sequence: int) -> str:
    """Visits that were planned together."""
    return f"schedules/rounds/{sequence:010d}.json"
