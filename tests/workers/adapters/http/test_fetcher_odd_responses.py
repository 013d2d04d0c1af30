"""Every odd response, sent over a real connection: whatever the server said is in the exchange."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from workers.adapters.http.fetcher import Fetcher
from workers.capture.message import wire_bytes

pytestmark = pytest.mark.real

TABLE: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "capture" / "odd_responses.json").read_text("utf-8")
)


def wire_of(case: dict[str, Any]) -> bytes:
    return b"".join(text.encode("latin-1") * times for text, times in case["wire"])


@pytest.mark.parametrize("piece", [None, 1, 1460], ids=["at once", "byte by byte", "in packets"])
def test_every_odd_response_arrives_to_the_byte(piece, serve_raw, ask):
    async def run() -> None:
        async def answer(visit: Any) -> None:
            number = int(visit.request.split()[1].strip(b"/"))
            wire, ends = wire_of(TABLE[number]), TABLE[number]["ends"]
            size = piece or len(wire)
            if piece == 1 and len(wire) > 1000:
                size = 1460
            for at in range(0, len(wire), size):
                await visit.send(wire[at : at + size])
                if piece:
                    await asyncio.sleep(0)
            if ends == "close":
                visit.writer.close()

        async with serve_raw(answer) as server, Fetcher() as fetcher:
            for number, case in enumerate(TABLE):
                got = await fetcher.fetch(ask(server.url(f"/{number}")))
                response = got.response
                assert response is not None, case["name"]
                rebuilt = b"".join(wire_bytes(response))
                response.content.close()
                if piece and case["name"] == "bytes after the message on a kept connection":
                    # A message that is over when its last byte comes is over: nobody can know of more.
                    assert wire_of(case).startswith(rebuilt)
                    continue
                assert rebuilt == wire_of(case), case["name"]
                assert (got.outcome.value, got.truncated, response.framing, response.status, list(got.notes)) == (
                    case["outcome"],
                    case["truncated"],
                    case["framing"],
                    case["status"],
                    case["notes"],
                ), case["name"]
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
