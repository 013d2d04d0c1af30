"""How much of anything one fetch may take (`scheduler/README.md, Outcomes`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

MAX_REDIRECTS = 20
MAX_ROBOTS_REDIRECTS = 5  # RFC 9309, 2.3.1.2
ROBOTS_BODY_BYTES = 2 * 1024 * 1024  # four times what is read of a robots.txt (RFC 9309, 2.5); the rest is cut off
ROBOTS_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Limits of one exchange; reaching one is an outcome or a truncation, never an exception."""

    max_body_bytes: int = 512 * 1024 * 1024
    max_head_bytes: int = 1024 * 1024
    """Of the final head and all 1xx heads together, and again of a trailer section."""
    connect_seconds: float = 20.0
    """Name look-up, TCP and TLS together."""
    idle_seconds: float = 60.0
    total_seconds: float = 15 * 60.0
    min_bytes_per_second: int = 30
    """Over a stretch of `idle_seconds` in which bytes do come; 0: no floor. A modem of 300 baud carries 30 a second."""
    linger_seconds: float = 5.0
    """Silence after which a message whose end cannot be known is taken to be over."""
    settle_seconds: float = 0.25
    """How long to look for bytes beyond the end of a message on a connection that is not kept."""


def robots_limits(limits: FetchLimits) -> FetchLimits:
    """Limits for a robots.txt under those of pages: a site's pages wait for it, so it may not take what a page may."""
    return replace(
        limits,
        max_body_bytes=min(limits.max_body_bytes, ROBOTS_BODY_BYTES),
        total_seconds=min(limits.total_seconds, ROBOTS_SECONDS),
    )
