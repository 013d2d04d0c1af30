"""Names of the Redis keys of frontier and ledger. All carry the tag `{f}`, so that a script may touch any of them."""

from __future__ import annotations

from schemas.records.job import Lane

TAG = "{f}"
EPOCH = f"{TAG}:epoch"
SINGLETON = f"{TAG}:scheduler"
REBUILDER = f"{TAG}:rebuilder"
ALIVE = f"{TAG}:alive"
CATCHING_UP = f"{TAG}:catching-up"
"""Is there after a rebuild until its stragglers are taken in."""
LINEAGE = f"{TAG}:lineage"
"""Hash: the promotion after which the state was last known to be whole, and the pulse."""

TOKEN = f"{TAG}:token"
"""Last token given out in this epoch."""
JOBS = f"{TAG}:jobs"
"""Sorted set of job ids by time of creation."""
BUSY = f"{TAG}:busy"
"""Hash of host to the batch that it is in."""
PACE = f"{TAG}:pace"
"""Sorted set of hosts by the time from which they may be asked again; absent: now."""
PERMITS = f"{TAG}:permits"
"""Sorted set of the hosts that are asked from outside of a batch, by when the permit for that ends."""
PERMIT_HOLDERS = f"{TAG}:permit-holders"
"""Hash of host to who holds its permit."""
WANTED = f"{TAG}:wanted"
"""Sorted set of the hosts that the release waits for behind a permit, by how long no other permit goes before it."""
LATER = f"{TAG}:later"
"""Sorted set of the jobs with URLs that wait for their next try, by when the first of these is due."""
CANCELLING = f"{TAG}:cancelling"
"""Set of the cancelled jobs of which something may still be open."""
LEASES = f"{TAG}:leases"
"""Sorted set of batches by the time at which their lease, or the wait for a worker, ends."""
DUE = f"{TAG}:due"
"""Sorted set of schedules (8 bytes of their ids) by when their next visit is due."""
SHIFTED = f"{TAG}:shifted"
"""Name of the last shift of all these times, after the clock was set."""


OUTLIVE_A_REBUILD = frozenset({EPOCH, SINGLETON, REBUILDER, ALIVE, PACE, PERMITS, PERMIT_HOLDERS})
"""What is not state of the archive but of processes and of the web, so a rebuild leaves it."""
OUTLIVE_PREFIXES = (f"{TAG}:strikes:", f"{TAG}:ip:", f"{TAG}:robots:")


def job(job_id: str) -> str:
    """Hash: lane, intake, state."""
    return f"{TAG}:j:{job_id}"


def open_urls(job_id: str) -> str:
    """Hash of URL digest to what is to be fetched."""
    return f"{TAG}:u:{job_id}"


def done_urls(job_id: str) -> str:
    """Hash of URL digest to outcome code."""
    return f"{TAG}:d:{job_id}"


def tally(job_id: str) -> str:
    """Hash of outcome code to how often it was given. For display; completion is never read from it."""
    return f"{TAG}:t:{job_id}"


def later(job_id: str) -> str:
    """Sorted set of the digests that wait for their next try, by when that is due."""
    return f"{TAG}:n:{job_id}"


def found(job_id: str) -> str:
    """Hash of URL digest to depth, for what a job has found by links."""
    return f"{TAG}:fd:{job_id}"


def found_on_host(job_id: str, host: str) -> str:
    """Set of the digests that a job has found by links on one host."""
    return f"{TAG}:fh:{job_id}:{host}"


def found_of_form(job_id: str, form: str) -> str:
    """Set of the digests that differ in the values of a query only."""
    return f"{TAG}:ff:{job_id}:{form}"


def unread(job_id: str) -> str:
    """Set of the segments of a job whose links have not been taken yet."""
    return f"{TAG}:lu:{job_id}"


def hosts(job_id: str) -> str:
    """Sorted set of the hosts with waiting URLs, by when it is worth while to look at them again."""
    return f"{TAG}:h:{job_id}"


def queue(job_id: str, host: str) -> str:
    """List of the digests that wait for one host."""
    return f"{TAG}:q:{job_id}:{host}"


def lane(name: Lane) -> str:
    """Sorted set of the jobs of a lane with waiting hosts, by when they were served last."""
    return f"{TAG}:lane:{name.value}"


def waiting(name: Lane) -> str:
    """Set of the released batches that no worker has claimed yet."""
    return f"{TAG}:waiting:{name.value}"


def batch(batch_id: str) -> str:
    """Hash: job, lane, state, counter, worker, asked (what the worker waits for), claims, part; of one that is set
    aside: fault, and aside (how often it was)."""
    return f"{TAG}:b:{batch_id}"


def batch_urls(batch_id: str) -> str:
    """Sorted set of the digests without outcome, by place: host number times `lua.HOST_STRIDE` plus position."""
    return f"{TAG}:bu:{batch_id}"


def batch_hosts(batch_id: str) -> str:
    """Sorted set of the hosts that the batch holds, by their number in it."""
    return f"{TAG}:bh:{batch_id}"


def strikes(host: str) -> str:
    """How often in a row a host has said that it is busy; forgotten after a day or two."""
    return f"{TAG}:strikes:{host}"


def address(ip: str) -> str:
    """Sorted set of what is served on one address just now (batch and host), by when its slot ends."""
    return f"{TAG}:ip:{ip}"


def robots(site: str) -> str:
    """What workers share of the robots.txt at this URL."""
    return f"{TAG}:robots:{site}"


def stage(name: str) -> str:
    """Sorted set of the segments at a stage, by when they got there or were sent again."""
    return f"{TAG}:l:{name}"


FAILING = f"{TAG}:lf"
"""Sorted set of the segments whose worker told an error, by when it did."""
PARKED = f"{TAG}:lp"
"""Sorted set of the segments that are parked; all scores are 0."""


def segment(segment_id: str) -> str:
    """Hash: where a segment stands."""
    return f"{TAG}:le:{segment_id}"


def job_segments(job_id: str) -> str:
    """Sorted set of the segments of a job; all scores are 0, so that it is in order of segment ids."""
    return f"{TAG}:lj:{job_id}"
