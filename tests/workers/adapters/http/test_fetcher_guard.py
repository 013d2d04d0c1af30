"""The guard where it counts: no connection is made to an address that it refuses."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
import urllib.request
from ipaddress import ip_network

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


class Local(Names):
    """Every name is this machine."""

    def __init__(self):
        super().__init__(["127.0.0.1"])


async def say_ok(visit):
    await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")


NAMES = ["localtest.test", "127.0.0.1.nip.test", "LocalHost.Example", "xn--9ca.test", "ⓔxample.test", "a.b.c.test."]
"""Names that anybody may point at loopback."""

SPELLINGS = [
    "127.0.0.1", "127.1", "127.0.1", "127.000.000.001", "127.255.255.254", "0x7f.1", "0x7f.0.0.1", "0x7f000001",
    "0X7F.0X0.0X0.0X1", "0177.0.0.1", "017700000001", "00000177.1", "0x7f.0.0x0.01", "2130706433", "127.0.0.1.",
    "127%2e0%2e0%2e1", "%31%32%37.0.0.1", "127。0。0。1", "①②⑦.⓪.⓪.①", "１２７.０.０.１", "127.0.0.1\t",
    "\n127.0.0.1", "127.0\r\n.0.1", "0", "0.0.0.0", "00", "0x0", "localhost", "LOCALHOST", "localhost.", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "loc\u00adalhost", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000::0001]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]",
    "[::127.0.0.1]", "[::7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[::ffff:0:127.0.0.1]",
    "[2002:7f00:1::]", "[2606:4700::5efe:7f00:1]", "169.254.169.254", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376",
    "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]", "168.63.129.16", "100.100.100.200", "10.0.0.1", "172.16.0.1",
    "192.168.1.1", "user@127.0.0.1", "example.com@127.0.0.1", "example.com:80@127.0.0.1", "example.com%00@127.0.0.1",
    "a:b@c:d@127.0.0.1", "example.com&@127.0.0.1", "example.com\t@127.0.0.1",
]  # fmt: skip
"""What lists of ways round such guards hold, as the part between `//` and the port."""

REFUSED_FORMS = [
    "http:127.0.0.1:{port}/", "http:/127.0.0.1:{port}/", "http:///127.0.0.1:{port}/", "http:\\\\127.0.0.1:{port}/",
    "HTTP://127.0.0.1:{port}/", "http:////127.0.0.1:{port}/", " \x00http://127.0.0.1:{port}/", "ht\ntp://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@example.com/", "http://127.0.0.1:{port}?@example.com/",
    "http://127.0.0.1:{port}\\@example.com/", "http://127.0.0.1:{port}/@example.com/", "http://127.0.0.1:0{port}/",
    "https://127.0.0.1:{port}/",
]  # fmt: skip

NEVER_FETCHED = [
    "file:///etc/passwd", "file://127.0.0.1/etc/passwd", "ftp://127.0.0.1:{port}/", "gopher://127.0.0.1:{port}/_GET",
    "dict://127.0.0.1:{port}/info", "ldap://127.0.0.1:{port}/", "tftp://127.0.0.1:{port}/", "jar:http://127.0.0.1:{port}!/",
    "netdoc:///etc/passwd", "data:text/html,x", "javascript:alert(1)", "blob:http://127.0.0.1:{port}/x",
    "view-source:http://127.0.0.1:{port}/", "ws://127.0.0.1:{port}/", "wss://127.0.0.1:{port}/", "//127.0.0.1:{port}/",
    "127.0.0.1:{port}", "0://127.0.0.1:{port};http://127.0.0.1:{port}/", "http://[::1%25lo]:{port}/", "http://[::1%lo]:{port}/",
    "http://127.0.0.1%00.example.com:{port}/", "http://127.0.0.1 .example.com:{port}/", "http://425.510.425.510:{port}/",
    "http://0x100000000:{port}/", "http://127.0.0.1:{port}:80/", "http://[127.0.0.1]:{port}/", "http://127.0.0.256:{port}/",
]  # fmt: skip


def test_loopback_is_not_reached_by_any_spelling_unless_it_is_opened(serve_raw, ask):
    """Every way round a guard that is known well enough to stand in a list, over a real connection."""

    async def run():
        async with serve_raw(say_ok, host="0.0.0.0") as server, Fetcher(resolver=Local()) as fetcher:
            for form in [*(f"http://{host}:{{port}}/" for host in SPELLINGS + NAMES), *REFUSED_FORMS]:
                got = await fetcher.fetch(ask(form.format(port=server.port), allowed_networks=()))
                assert got.outcome is Outcome.GUARD_DENIED, (form, got)
                assert "is not public" in got.failure
                assert (got.request, got.remote_ip, got.response) == (b"", None, None)
            for form in NEVER_FETCHED:
                got = await fetcher.fetch(ask(form.format(port=server.port), allowed_networks=()))
                assert got.outcome in (Outcome.GUARD_DENIED, Outcome.DNS_FAILED), (form, got)
                assert got.failure.startswith("the URL cannot be fetched")
            assert server.connections == 0

    asyncio.run(run())


def test_the_same_spellings_reach_loopback_where_it_is_opened(serve_raw, ask):
    """What the test above refuses would otherwise have connected: it is the guard that stops it, nothing else."""

    async def run():
        async with serve_raw(say_ok, host="0.0.0.0") as server, Fetcher(resolver=Local()) as fetcher:
            for host in (
                "0x7f.1",
                "2130706433",
                "127。0。0。1",
                "①②⑦.⓪.⓪.①",
                "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
                "a@127.0.0.1",
                "[::ffff:7f00:1]",
            ):
                got = await fetcher.fetch(ask(f"http://{host}:{server.port}/"))
                assert got.outcome is Outcome.CAPTURED, (host, got)
                got.response.content.close()

    asyncio.run(run())


def test_a_name_that_answers_otherwise_each_time_reaches_only_what_was_opened(serve_raw, ask):
    """DNS rebinding, with and without a connection that is kept."""
    opened = (ip_network("127.0.0.1/32"),)

    async def run():
        names = Names(["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2", "127.0.0.1"], ["127.0.0.2"])
        async with (
            serve_raw(say_ok, host="0.0.0.0") as kept,
            serve_raw(say_ok, host="0.0.0.0") as second,
            serve_raw(say_ok, host="0.0.0.0") as third,
            Fetcher(resolver=names) as fetcher,
        ):

            async def fetch(server, **options):
                got = await fetcher.fetch(ask(server.url(host="rebind.example"), allowed_networks=opened, **options))
                if got.response is not None:
                    got.response.content.close()
                return got.outcome, got.remote_ip

            assert await fetch(kept) == (Outcome.CAPTURED, "127.0.0.1")
            assert await fetch(second) == (Outcome.GUARD_DENIED, None)
            assert await fetch(third) == (Outcome.CAPTURED, "127.0.0.1")
            assert await fetch(kept) == (Outcome.CAPTURED, "127.0.0.1")
            assert names.asked == 3
            assert (kept.connections, second.connections, third.connections) == (1, 0, 1)

    asyncio.run(run())


def test_no_proxy_of_the_environment_is_used_and_no_netrc_is_read(serve_raw, ask, quick, monkeypatch, tmp_path):
    """A proxy would connect in our place, where the guard does not see to what."""
    netrc = tmp_path / "netrc"
    netrc.write_text("default login robot password secret\n", encoding="ascii")
    monkeypatch.setenv("NETRC", str(netrc))

    async def run():
        async with serve_raw(say_ok) as proxy, serve_raw(say_ok) as server:
            for name in ("http_proxy", "https_proxy", "all_proxy"):
                monkeypatch.setenv(name, proxy.url())
                monkeypatch.setenv(name.upper(), proxy.url())
            monkeypatch.delenv("NO_PROXY", raising=False)
            monkeypatch.delenv("no_proxy", raising=False)
            assert set(urllib.request.getproxies()) >= {"http", "https", "all"}
            async with Fetcher() as fetcher:
                got = await fetcher.fetch(ask(server.url()))
                got.response.content.close()
                refused = await fetcher.fetch(ask(server.url(), allowed_networks=()))
                limits = dataclasses.replace(quick, connect_seconds=0.3)
                secure = await fetcher.fetch(ask(server.url(scheme="https"), limits=limits))
            assert (got.outcome, got.remote_ip) == (Outcome.CAPTURED, "127.0.0.1")
            assert (refused.outcome, secure.outcome) == (Outcome.GUARD_DENIED, Outcome.TIMEOUT)
            assert proxy.connections == 0
            assert b"Authorization" not in b"".join(server.requests)

    asyncio.run(run())


def test_without_a_contact_a_name_that_leads_to_a_public_address_is_refused(ask, socket_enabled):
    async def run():
        async with Fetcher(resolver=Names(["192.0.1.1"])) as fetcher:
            got = await fetcher.fetch(ask("http://public.example/", public=False))
            assert (got.outcome, got.request) == (Outcome.GUARD_DENIED, b"")
            assert "CITEVAULT_CONTACT" in got.failure

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
