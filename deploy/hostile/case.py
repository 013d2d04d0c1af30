"""One thing that a server may do, and what an archive must make of it.

A case is told in bytes, since what it is about is lost in any parsed form. `answer` is called anew for each
request, so a body may be endless, or gigabytes when decoded, and cost nothing until it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from workers.exchange import Framing, Truncation

Ends = Literal["open", "close", "reset"]
"""What the server does when it has said all: wait for another request, close, or reset the connection."""

Answer = Callable[[str], Iterator[bytes]]
"""The pieces of an answer to a request with this query."""

_NOT_A_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is sent, and what must be told of it. `outcome`, `framing` and so on are those of the last exchange."""

    name: str
    answer: Answer
    outcome: str
    status: int | None = 200
    framing: Framing | None = "length"
    """None where no response is expected."""
    ends: Ends = "open"
    truncated: Truncation | None = None
    notes: tuple[str, ...] = ()
    """Anomalies in the order in which the metadata record names them."""
    remarks: tuple[str, ...] = ()
    """What the flow remarks beside the anomalies, since it knows what was asked for."""
    content: bytes | None = None
    """What the payload must be, where that is not plain from `answer`."""
    exchanges: int = 1
    """How many answers the visit gathers: one a redirect, and the last."""
    pause: float = 0.0
    """Seconds before each piece but the first."""
    reader: str | None = None
    """The reason that extraction must give (`reader_reason`), where the case is about that."""
    endless: bool = False
    """The server goes on until the client hangs up."""

    @property
    def path(self) -> str:
        """Where the case is served."""
        return "/" + _NOT_A_WORD.sub("-", self.name.lower()).strip("-")

    def wire(self, query: str = "") -> bytes:
        """All that is sent. Not for a case that is endless."""
        return b"".join(self.answer(query))


def sends(*pieces: bytes) -> Answer:
    """These bytes, whatever the query."""
    return lambda query: iter(pieces)
