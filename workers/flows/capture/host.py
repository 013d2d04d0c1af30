"""A host, as one batch knows it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass(slots=True)
class Host:
    """What a batch knows of a host."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    answered_at: float | None = None
    ready_at: float = 0.0
    rest: float = 0.0
    """How long its address rests after the last answer: without what the host alone asks for."""
    crawl_delay: float | None = None
    strikes: int = 0
    located: bool = False
    address: str | None = None
    """Where hosts are served a few at a time; None: nothing is shared."""
    judged: tuple[str, bool] | None = None
    """The last address that answered, and whether it was opened for us."""
