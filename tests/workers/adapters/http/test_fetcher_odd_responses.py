"""Every odd response, sent over a real connection: whatever the server said is in the exchange."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

import pytest

from deploy.hostile.cases import STILL
from workers.adapters.http.fetcher import Fetcher
from workers.capture.message import wire_bytes

pytestmark = pytest.mark.real


@pytest.mark.parametrize("piece", [None, 1, 1460], ids=["at once", "byte by byte", "in packets"])
def test_every_odd_response_arrives_to_the_byte(piece, serve_raw, ask):
    async def run() -> None:
        async def answer(visit: Any) -> None:
            number = int(visit.request.split()[1].strip(b"/"))
            case = STILL[number]
            wire = case.wire()
            size = piece or len(wire)
            if piece == 1 and len(wire) > 1000:
                size = 1460
            for at in range(0, len(wire), size):
                await visit.send(wire[at : at + size])
                if piece:
                    await asyncio.sleep(0)
            if case.ends == "close":
                visit.writer.close()
            elif case.ends == "reset":
                await asyncio.sleep(0.02)  # so that what was sent is read before the reset arrives
                visit.writer.transport.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
                visit.writer.transport.abort()

        async with serve_raw(answer) as server:
            for number, case in enumerate(STILL):
                # A client for each: what comes late on a connection that is kept would meet the next request.
                async with Fetcher() as fetcher:
                    got = await fetcher.fetch(ask(server.url(f"/{number}")))
                response = got.response
                assert response is not None, case.name
                rebuilt = b"".join(wire_bytes(response))
                response.content.close()
                if piece and "surplus" in case.notes and b"Connection: close" not in case.wire():
                    # On a connection that is kept, a message that is over is over: nobody can know of more.
                    assert case.wire().startswith(rebuilt)
                    continue
                assert rebuilt == case.wire(), case.name
                assert (got.outcome.value, got.truncated, response.framing, response.status, list(got.notes)) == (
                    case.outcome,
                    case.truncated,
                    case.framing,
                    case.status,
                    list(case.notes),
                ), case.name
                assert got.request == server.requests[-1]
                assert got.remote_ip == "127.0.0.1"

    asyncio.run(run())


def test_every_response_of_the_llhttp_suite_arrives_to_the_byte(conformance_data, serve_raw, ask):
    cases = [
        case
        for path in sorted((conformance_data / "http/llhttp").glob("response-*.json"))
        for case in json.loads(path.read_text())
    ]

    async def run() -> None:
        async def answer(visit: Any) -> None:
            number = int(visit.request.split()[1].strip(b"/"))
            await visit.send(cases[number]["input"].encode("latin-1"))
            visit.writer.close()

        async with serve_raw(answer) as server, Fetcher() as fetcher:
            for number, case in enumerate(cases):
                got = await fetcher.fetch(ask(server.url(f"/{number}")))
                assert got.response is not None, case["title"]
                assert b"".join(wire_bytes(got.response)) == case["input"].encode("latin-1"), case["title"]
                got.response.content.close()

    asyncio.run(run())
    assert len(cases) >= 35
