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
        self._statuses: Counter[int | None] = Counter()
        self._records: Counter[str] = Counter()
        self._content_bytes = 0
        self._seconds: list[float] = []

    def add(self, exchange: Exchange | None, hop: Hop) -> None:
        """Count one exchange. Its duration is known unless it was another worker's."""
        self._statuses[hop.http_status] += 1
        self._content_bytes += hop.content_bytes
        for record in hop.records:
            self._records[record.type] += 1
        if exchange is not None and exchange.seconds_total is not None:
            self._seconds.append(exchange.seconds_total)

    def tell(self) -> None:
        """Add everything to the metrics."""
        for status, count in self._statuses.items():
            metrics.EXCHANGES.labels("none" if status is None else f"{status // 100}xx").inc(count)
        for record_type, count in self._records.items():
            metrics.RECORDS.labels(record_type).inc(count)
        metrics.FETCH_SECONDS.observe_all(self._seconds)
        metrics.BYTES.labels("content").inc(self._content_bytes)
