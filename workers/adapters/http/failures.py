"""Translates what can go wrong before a response into an outcome and a sentence for a person.

The sentence says what happened and where; what to do about it follows from the outcome, and is said by whoever shows
it. A fault of this machine is not the web's (`faults.py`): it is raised as retryable, so that no URL is written down
as failed for it.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from typing import Final

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientSSLError,
    InvalidURL,
)

from schemas.records.outcome import Outcome
from workers.adapters.http.connector import GuardRefusedError
from workers.adapters.http.faults import is_ours, not_connected
from workers.adapters.http.handshakes import certificate_sentence, handshake_sentence
from workers.capture.request_head import Target

Failure = tuple[Outcome, str]

MAX_SENTENCE = 500
_LOOK_UPS: Final = {
    socket.EAI_NONAME: "there is no such name",
    socket.EAI_NODATA: "the name has no address",
    socket.EAI_AGAIN: "the name servers did not answer, or not with an answer",
    socket.EAI_FAIL: "the name servers refused to answer",
}
_CONNECTS: Final = {
    errno.ECONNREFUSED: "refused; nothing listens there, or a firewall says so",
    errno.EHOSTUNREACH: "the host cannot be reached",
    errno.ENETUNREACH: "this machine has no route there",
    errno.ETIMEDOUT: "nothing answered",
    errno.ECONNRESET: "reset while it was being made",
    errno.EACCES: "a firewall of this machine forbids it",
    errno.EPERM: "a firewall of this machine forbids it",
}


def connect_failure(error: Exception, target: Target, connect_seconds: float) -> Failure:
    """Outcome of a connection that did not come about. Raises RetryableError for faults of this machine."""
    outcome, what = _failure(error, target, connect_seconds)
    return outcome, what[:MAX_SENTENCE]


def _failure(error: Exception, target: Target, connect_seconds: float) -> Failure:
    place = f"{target.host}:{target.port}"
    match error:
        case GuardRefusedError():
            return Outcome.GUARD_DENIED, error.refusal.reason
        case ClientConnectorDNSError():
            return _look_up_failure(error.os_error, target)
        case ClientConnectorCertificateError():
            why = certificate_sentence(error.certificate_error)
            return Outcome.TLS_FAILED, f"the certificate of {place} does not hold: {why}"
        case ClientSSLError():
            return Outcome.TLS_FAILED, f"no TLS connection to {place}: {handshake_sentence(error.os_error)}"
        case ClientConnectorError() if target.scheme == "https" and isinstance(error.os_error, ConnectionResetError):
            return Outcome.TLS_FAILED, f"{place} closed the connection during the TLS handshake"
        case ClientConnectorError():
            return _no_connection(error.os_error, place)
        case asyncio.TimeoutError():
            return Outcome.TIMEOUT, f"no connection to {place} within {connect_seconds:g} s"
        case OSError():
            return _no_connection(error, place)
        case InvalidURL() | UnicodeError():
            return Outcome.DNS_FAILED, f"{target.host} cannot be looked up: {error}"
        case _:
            raise error


def _look_up_failure(error: OSError, target: Target) -> Failure:
    if is_ours(error):
        raise not_connected(error) from error
    known = _LOOK_UPS.get(error.errno) if isinstance(error, socket.gaierror) and error.errno is not None else None
    return Outcome.DNS_FAILED, f"{target.host} has no address: {known or _system(error)}"


def _no_connection(error: OSError, place: str) -> Failure:
    if is_ours(error):
        raise not_connected(error) from error
    outcome = Outcome.TIMEOUT if isinstance(error, TimeoutError) else Outcome.CONNECT_FAILED
    known = None if error.errno is None else _CONNECTS.get(error.errno)
    return outcome, f"no connection to {place}: {known or _system(error)}"


def silence_failure(error: BaseException | None, timed_out_after: float | None) -> Failure:
    """Outcome of a connection over which not one byte came back."""
    if timed_out_after is not None:
        return Outcome.TIMEOUT, f"no answer within {timed_out_after:.1f} s"
    if isinstance(error, ssl.SSLError):
        return Outcome.TLS_FAILED, f"TLS was broken off: {handshake_sentence(error)}"[:MAX_SENTENCE]
    if error is not None:
        return Outcome.EMPTY_REPLY, "the connection was reset before any byte of an answer"
    return Outcome.EMPTY_REPLY, "the server closed the connection without an answer"


def _system(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
