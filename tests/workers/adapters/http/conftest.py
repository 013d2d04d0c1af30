"""A server that says exactly what a test tells it to, on a real socket."""

from __future__ import annotations

import asyncio
import datetime
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from workers.capture.guard import Networks
from workers.capture.limits import FetchLimits
from workers.capture.transport import FetchRequest

Answer = Callable[["Visit"], Awaitable[None]]


@dataclass
class Visit:
    """One connection to the server, after it has read a request."""

    request: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    number: int
    """Of this request among all that the server has seen, from 0."""

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()


@dataclass
class RawServer:
    """What a server has seen so far."""

    port: int = 0
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client has closed its connection."""

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


ServeRaw = Callable[..., AbstractAsyncContextManager[RawServer]]


@pytest.fixture
def serve_raw(socket_enabled: None) -> ServeRaw:
    """Serve: `answer(visit)` is called for each request; the connection stays open until it closes it."""

    @asynccontextmanager
    async def serve(
        answer: Answer, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
    ) -> AsyncIterator[RawServer]:
        seen = RawServer()
        tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            seen.connections += 1
            try:
                while not writer.is_closing():
                    request = await reader.readuntil(b"\r\n\r\n")
                    seen.requests.append(request)
                    await answer(Visit(request, reader, writer, len(seen.requests) - 1))
            except (asyncio.IncompleteReadError, ConnectionError):
                seen.gone.set()
            except asyncio.CancelledError:
                pass
            finally:
                tasks.discard(task)
                writer.close()

        server = await asyncio.start_server(connected, host, 0, ssl=tls)
        seen.port = server.sockets[0].getsockname()[1]
        try:
            yield seen
        finally:
            server.close()
            for task in list(tasks):
                task.cancel()
            await asyncio.sleep(0.01)

    return serve


@pytest.fixture
def loopback() -> Networks:
    return (ip_network("127.0.0.0/8"), ip_network("::1/128"))


@pytest.fixture
def quick() -> FetchLimits:
    """Limits under which a test does not have to wait."""
    return FetchLimits(connect_seconds=5, idle_seconds=5, total_seconds=10, linger_seconds=0.15, settle_seconds=0.05)


@pytest.fixture
def ask(loopback: Networks, quick: FetchLimits) -> Callable[..., FetchRequest]:
    """A request that the guard lets through to loopback."""

    def build(url: str, **options: object) -> FetchRequest:
        settings: dict[str, object] = {
            "headers": (("User-Agent", "Citevault/test"),),
            "allowed_networks": loopback,
            "limits": quick,
        }
        return FetchRequest(url, **(settings | options))  # type: ignore[arg-type]

    return build


@dataclass(frozen=True)
class Certificates:
    """Server contexts with certificates of one authority, and a client context that trusts it."""

    server: ssl.SSLContext
    other_host: ssl.SSLContext
    expired: ssl.SSLContext
    self_signed: ssl.SSLContext
    client: ssl.SSLContext
    authority: Path
    context: Callable[[], ssl.SSLContext]
    """Another server context with the certificate of `server`, to be changed."""


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test Authority")])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)

    def issue(label: str, names: list[x509.GeneralName], until: datetime.datetime, authority: bool = False) -> Path:
        builder = (
            x509.CertificateBuilder()
            .subject_name(name if authority else x509.Name([]))
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 10 * day)
            .not_valid_after(until)
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=True)
        certificate = builder.sign(key, hashes.SHA256())
        path = folder / f"{label}.pem"
        path.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return path

    def context(path: Path) -> ssl.SSLContext:
        made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        made.load_cert_chain(path)
        return made

    local: list[x509.GeneralName] = [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")]
    authority = issue("authority", [], now + day, authority=True)
    client = ssl.create_default_context(cafile=str(authority))
    return Certificates(
        server=context(issue("server", local, now + day)),
        other_host=context(issue("other", [x509.DNSName("other.example")], now + day)),
        expired=context(issue("expired", local, now - day)),
        self_signed=context(authority),
        client=client,
        authority=authority,
        context=lambda: context(folder / "server.pem"),
    )
