"""The guard where it counts: no connection is made to an address that it refuses."""

from __future__ import annotations

import asyncio
import socket

import pytest
from aiohttp.abc import AbstractResolver

from schemas.records.outcome import Outcome
from workers.adapters.http.fetcher import Fetcher

pytestmark = pytest.mark.real


class Names(AbstractResolver):
    """Answers with the next list of addresses each time it is asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = 0

    async def resolve(self, host, port=0, family=socket.AF_INET):
        self.asked += 1
        addresses = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not addresses:
            raise OSError(None, "Name or service not known")
        return [
            {"hostname": host, "host": address, "port": port, "family": 0, "proto": 0, "flags": 0}
            for address in addresses
        ]

    async def close(self):
        pass


async def say_ok(visit):
    await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "0x7f.1", "2130706433", "127.1", "[::ffff:127.0.0.1]", "localhost", "127.0.0.1.", "0.0.0.0"]
)
def test_loopback_is_not_reached_by_any_name_unless_it_is_opened(host, serve_raw, ask):
    async def run():
        async with serve_raw(say_ok) as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(f"http://{host}:{server.port}/", allowed_networks=()))
            assert got.outcome is Outcome.GUARD_DENIED
            assert "--allow-network" in got.failure
            assert (got.request, got.remote_ip, server.connections) == (b"", None, 0)

    asyncio.run(run())


def test_a_name_that_points_inside_is_refused(serve_raw, ask):
    async def run():
        async with serve_raw(say_ok) as server, Fetcher(resolver=Names(["127.0.0.1"])) as fetcher:
            got = await fetcher.fetch(ask(server.url(host="rebind.example"), allowed_networks=()))
            assert (got.outcome, server.connections) == (Outcome.GUARD_DENIED, 0)

    asyncio.run(run())


def test_of_several_addresses_only_those_that_pass_are_tried(serve_raw, ask, loopback):
    async def run():
        names = Names(["10.0.0.1", "127.0.0.1", "169.254.169.254"])
        async with serve_raw(say_ok) as server, Fetcher(resolver=names) as fetcher:
            got = await fetcher.fetch(ask(server.url(host="mixed.example"), allowed_networks=loopback))
            assert (got.outcome, got.remote_ip) == (Outcome.CAPTURED, "127.0.0.1")
            got.response.content.close()

    asyncio.run(run())


def test_an_address_is_looked_up_once_for_check_and_connect(serve_raw, ask, loopback):
    """DNS rebinding: a second look-up that would answer otherwise never takes place."""

    async def run():
        names = Names(["127.0.0.1"], ["10.0.0.1"])
        async with serve_raw(say_ok) as server, Fetcher(resolver=names) as fetcher:
            got = await fetcher.fetch(ask(server.url(host="rebind.example"), allowed_networks=loopback))
            assert (got.outcome, got.remote_ip, names.asked) == (Outcome.CAPTURED, "127.0.0.1", 1)
            got.response.content.close()

    asyncio.run(run())


def test_a_connection_opened_for_one_request_does_not_open_the_guard_for_another(serve_raw, ask):
    async def run():
        async with serve_raw(say_ok) as server, Fetcher() as fetcher:
            allowed = await fetcher.fetch(ask(server.url()))
            allowed.response.content.close()
            refused = await fetcher.fetch(ask(server.url(), allowed_networks=()))
            assert refused.outcome is Outcome.GUARD_DENIED
            assert len(server.requests) == 1

    asyncio.run(run())


def test_a_port_of_another_protocol_is_refused_even_inside(ask, socket_enabled):
    async def run():
        async with Fetcher() as fetcher:
            got = await fetcher.fetch(ask("http://127.0.0.1:25/"))
            assert got.outcome is Outcome.GUARD_DENIED
            assert "port 25" in got.failure

    asyncio.run(run())


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("ftp://user:secret@example.com/x", Outcome.GUARD_DENIED),
        ("file:///etc/passwd", Outcome.GUARD_DENIED),
        ("http://", Outcome.DNS_FAILED),
        ("http://user:secret@h:99999/", Outcome.DNS_FAILED),
        ("http://exa mple.com/", Outcome.DNS_FAILED),
    ],
)
def test_what_cannot_be_fetched_is_an_outcome_without_the_credentials(url, outcome, ask, socket_enabled):
    async def run():
        async with Fetcher() as fetcher:
            got = await fetcher.fetch(ask(url))
            assert got.outcome is outcome
            assert "secret" not in repr(got)

    asyncio.run(run())


def test_ipv6_loopback_is_reached_where_it_is_opened(serve_raw, ask):
    try:
        probe = socket.socket(socket.AF_INET6)
        probe.bind(("::1", 0))
        probe.close()
    except OSError:
        pytest.skip("no IPv6 on this machine")

    async def run():
        async with serve_raw(say_ok, host="::1") as server, Fetcher() as fetcher:
            got = await fetcher.fetch(ask(server.url(host="[::1]")))
            assert (got.outcome, got.remote_ip) == (Outcome.CAPTURED, "::1")
            assert got.request.startswith(f"GET / HTTP/1.1\r\nHost: [::1]:{server.port}\r\n".encode())
            got.response.content.close()

    asyncio.run(run())
