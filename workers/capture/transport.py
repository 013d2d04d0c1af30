"""The port through which a flow fetches: one request in, one exchange out, never an exception for the web's faults."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, Protocol

from workers.capture.guard import Networks
from workers.capture.limits import FetchLimits
from workers.exchange import Exchange
from workers.light import light

Purpose = Literal["page", "robots", "requisite"]


@light
class FetchRequest:
    """One GET. Fragment and userinfo of `url` are not sent and reach no record."""

    url: str
    headers: tuple[tuple[str, str], ...]
    """Fields after `Host`, in the order and with the letters in which they are sent."""
    purpose: Purpose = "page"
    allowed_networks: Networks = ()
    """Ranges that the guard opens for this request."""
    public: bool = True
    """Whether public addresses may be reached; not where nobody is named whom a site could write to."""
    verify_tls: bool = True
    limits: FetchLimits = field(default_factory=FetchLimits)


class Transport(Protocol):
    """What flows ask of an HTTP client."""

    async def fetch(self, request: FetchRequest) -> Exchange:
        """Perform one exchange. Redirects are not followed, nothing is decoded, no cookie is kept."""

    async def address(self, host: str) -> str | None:
        """One address that stands for where a host (and port) is served: of several the least, so that hosts that
        share them share it; None where it has none, or none that can be asked for."""

    async def close(self) -> None:
        """Give back connections and threads."""
