"""Failures without a response: each an outcome with a sentence."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import errno
import inspect
import os
import resource
import socket

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver
from aiohttp.client_reqrep import ConnectionKey

from schemas.records.outcome import Outcome
from workers.adapters.http.connector import GuardedConnector
from workers.adapters.http.failures import connect_failure
from workers.adapters.http.fetcher import Fetcher
from workers.adapters.http.wire import WireProtocol
from workers.capture.message import ResponseScanner
from workers.capture.request_head import target_of
from workers.errors import RetryableError

pytestmark = pytest.mark.real


async def say_ok(visit):
    await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")


class Slow(AbstractResolver):
    async def resolve(self, host, port=0, family=socket.AF_INET):
        await asyncio.sleep(30)
        raise OSError

    async def close(self):
        pass


@pytest.mark.parametrize(
    "host", ["nothing.invalid", "a" * 64 + ".example", "a..b.example", "x" * 200 + ".example", "-bad-.invalid"]
)
def test_a_name_without_an_address_is_dns_failed(host, ask, socket_enabled):
    async def run():
        async with Fetcher() as fetcher:
            got = await fetcher.fetch(ask(f"http://{host}/"))
            assert got.outcome is Outcome.DNS_FAILED
            assert got.failure

    asyncio.run(run())


def test_a_closed_port_is_connect_failed(ask, socket_enabled):
    probe = socket.socket()
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

    async def run():
        async with Fetcher() as fetcher:
            got = await fetcher.fetch(ask(f"http://127.0.0.1:{port}/"))
            assert got.outcome is Outcome.CONNECT_FAILED
            assert f"127.0.0.1:{port}" in got.failure

    asyncio.run(run())
    probe.close()


def test_a_look_up_that_takes_too_long_is_a_timeout(ask, quick, socket_enabled):
    async def run():
        async with Fetcher(resolver=Slow()) as fetcher:
            limits = dataclasses.replace(quick, connect_seconds=0.1)
            got = await fetcher.fetch(ask("http://slow.example/", limits=limits))
            assert (got.outcome, got.failure) == (
                Outcome.TIMEOUT,
                "no connection to slow.example:80 within 0.1 s",
            )

    asyncio.run(run())


def test_a_trusted_certificate_gives_protocol_and_cipher_suite(serve_raw, ask, certificates):
    async def run():
        async with serve_raw(say_ok, tls=certificates.server) as server, Fetcher(tls=certificates.client) as fetcher:
            for _ in range(2):
                got = await fetcher.fetch(ask(server.url(scheme="https")))
                assert (got.outcome, got.notes) == (Outcome.CAPTURED, ())
                assert got.protocols == ("http/1.1", "tls/1.3")
                assert got.cipher_suite.startswith("TLS_")
                got.response.content.close()
            assert server.connections == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("server", "unable to get local issuer"),
        ("self_signed", "self-signed"),
        ("other_host", "not valid for '127.0.0.1'"),
        ("expired", "has expired"),
    ],
)
def test_a_certificate_that_does_not_hold_is_tls_failed_and_no_request_is_sent(
    which, said, serve_raw, ask, certificates
):
    async def run():
        trusted = None if which in ("server", "self_signed") else certificates.client
        async with serve_raw(say_ok, tls=getattr(certificates, which)) as server, Fetcher(tls=trusted) as fetcher:
            got = await fetcher.fetch(ask(server.url(scheme="https")))
            assert got.outcome is Outcome.TLS_FAILED
            assert f"the certificate of 127.0.0.1:{server.port} does not hold: " in got.failure
            assert said in got.failure
            assert server.requests == []

    asyncio.run(run())


def test_an_unverified_certificate_is_archived_only_when_asked_for_and_marked(serve_raw, ask, certificates):
    async def run():
        async with serve_raw(say_ok, tls=certificates.expired) as server, Fetcher(tls=certificates.client) as fetcher:
            got = await fetcher.fetch(ask(server.url(scheme="https"), verify_tls=False))
            assert (got.outcome, got.notes) == (Outcome.CAPTURED, ("certificate not verified",))
            got.response.content.close()
            again = await fetcher.fetch(ask(server.url(scheme="https")))
            assert again.outcome is Outcome.TLS_FAILED

    asyncio.run(run())


def test_tls_towards_a_server_that_speaks_none_is_tls_failed(socket_enabled, ask):
    async def plain(reader, writer):
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def silent(reader, writer):
        await reader.read(10)
        writer.close()

    async def run():
        for behave in (plain, silent):
            server = await asyncio.start_server(behave, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            async with Fetcher() as fetcher:
                got = await fetcher.fetch(ask(f"https://127.0.0.1:{port}/"))
                assert got.outcome is Outcome.TLS_FAILED, got
            server.close()

    asyncio.run(run())


KEY = ConnectionKey("h", 80, False, True, None, None, None)


def no_look_up(code):
    return aiohttp.ClientConnectorDNSError(KEY, socket.gaierror(code, "as the system says it"))


def no_connect(code):
    return aiohttp.ClientConnectorError(KEY, OSError(code, "as the system says it"))


@pytest.mark.parametrize(
    ("error", "outcome", "said"),
    [
        (no_look_up(socket.EAI_NONAME), Outcome.DNS_FAILED, "h has no address: there is no such name"),
        (no_look_up(socket.EAI_NODATA), Outcome.DNS_FAILED, "h has no address: the name has no address"),
        (no_look_up(socket.EAI_AGAIN), Outcome.DNS_FAILED, "h has no address: the name servers did not answer"),
        (no_look_up(socket.EAI_FAIL), Outcome.DNS_FAILED, "h has no address: the name servers refused"),
        (no_look_up(socket.EAI_BADFLAGS), Outcome.DNS_FAILED, "h has no address: as the system says it"),
        (no_connect(errno.ECONNREFUSED), Outcome.CONNECT_FAILED, "no connection to h:80: refused; nothing listens"),
        (no_connect(errno.EHOSTUNREACH), Outcome.CONNECT_FAILED, "no connection to h:80: the host cannot be reached"),
        (no_connect(errno.ENETUNREACH), Outcome.CONNECT_FAILED, "no connection to h:80: this machine has no route"),
        (no_connect(errno.EPERM), Outcome.CONNECT_FAILED, "no connection to h:80: a firewall of this machine"),
        (no_connect(errno.ETIMEDOUT), Outcome.TIMEOUT, "no connection to h:80: nothing answered"),
        (no_connect(errno.EIO), Outcome.CONNECT_FAILED, "no connection to h:80: as the system says it"),
        (TimeoutError(), Outcome.TIMEOUT, "no connection to h:80 within 20 s"),
        (OSError("Multiple exceptions: a, b"), Outcome.CONNECT_FAILED, "no connection to h:80: Multiple exceptions"),
    ],
)
def test_each_failure_of_the_web_is_an_outcome_with_a_sentence(error, outcome, said):
    got, sentence = connect_failure(error, target_of("http://h/"), 20)
    assert got is outcome
    assert sentence.startswith(said)


@pytest.mark.parametrize(
    "error",
    [
        *map(no_connect, (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL)),
        *map(no_look_up, (socket.EAI_MEMORY, socket.EAI_SYSTEM)),
        aiohttp.ClientConnectorDNSError(KEY, OSError(errno.EMFILE, "Too many open files")),
    ],
    ids=repr,
)
def test_a_fault_of_this_machine_is_not_written_down_as_the_webs(error):
    with pytest.raises(RetryableError, match="this machine"):
        connect_failure(error, target_of("http://h/"), 20)


@pytest.mark.parametrize("url", ["http://nothing.invalid/", "http://localhost:{port}/", "http://127.0.0.2:{port}/"])
def test_without_file_descriptors_no_url_is_written_down_as_failed(url, serve_raw, ask):
    """The system's resolver says of any name that it does not exist when it cannot open a socket."""

    async def run():
        async with serve_raw(say_ok, host="0.0.0.0") as server, Fetcher() as fetcher:
            (await fetcher.fetch(ask(server.url()))).response.content.close()
            limits = resource.getrlimit(resource.RLIMIT_NOFILE)
            spare = [os.dup(0)]
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(spare) + 200, limits[1]))
            try:
                with contextlib.suppress(OSError):
                    while True:
                        spare.append(os.dup(0))
                with pytest.raises(RetryableError, match="this machine cannot open a connection"):
                    await fetcher.fetch(ask(url.format(port=server.port)))
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, limits)
                for descriptor in spare:
                    os.close(descriptor)
            got = await fetcher.fetch(ask(url.format(port=server.port)))
            assert got.outcome in (Outcome.CAPTURED, Outcome.DNS_FAILED)
            if got.response is not None:
                got.response.content.close()

    asyncio.run(run())


