"""What the suites of capture share: scanning bytes in pieces, and values around a response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from schemas.records.outcome import Outcome
from workers.capture.limits import FetchLimits
from workers.capture.message import ResponseScanner, wire_bytes
from workers.capture.scan import End, Scan
from workers.exchange import Chunk, Exchange, Framing, Response, Spool, Truncation


@dataclass(frozen=True)
class Scanned:
    """A scan with its bytes taken out, so that nothing stays open."""

    rebuilt: bytes
    content: bytes
    head: bytes
    framing: Framing
    status: int | None
    headers: tuple[tuple[bytes, bytes], ...]
    interim: tuple[bytes, ...]
    chunks: tuple[Chunk, ...]
    trailer: bytes
    surplus: bytes
    truncated: Truncation | None
    malformed: bool
    notes: list[str]
    reusable: bool

    @property
    def outcome(self) -> str:
        if self.truncated:
            return "truncated"
        return "malformed" if self.malformed else "captured"


ScanPieces = Callable[..., Scanned]


@pytest.fixture(scope="session")
def scan_pieces() -> ScanPieces:
    """Scan bytes that arrive in these pieces."""

    def run(
        pieces: Iterable[bytes], *, end: End = End.CLOSED, method: str = "GET", limits: FetchLimits | None = None
    ) -> Scanned:
        scanner = ResponseScanner(method, limits)
        for piece in pieces:
            scanner.feed(piece)
        reusable = scanner.reusable
        scan: Scan = scanner.finish(end)
        response = scan.response
        try:
            return Scanned(
                rebuilt=b"".join(wire_bytes(response)),
                content=response.content.read(),
                head=response.head,
                framing=response.framing,
                status=response.status,
                headers=response.headers,
                interim=response.interim,
                chunks=response.chunks,
                trailer=response.trailer,
                surplus=response.surplus,
                truncated=scan.truncated,
                malformed=scan.malformed,
                notes=[anomaly.value for anomaly in scan.anomalies],
                reusable=reusable,
            )
        finally:
            response.content.close()

    return run


@pytest.fixture(scope="session")
def scan(scan_pieces: ScanPieces) -> ScanPieces:
    """Scan bytes that arrive at once."""

    def run(wire: bytes, **options: Any) -> Scanned:
        return scan_pieces([wire] if wire else [], **options)

    return run


@pytest.fixture
def answered() -> Iterator[Callable[..., Exchange]]:
    """Build an exchange with a response of this status, header fields and body."""
    spools: list[Spool] = []

    def build(
        status: int | None,
        headers: Iterable[tuple[bytes, bytes]] = (),
        body: bytes = b"",
        *,
        url: str = "https://example.com/robots.txt",
        truncated: Truncation | None = None,
    ) -> Exchange:
        content = Spool(body)
        spools.append(content)
        return Exchange(
            url=url,
            started_at="2026-11-29T12:00:00.000000Z",
            outcome=Outcome.TRUNCATED if truncated else Outcome.CAPTURED,
            response=Response(
                head=b"HTTP/1.1 %d x\r\n\r\n" % (status or 0),
                content=content,
                framing="length",
                status=status,
                headers=tuple(headers),
            ),
            truncated=truncated,
        )

    yield build
    for spool in spools:
        spool.close()
