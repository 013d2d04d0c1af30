"""How far a message has come, why it ended, and what was read of it."""

from __future__ import annotations

from enum import Enum, auto

from workers.capture.anomaly import IN_DOUBT, Anomaly
from workers.exchange import Response, Truncation
from workers.light import light


class Progress(Enum):
    """How far a message has come."""

    HEAD = auto()
    CONTENT = auto()
    UNTIL_CLOSE = auto()  # the end is the end of the connection
    UNCERTAIN = auto()  # the end cannot be known: until close, or silence
    COMPLETE = auto()
    LIMIT = auto()


class End(Enum):
    """Why no more bytes come."""

    CLOSED = auto()
    RESET = auto()
    SILENT = auto()  # nothing came for as long as we wait
    TIME = auto()  # the time for the whole exchange is over
    SLOW = auto()  # bytes come, but fewer than the floor


@light
class Scan:
    """A message as far as it came. `truncated` is None where it is whole, or where nobody can tell."""

    response: Response
    truncated: Truncation | None
    anomalies: tuple[Anomaly, ...]

    @property
    def malformed(self) -> bool:
        """Whether extent or nature of the content is in doubt."""
        if not IN_DOUBT.isdisjoint(self.anomalies):
            return True
        return self.response.framing == "malformed" and Anomaly.CHUNKS_TOO_MANY not in self.anomalies


def truncation(progress: Progress, end: End) -> Truncation | None:
    """What cut the message off, if anything did.

    Content that ends with the connection is whole if that was closed, not reset. Where the end cannot be
    known, silence is as good an end as any.
    """
    if progress is Progress.LIMIT:
        return "length"
    if progress is Progress.COMPLETE:
        return None
    if progress in (Progress.UNTIL_CLOSE, Progress.UNCERTAIN) and end is End.CLOSED:
        return None
    if progress is Progress.UNCERTAIN and end is End.SILENT:
        return None
    return "disconnect" if end in (End.CLOSED, End.RESET) else "time"
