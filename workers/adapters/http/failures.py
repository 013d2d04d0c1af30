"""Translates what can go wrong before a response into an outcome and a sentence for a person.

A fault of this machine (no file descriptors, no memory) is not the web's: it is raised as retryable, so
that no URL is written down as failed for it.
"""

from __future__ import annotations

import asyncio
import errno
import ssl

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientError,
    ClientSSLError,
)

from schemas.records.outcome import Outcome
from workers.adapters.http.connector import GuardRefusedError
from workers.capture.request_head import Target
from workers.errors import RetryableError

Failure = tuple[Outcome, str]

_MAX_SENTENCE = 500
_OUR_FAULT = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL, errno.EACCES, errno.EPERM}
)


def connect_failure(error: Exception, target: Target, connect_seconds: float) -> Failure:
    """Outcome of a connection that did not come about. Raises RetryableError for faults of this machine."""
    place = f"{target.host}:{target.port}"
    match error:
        case GuardRefusedError():
            outcome, what = Outcome.GUARD_DENIED, error.refusal.reason
        case ClientConnectorDNSError():
            outcome, what = Outcome.DNS_FAILED, f"{target.host} has no address: {_system(error.os_error)}"
        case ClientConnectorCertificateError():
            outcome, what = Outcome.TLS_FAILED, f"certificate of {place}: {_certificate(error.certificate_error)}"
        case ClientSSLError():
            outcome, what = Outcome.TLS_FAILED, f"TLS with {place}: {_system(error.os_error)}"
        case ClientConnectorError() if target.scheme == "https" and isinstance(error.os_error, ConnectionResetError):
            outcome, what = Outcome.TLS_FAILED, f"{place} closed the connection during the TLS handshake"
        case ClientConnectorError() if isinstance(error.os_error, TimeoutError):
            outcome, what = Outcome.TIMEOUT, f"no connection to {place}: {_system(error.os_error)}"
        case ClientConnectorError():
            _raise_if_ours(error.os_error)
            outcome, what = Outcome.CONNECT_FAILED, f"no connection to {place}: {_system(error.os_error)}"
        case asyncio.TimeoutError():
            outcome, what = Outcome.TIMEOUT, f"no connection to {place} within {connect_seconds:g} s"
        case OSError():
            _raise_if_ours(error)
            outcome, what = Outcome.CONNECT_FAILED, f"no connection to {place}: {_system(error)}"
        case ClientError() | ValueError():
            outcome, what = Outcome.DNS_FAILED, f"{target.host} cannot be looked up: {error}"
        case _:
            raise error
    return outcome, what[:_MAX_SENTENCE]


def silence_failure(error: BaseException | None, timed_out_after: float | None) -> Failure:
    """Outcome of a connection over which not one byte came back."""
    if timed_out_after is not None:
        return Outcome.TIMEOUT, f"no answer within {timed_out_after:.1f} s"
    if isinstance(error, ssl.SSLError):
        return Outcome.TLS_FAILED, f"TLS was broken off: {_system(error)}"[:_MAX_SENTENCE]
    if error is not None:
        return Outcome.EMPTY_REPLY, "the connection was reset before any byte of an answer"
    return Outcome.EMPTY_REPLY, "the server closed the connection without an answer"


def local_fault(error: OSError) -> RetryableError:
    """What to raise where the bytes that came could not be held."""
    return RetryableError(
        f"this machine cannot hold the response: {_system(error)}",
        next_step="make room where temporary files go (TMPDIR)",
    )


def _raise_if_ours(error: OSError) -> None:
    if error.errno in _OUR_FAULT:
        raise RetryableError(
            f"this machine cannot open a connection: {_system(error)}",
            next_step="lower the number of URLs in flight, or raise the limit (ulimit -n)",
        ) from error


def _system(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__


def _certificate(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message or str(error)
    return str(error)
