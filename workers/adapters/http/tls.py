"""What the WARC names of a TLS connection: protocol and cipher suite."""

from __future__ import annotations

import re
import ssl

_VERSION = re.compile(r"TLSv1(?:\.([0-9]))?")
_KEY_EXCHANGE = re.compile(r"(ECDHE|DHE)-(RSA|ECDSA|DSS|PSK)-(.+)|(ECDHE|DHE)-(PSK)-(.+)")
_MAC = re.compile(r"(.+)-(SHA(?:256|384)?)")
_KEY_BITS = re.compile(r"\b(AES|CAMELLIA|ARIA)(128|256)\b")


def tls_protocol(version: str | None) -> str | None:
    """`tls/1.3` for `TLSv1.3`; None for what is not TLS."""
    found = _VERSION.fullmatch(version or "")
    return f"tls/1.{found.group(1) or '0'}" if found else None


def cipher_suite(name: str) -> str:
    """The IANA name of a cipher suite that OpenSSL names in its own way; unknown names stay as they are.

    TLS 1.3 names are IANA's already. `ECDHE-RSA-AES128-GCM-SHA256` is
    `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`.
    """
    if name.startswith("TLS_"):
        return name
    exchange = "RSA"
    rest = name
    if found := _KEY_EXCHANGE.fullmatch(name):
        exchange, rest = f"{found.group(1)}_{found.group(2)}", found.group(3)
    elif not name.startswith(("AES", "CAMELLIA", "ARIA")):
        return name
    if rest == "CHACHA20-POLY1305":
        rest += "-SHA256"
    bulk, mac = _split_mac(rest)
    if mac is None:
        return name
    bulk = _KEY_BITS.sub(r"\1-\2", bulk)
    if not bulk.endswith(("GCM", "CCM", "CCM8", "POLY1305")):
        bulk += "-CBC"
    return f"TLS_{exchange}_WITH_{bulk.replace('-', '_')}_{mac}"


def _split_mac(rest: str) -> tuple[str, str | None]:
    found = _MAC.fullmatch(rest)
    return (found.group(1), found.group(2)) if found else (rest, None)


def session_of(ssl_object: ssl.SSLObject | ssl.SSLSocket | None) -> tuple[str | None, str | None]:
    """Protocol and cipher suite of a connection; (None, None) without TLS."""
    if ssl_object is None:
        return None, None
    cipher = ssl_object.cipher()
    return tls_protocol(ssl_object.version()), cipher_suite(cipher[0]) if cipher else None
