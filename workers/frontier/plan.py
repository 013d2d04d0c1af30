"""Which hosts go together into a batch. Pure: what is ready goes in, plans come out; a script checks again.

Jobs take turns, so a small one never waits behind a large one. Within a batch one request at a time
goes to a host, so its width is what makes it fast: hosts are dealt out evenly, and few of them are
not spread over many batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.records.job import Lane

HOSTS_WORTH_A_BATCH = 24
"""Below twice this many ready hosts, a job gets one batch rather than two half-empty ones: a batch is one segment, and
five requests to the store, however few pages are in it."""
MOST_URLS = 2000
"""In one batch."""


@dataclass(frozen=True, slots=True)
class DueHosts:
    """Hosts of one job that look ready, longest ready first."""

    job_id: str
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """A batch to be formed: how many URLs to take of which host."""

    job_id: str
    lane: Lane
    quotas: tuple[tuple[str, int], ...]
    rest: int = 0
    """A host that has so many URLs more than its quota, and no more, gives them too."""


def plan(lane: Lane, due: Sequence[DueHosts], *, batches: int, urls: int, urls_per_host: int) -> list[BatchPlan]:
    """At most `batches` plans of about `urls` URLs each, in the order of turns.

    A host has at most `urls_per_host` in one batch, so that a slow one holds little back. A host that two
    jobs wait for is in a plan of each: which of them gets it, and when the other looks again, is the script's to say.
    """
    turns = _turns([len(entry.hosts) for entry in due], batches, min(HOSTS_WORTH_A_BATCH, urls))
    plans: list[BatchPlan] = []
    for entry, shares in zip(due, turns, strict=True):
        hosts = entry.hosts[: shares * urls]
        for share in range(shares):
            dealt = hosts[share::shares]
            if dealt:
                quota, rest = _quota(urls, len(dealt), urls_per_host)
                plans.append(BatchPlan(entry.job_id, lane, tuple((host, quota) for host in dealt), rest))
    return plans


def _quota(urls: int, hosts: int, urls_per_host: int) -> tuple[int, int]:
    """Of each host of a batch, and what is taken beyond that where it is all that the host has left: up to half of
    the batch. The last URLs of many hosts would make a small batch, which waits for all of them and costs as many
    requests to the store as a full one."""
    quota = min(urls_per_host, -(-urls // hosts))
    rest = max(0, min(urls // 2, MOST_URLS - urls)) // hosts
    return quota, min(rest, urls_per_host - quota)


def _turns(ready: Sequence[int], batches: int, worth: int) -> list[int]:
    """How many batches each job gets: one each in turn, while there are hosts to fill another."""
    wanted = [0 if hosts == 0 else max(1, hosts // worth) for hosts in ready]
    given = [0] * len(ready)
    left = batches
    while left > 0 and any(got < want for got, want in zip(given, wanted, strict=True)):
        for index, want in enumerate(wanted):
            if left > 0 and given[index] < want:
                given[index] += 1
                left -= 1
    return given
