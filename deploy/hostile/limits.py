"""The limits under which the hostile server is visited: low, so that a case which must reach one takes seconds."""

from __future__ import annotations

from workers.capture.limits import FetchLimits

MIB = 1024 * 1024

FETCH_LIMITS = FetchLimits(
    max_body_bytes=12 * MIB,  # the largest bomb has 10.2 MiB on the wire
    max_head_bytes=1 * MIB,
    idle_seconds=2.0,  # more than the drip's second, so that it is not taken for silence
    total_seconds=8.0,  # a busy machine must have time for 12 MiB
    linger_seconds=1.0,
    settle_seconds=0.1,
)
