"""Every metric of the system, in one place. Labels are bounded: never a URL, a host or an id.

Processes share `PROMETHEUS_MULTIPROC_DIR`; the web process adds them up on `/metrics`.
"""

from __future__ import annotations

import collections
from bisect import bisect_left
from collections.abc import Sequence

from prometheus_client import Counter, Gauge, Histogram


class GatheredHistogram(Histogram):
    """A histogram that is told of many amounts at once: two writes to shared memory a page are too many."""

    def observe_all(self, amounts: Sequence[float]) -> None:
        """The same as `observe` with each of them."""
        self._sum.inc(sum(amounts))
        for bucket, count in collections.Counter(bisect_left(self._upper_bounds, amount) for amount in amounts).items():
            self._buckets[bucket].inc(count)


URLS = Counter("citevault_urls_total", "URLs that got an outcome", ["outcome"])
REQUISITES = Counter("citevault_requisites_total", "Page requisites that got an outcome", ["outcome"])
LINKS = Counter("citevault_links_total", "Links of pages of crawls, followed or left out for a reason", ["verdict"])
EXCHANGES = Counter("citevault_exchanges_total", "HTTP exchanges by status class", ["status"])
RECORDS = Counter("citevault_warc_records_total", "WARC records committed", ["type"])
BYTES = Counter("citevault_bytes_total", "Bytes received as message content, and stored as WARC", ["kind"])
SEGMENTS = Counter("citevault_segments_total", "Segments that reached a stage", ["stage"])
UPLOADS = Counter(
    "citevault_uploads_total", "Uploads in parts: completed, gone on with, aborted, or aborted as orphans", ["end"]
)
COMPACTED = Counter(
    "citevault_files_compacted_total", "Files of captures that the scheduler had joined, or deleted", ["what"]
)
UNFINISHED = Counter("citevault_visits_unfinished_total", "Visits that go on in a batch of the next host")
STAGE_SECONDS = Histogram(
    "citevault_stage_seconds",
    "Duration of one task by stage",
    ["stage"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600),
)
FETCH_SECONDS = GatheredHistogram(
    "citevault_fetch_seconds",
    "Duration of one HTTP exchange",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 900),
)
COMMIT_SECONDS = Histogram(
    "citevault_commit_seconds",
    "From the close of a segment to its receipt",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
)
ERRORS = Counter("citevault_errors_total", "Errors by stage and root", ["stage", "kind"])
SNAPSHOTS = Counter("citevault_snapshots_total", "Snapshots extracted, by reader status", ["reader_status"])
EDGES = Counter("citevault_edges_total", "Near-duplicate candidates: judged (yes, no), or left out", ["confirmed"])
LEAVES = Counter("citevault_leaves_total", "Leaves published in the log")
HEADS = Counter("citevault_manifests_total", "Manifest heads published")
VISITS = Counter("citevault_visits_total", "Scheduled visits that are over, by what they found", ["verdict"])
PERIODS_MISSED = Counter("citevault_periods_missed_total", "Periods of schedules that one later visit stood for")

SCHEDULES = Gauge(
    "citevault_schedules", "Schedules that are not paused, by state", ["state"], multiprocess_mode="mostrecent"
)
QUEUE_DEPTH = Gauge("citevault_queue_depth", "Messages waiting in a queue", ["queue"], multiprocess_mode="mostrecent")
STAGE_DEPTH = Gauge(
    "citevault_stage_depth", "Segments waiting behind a stage", ["stage"], multiprocess_mode="mostrecent"
)
JOBS = Gauge("citevault_jobs", "Jobs known to the frontier, by state", ["state"], multiprocess_mode="mostrecent")
HELD_BACK = Gauge(
    "citevault_bulk_held_back",
    "1 while no new bulk batch goes out, since too much waits to be extracted",
    multiprocess_mode="mostrecent",
)
SPOOL_FREE = Gauge(
    "citevault_spool_free_bytes",
    "Room where the spool is, as a worker last looked; 0 where it cannot be written",
    multiprocess_mode="mostrecent",
)
COMMITS_WAIT = Gauge(
    "citevault_commits_waiting",
    "Commits that wait for a store that is away or refuses them",
    multiprocess_mode="livesum",
)
URLS_WAITING = Gauge(
    "citevault_urls_waiting", "URLs without an outcome that can be worked on", multiprocess_mode="mostrecent"
)
URLS_LATER = Gauge("citevault_urls_later", "URLs that wait for their next try", multiprocess_mode="mostrecent")
LAST_WORK = Gauge(
    "citevault_last_work_timestamp_seconds",
    "When a process last finished a piece of work",
    ["process"],
    multiprocess_mode="mostrecent",
)
