"""What a segment adds to the metrics, counted by hand and told once, when its receipt stands.

A labelled counter costs a look-up and a write to shared memory; a page would pay for five of them.
"""

from __future__ import annotations

from collections import Counter

from schemas.records.outcome import Hop
from workers import metrics
from workers.exchange import Exchange


class Tally:
    """Exchanges and records of one segment."""

    def __init__(self) -> None:
        self._statuses: Counter[str] = Counter()
        self._records: Counter[str] = Counter()
        self._content_bytes = 0

    def add(self, exchange: Exchange | None, hop: Hop) -> None:
        """Count one exchange; its duration is told at once, unless it was another worker's."""
        self._statuses["none" if hop.http_status is None else f"{hop.http_status // 100}xx"] += 1
        self._content_bytes += hop.content_bytes
        for record in hop.records:
            self._records[record.type] += 1
        if exchange is not None and exchange.seconds_total is not None:
            metrics.FETCH_SECONDS.observe(exchange.seconds_total)

    def tell(self) -> None:
        """Add everything to the metrics."""
        for status, count in self._statuses.items():
            metrics.EXCHANGES.labels(status).inc(count)
        for record_type, count in self._records.items():
            metrics.RECORDS.labels(record_type).inc(count)
        metrics.BYTES.labels("content").inc(self._content_bytes)
