"""Why a TLS handshake failed, in words: OpenSSL names the functions that gave up, not what a person could see."""

from __future__ import annotations

import ssl
from typing import Final

_NO_TLS: Final = "what answers there speaks no TLS"
_NO_VERSION: Final = "no version of TLS in common; the server's are too old (before TLS 1.2), or ours are for it"
_REFUSED: Final = "the server refuses the handshake: no cipher suite in common, or it wants a client's certificate"
_CLIENT_CERTIFICATE: Final = "the server wants a client's certificate, and we have none"
_NO_SUCH_NAME: Final = "the server has no certificate for this name"
_WEAK: Final = "the server's key is too weak"

_REASONS: Final = {
    "WRONG_VERSION_NUMBER": _NO_TLS,
    "HTTP_REQUEST": _NO_TLS,
    "PACKET_LENGTH_TOO_LONG": _NO_TLS,
    "RECORD_LAYER_FAILURE": _NO_TLS,
    "UNSUPPORTED_PROTOCOL": _NO_VERSION,
    "TLSV1_ALERT_PROTOCOL_VERSION": _NO_VERSION,
    "NO_PROTOCOLS_AVAILABLE": _NO_VERSION,
    "SSLV3_ALERT_HANDSHAKE_FAILURE": _REFUSED,
    "NO_SHARED_CIPHER": _REFUSED,
    "TLSV1_ALERT_INSUFFICIENT_SECURITY": _REFUSED,
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": _CLIENT_CERTIFICATE,
    "SSLV3_ALERT_BAD_CERTIFICATE": _CLIENT_CERTIFICATE,
    "TLSV1_UNRECOGNIZED_NAME": _NO_SUCH_NAME,
    "DH_KEY_TOO_SMALL": _WEAK,
    "EE_KEY_TOO_SMALL": _WEAK,
}


def certificate_sentence(error: Exception) -> str:
    """Why a certificate does not hold, as OpenSSL says it: those texts are meant for people."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message or str(error)
    return str(error)


def handshake_sentence(error: OSError) -> str:
    """Why there is no TLS connection, or why it was broken off."""
    reason = error.reason if isinstance(error, ssl.SSLError) else None
    if not reason:
        return error.strerror or str(error) or type(error).__name__
    return _REASONS.get(reason) or reason.replace("_", " ").lower()
