"""What ends without a response leaves a metadata record, no index line, and an answer in `status`; one job for all."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import io
import ipaddress
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from aiohttp.abc import AbstractResolver
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from fastwarc.warc import ArchiveIterator

from scheduler.outcomes import missing_urls
from schemas import keys
from schemas.records.job import JobOptions
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt
from workers.adapters.http.fetcher import Fetcher
from workers.adapters.http.resolver import SystemResolver
from workers.archive.octets import read_fields
from workers.config import Settings
from workers.flows.documents import read_object

pytestmark = pytest.mark.real

OPENED = "127.0.0.31"
CLOSED = "127.0.0.32"
"""On loopback too, and not opened: what a request must not reach."""


class Names(AbstractResolver):
    """Answers as name servers do that work, that refuse and that say nothing; all else is asked of the system."""

    def __init__(self) -> None:
        self._system = SystemResolver()

    async def resolve(self, host, port=0, family=socket.AF_INET):
        if host == "silent.example":
            await asyncio.sleep(1.5)
            raise OSError(None, "too late for anybody to hear")
        if host == "servfail.example":
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        if host == "inside.example":
            return await self._system.resolve(CLOSED, port, family)
        return await self._system.resolve(host, port, family)

    async def close(self):
        await self._system.close()


@pytest.fixture
def plain_port(socket_enabled: None) -> Iterator[int]:
    """A server that speaks no TLS, and answers to a client's hello all the same."""
    with socket.create_server((OPENED, 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection, contextlib.suppress(OSError):
                    connection.recv(10)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def wait(connection: socket.socket) -> None:
    """Say nothing until the other side gives up."""
    connection.settimeout(10)
    connection.recv(1)


@pytest.fixture
def narrow(settings_in, tmp_path) -> Settings:
    """One address of loopback is opened, and nobody is patient."""
    return replace(
        settings_in(tmp_path),
        allow_networks=(ipaddress.ip_network(OPENED),),
        connect_seconds=0.5,
        idle_seconds=0.4,
    )


@pytest.fixture
def self_signed(tmp_path) -> ssl.SSLContext:
    """A server's context with a certificate that nobody else vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, OPENED)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(OPENED))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "certificate.pem"
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    path.write_bytes(
        certificate.public_bytes(encoding) + key.private_bytes(encoding, form, serialization.NoEncryption())
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path)
    return context


def test_every_failure_is_recorded_and_told(plane_over, narrow, raw_web, plain_port, tmp_path):
    site, second, inside, deaf = raw_web(OPENED), raw_web(OPENED), raw_web(CLOSED), raw_web(OPENED)
    site.says("/robots.txt", b"User-agent: *\nDisallow: /private\n")
    site.answers["/empty"] = b""
    site.answers["/silent"] = wait
    for number, location in enumerate(
        (inside.url("/"), f"//{CLOSED}:{inside.port}/", f"http://{OPENED}:25/", "ftp://a/")
    ):
        site.redirects(f"/redirect{number}", location)
    second.redirects("/robots.txt", inside.url("/robots.txt"))
    deaf.answers["/robots.txt"] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with socket.create_server((OPENED, 0)) as unused:
        refused = unused.getsockname()[1]
    expected = {
        "http://nothing.invalid/": (Outcome.DNS_FAILED, "no such name"),
        "http://servfail.example/": (Outcome.DNS_FAILED, "name servers did not answer"),
        "http://silent.example/": (Outcome.TIMEOUT, "within 0.5 s"),
        f"http://{OPENED}:{refused}/": (Outcome.CONNECT_FAILED, "refused"),
        f"https://{OPENED}:{plain_port}/": (Outcome.TLS_FAILED, "speaks no TLS"),
        site.url("/private"): (Outcome.ROBOTS_DENIED, "robots.txt does not allow"),
        deaf.url("/page"): (Outcome.ROBOTS_UNREACHABLE, "503"),
        site.url("/empty"): (Outcome.EMPTY_REPLY, "without an answer"),
        site.url("/silent"): (Outcome.TIMEOUT, "no answer within"),
        "http://10.0.0.1/": (Outcome.GUARD_DENIED, "private use"),
        "http://169.254.169.254/latest/": (Outcome.GUARD_DENIED, "metadata"),
        "http://[::ffff:10.0.0.1]/": (Outcome.GUARD_DENIED, "that is 10.0.0.1"),
        f"http://{OPENED}:22/": (Outcome.GUARD_DENIED, "port 22"),
        f"http://inside.example:{inside.port}/": (Outcome.GUARD_DENIED, "loopback"),
        site.url("/redirect0"): (Outcome.GUARD_DENIED, "loopback"),
        site.url("/redirect1"): (Outcome.GUARD_DENIED, "loopback"),
        site.url("/redirect2"): (Outcome.GUARD_DENIED, "port 25"),
        second.url("/page"): (Outcome.ROBOTS_UNREACHABLE, "loopback"),
    }

    async def scenario():
        async with plane_over(narrow) as running:
            archive = running.archive
            archive._transport = Fetcher(resolver=Names(), spool_dir=tmp_path)
            job = await running.job([*expected, site.url("/redirect3")])
            for message in await running.release():
                assert await running.capture(message)
            found = [key async for key in archive.store.list(keys.receipts(job.id))]
            receipts = [await read_object(archive.store, key, Receipt) for key in found]
            warcs = [await archive.store.get(receipt.warc.key) for receipt in receipts]
            index = b"".join([await archive.store.get(receipt.cdxj.key) for receipt in receipts])
            return receipts, warcs, index, [each async for each in missing_urls(archive.store, job.id)]

    receipts, warcs, index, missing = asyncio.run(scenario())
    told = {each.requested_url: (each.outcome, each.failure, each.next_step) for each in missing}
    for url, (outcome, said) in expected.items():
        assert told[url][0] is outcome, (url, told[url])
        assert said in told[url][1], (url, told[url])
        assert told[url][2]
    assert site.url("/redirect3") not in told  # the answer is archived, and leads nowhere

    recorded = _failures(warcs)
    indexed = [json.loads(line.split(b" ", 2)[2])["url"] for line in index.splitlines()]
    for outcome in (each for receipt in receipts for each in receipt.outcomes if each.requested_url in expected):
        last = outcome.final
        assert [place.type for place in last.records] == ["metadata"]
        fields = recorded[f"<{last.records[0].record_id}>"]
        assert fields["outcome"] == outcome.outcome
        assert fields["failure"] == told[outcome.requested_url][1]
        assert last.url not in indexed
    assert inside.requests == []
    redirected = next(o for r in receipts for o in r.outcomes if o.requested_url == site.url("/redirect0"))
    assert [hop.outcome for hop in redirected.hops] == [Outcome.CAPTURED, Outcome.GUARD_DENIED]


def test_a_page_cannot_send_us_where_its_url_could_not(plane_over, narrow, raw_web):
    """What a page needs is asked for behind the same guard, by every way that a page has of naming it."""
    site, inside = raw_web(OPENED), raw_web(CLOSED)
    site.redirects("/moved.png", inside.url("/moved.png"))
    site.says("/style.css", f"@import '{inside.url('/import.css')}';".encode(), "Content-Type: text/css")
    refused = [
        inside.url("/image.png"),
        f"http://0x7f.32:{inside.port}/",
        "http://169.254.169.254/latest/meta-data/",
        f"http://{OPENED}:25/mail.png",
        "http://[::1]/loop.png",
    ]
    images = "".join(f'<img src="{url}">' for url in [*refused, "file:///etc/passwd", "gopher://127.0.0.1/x"])
    page = f"""<link rel=stylesheet href=/style.css><link rel=icon href=/moved.png>
        <iframe src="{inside.url("/frame")}"></iframe><style>p {{ background: url({inside.url("/css.png")}) }}</style>
        {images}"""
    site.says("/", page.encode(), "Content-Type: text/html")

    async def scenario():
        async with plane_over(narrow) as running:
            job = await running.job([site.url("/")], options=JobOptions(requisites=True))
            for message in await running.release():
                assert await running.capture(message)
            found = [key async for key in running.archive.store.list(keys.receipts(job.id))]
            return [await read_object(running.archive.store, key, Receipt) for key in found]

    receipts = asyncio.run(scenario())
    assert [outcome.outcome for receipt in receipts for outcome in receipt.outcomes] == [Outcome.CAPTURED]
    became = {each.url: each.outcome for receipt in receipts for each in receipt.requisites}
    denied = [
        *refused[:1],
        *refused[2:],
        *map(inside.url, ("/frame", "/css.png", "/import.css")),
        site.url("/moved.png"),
    ]
    assert {url: became.get(url) for url in denied} == dict.fromkeys(denied, Outcome.GUARD_DENIED)
    assert became[site.url("/style.css")] is Outcome.CAPTURED
    assert inside.requests == []


def test_a_certificate_that_does_not_hold_is_passed_over_only_by_a_job_that_says_so_and_marked(
    plane_over, narrow, raw_web, self_signed
):
    site = raw_web(OPENED, tls=self_signed)
    site.says("/", b"a page")

    async def scenario():
        async with plane_over(narrow) as running:
            found = []
            for insecure in (False, True, False):
                job = await running.job([site.url("/")], options=JobOptions(insecure_tls=insecure))
                for message in await running.release():
                    assert await running.capture(message)
                (key,) = [key async for key in running.archive.store.list(keys.receipts(job.id))]
                receipt = await read_object(running.archive.store, key, Receipt)
                found.append((receipt.outcomes[0], await running.archive.store.get(receipt.warc.key)))
            return found

    strict, insecure, strict_again = asyncio.run(scenario())
    for outcome, _ in (strict, strict_again):
        assert outcome.outcome is Outcome.TLS_FAILED
        assert "self-signed certificate" in outcome.failure
    outcome, warc = insecure
    assert outcome.outcome is Outcome.CAPTURED
    record = outcome.final.record("metadata")
    assert _failures([warc])[f"<{record.record_id}>"]["note"] == "certificate not verified"


def _failures(warcs):
    found = {}
    for data in warcs:
        for record in ArchiveIterator(io.BytesIO(data), parse_http=False):
            if record.headers["WARC-Type"] == "metadata":
                assert record.verify_block_digest()
                found[record.headers["WARC-Record-ID"]] = dict(read_fields(record.reader.read()) or ())
    return found
