"""TLS connections that do not come about, against OpenSSL on the other side, which says why in alerts."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from schemas.records.outcome import Outcome
from workers.adapters.http.fetcher import Fetcher
from workers.adapters.http.handshakes import handshake_sentence

pytestmark = pytest.mark.real

Serve = Callable[[ssl.SSLContext], AbstractContextManager[int]]


@pytest.fixture
def openssl(socket_enabled: None) -> Serve:
    """A TLS server that blocks, in a thread: unlike asyncio's it sends its alerts. Gives its port."""

    @contextlib.contextmanager
    def serve(context: ssl.SSLContext) -> Iterator[int]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=_answer, args=(listener, context))
            thread.start()
            yield listener.getsockname()[1]
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()

    return serve


def _answer(listener: socket.socket, context: ssl.SSLContext) -> None:
    while True:
        try:
            plain, _ = listener.accept()
        except OSError:
            return
        with context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False) as secure:
            secure.settimeout(5)
            try:
                secure.do_handshake()
                secure.recv(65536)
                secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
            except OSError:
                pass
            with contextlib.suppress(OSError):  # what is left unread would make the system reset the connection
                secure.shutdown(socket.SHUT_WR)
                while socket.socket.recv(secure, 65536):
                    pass


def too_old(context, certificates):
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1
    context.set_ciphers("ALL:@SECLEVEL=0")


def no_cipher_in_common(context, certificates):
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE-ECDSA-AES128-CCM8:@SECLEVEL=0")


def client_certificate(context, certificates):
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificates.authority)


def client_certificate_before_tls_1_3(context, certificates):
    client_certificate(context, certificates)
    context.maximum_version = ssl.TLSVersion.TLSv1_2


def no_such_name(context, certificates):
    context.sni_callback = lambda *_: ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (too_old, "no version of TLS in common"),
        (no_cipher_in_common, "refuses the handshake"),
        (client_certificate, "wants a client's certificate"),
        (client_certificate_before_tls_1_3, "client's certificate"),
        (no_such_name, "no certificate for this name"),
    ],
)
@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1 is deprecated:DeprecationWarning")
def test_a_handshake_that_fails_says_why_in_words(make, said, verify, openssl, ask, certificates):
    context = certificates.context()
    make(context, certificates)

    async def run(port):
        async with Fetcher(tls=certificates.client) as fetcher:
            return await fetcher.fetch(ask(f"https://localhost:{port}/", verify_tls=verify))

    with openssl(context) as port:
        got = asyncio.run(run(port))
    assert (got.outcome, got.response) == (Outcome.TLS_FAILED, None)
    assert said in got.failure
    assert "_ssl.c" not in got.failure


def test_a_reason_that_nobody_has_put_in_words_is_told_as_it_is():
    error = ssl.SSLError(1, "[SSL: SOMETHING_NEW] something new (_ssl.c:1)")
    error.reason = "SOMETHING_NEW"
    assert handshake_sentence(error) == "something new"
    assert handshake_sentence(ConnectionResetError(104, "Connection reset by peer")) == "Connection reset by peer"
    assert handshake_sentence(ConnectionResetError()) == "ConnectionResetError"
