"""The host part of a SURT key: labels in reverse order, odd spellings of a host undone."""

from __future__ import annotations

import re
from typing import Final

from schemas.urls.percent import escape_once, unescape_fully

_WWW = re.compile(rb"www[0-9]*\.")
_NUMERIC_HOST = re.compile(rb"[1-9][0-9]*(?:\.[0-9]+){0,3}|0[0-7]*(?:\.[0-7]+){0,3}")
_DECIMALS_OF_A_WORD: Final = 32
"""10^32 is a multiple of 2^32, so the last 32 digits decide a number modulo 2^32."""


def host_key(host: bytes) -> bytes:
    """`www.Example.org` gives `org,example`; an IPv4 address in any spelling its reversed dotted quad.

    Percent-encoding is undone, non-ASCII goes through IDNA 2003 (as in the indexers), dots at the ends
    and one of two neighbouring dots go, and so does a first label `www` with digits or without.
    Empty where nothing is left.
    """
    name = unescape_fully(host)
    if not name.isascii():
        name = _to_ascii(name)
    name = name.replace(b"..", b".").strip(b".")
    name = _dotted_quad(name) or escape_once(name.lower()).lower()
    if www := _WWW.match(name):
        name = name[www.end() :]
    return b",".join(reversed(name.split(b".")))


def _to_ascii(name: bytes) -> bytes:
    """IDNA 2003; a name that has no such form stays as it is."""
    try:
        return name.decode("utf-8", "ignore").encode("idna")
    except UnicodeError:
        return name


def _dotted_quad(name: bytes) -> bytes | None:
    """The address that a numeric host means to `inet_aton`: one to four numbers, octal after a leading zero."""
    if name.isdigit():
        return _quad(int(name[-_DECIMALS_OF_A_WORD:]) & 0xFFFFFFFF)
    if _NUMERIC_HOST.fullmatch(name) is None:
        return None
    *leading, last = (_number(part) for part in name.split(b"."))
    limit = 256 ** (4 - len(leading))
    if last is None or last >= limit:
        return None
    address = last
    for position, number in enumerate(leading):
        if number is None or number > 255:
            return None
        address |= number << (8 * (3 - position))
    return _quad(address)


def _number(text: bytes) -> int | None:
    """One part of a numeric host, or None where it is no octal number or too large for any address."""
    digits = text.lstrip(b"0")
    octal = len(text) > 1 and text.startswith(b"0")
    if len(digits) > 11 or (octal and (b"8" in digits or b"9" in digits)):
        return None
    return int(digits or b"0", 8 if octal else 10)


def _quad(address: int) -> bytes:
    return ".".join(str(byte) for byte in address.to_bytes(4, "big")).encode("ascii")