def test_a_connection_that_our_own_code_broke_is_no_disconnect(serve_raw, ask, monkeypatch):
    """An error within `data_received` reaches us as a lost connection; the archive must not blame the server for it."""
    feed = ResponseScanner.feed

    async def run(error, raised):
        def broken(scanner, data):
            feed(scanner, data)
            raise error

        async with serve_raw(say_ok) as server, Fetcher() as fetcher:
            asyncio.get_running_loop().set_exception_handler(lambda *_: None)
            monkeypatch.setattr(ResponseScanner, "feed", broken)
            with pytest.raises(type(raised), match=str(raised)):
                await fetcher.fetch(ask(server.url()))

    asyncio.run(run(MemoryError(), RetryableError("no memory")))
    asyncio.run(run(KeyError("a mistake"), KeyError("a mistake")))


def test_a_timeout_of_the_system_is_a_timeout():
    key = ConnectionKey("h", 80, False, True, None, None, None)
    error = aiohttp.ClientConnectorError(key, TimeoutError(errno.ETIMEDOUT, "Connection timed out"))
    assert connect_failure(error, target_of("http://h/"), 20)[0] is Outcome.TIMEOUT


def test_an_error_that_nobody_knows_is_not_swallowed():
    with pytest.raises(RuntimeError):
        connect_failure(RuntimeError("x"), target_of("http://h/"), 20)


def test_what_we_override_of_aiohttp_is_still_there_as_we_know_it():
    """Private methods: this fails first when aiohttp changes them."""
    for ours, name in ((GuardedConnector, "_wrap_create_connection"), (GuardedConnector, "_release")):
        base = ours.__mro__[1]
        theirs = list(inspect.signature(getattr(base, name)).parameters)
        assert list(inspect.signature(getattr(ours, name)).parameters) == theirs
    for name in ("data_received", "connection_lost", "should_close"):
        assert getattr(WireProtocol, name) is not getattr(WireProtocol.__mro__[1], name)
    assert "_factory" in inspect.getsource(aiohttp.BaseConnector)
    assert "self._factory" in inspect.getsource(aiohttp.TCPConnector._create_direct_connection)
