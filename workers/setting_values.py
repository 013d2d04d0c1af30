"""From the text of a setting to its value: pure parsers that say in words what they would have accepted."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MOST_PAUSES = 20
SUFFIXES = {"": 1, "b": 1, "kib": 1024, "mib": 1024**2, "gib": 1024**3, "tib": 1024**4}


def text(raw: str) -> str:
    if not raw.isprintable():
        raise ValueError("printable text")
    return raw


def path(raw: str) -> Path:
    if "\0" in raw:
        raise ValueError("a path")
    return Path(raw).expanduser()


def paths(raw: str) -> tuple[Path, ...]:
    return tuple(path(item) for item in items(raw))


def items(raw: str) -> tuple[str, ...]:
    """Comma-separated, blanks around each ignored."""
    return tuple(item for item in (piece.strip() for piece in raw.split(",")) if item)


def networks(raw: str) -> tuple[Network, ...]:
    """CIDR networks or single addresses, comma-separated."""
    found = []
    for item in items(raw):
        try:
            found.append(ipaddress.ip_network(item))
        except ValueError as wrong:
            raise ValueError(f"networks such as 10.0.0.0/8, separated by commas ({item!r}: {wrong})") from None
    return tuple(found)


def integer(low: int, high: int) -> Callable[[str], int]:
    def parse(raw: str) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", raw) or not low <= int(raw) <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return int(raw)

    return parse


def seconds(low: float, high: float) -> Callable[[str], float]:
    def parse(raw: str) -> float:
        try:
            value = float(raw)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise ValueError(f"seconds from {low:g} to {high:g}")
        return value

    return parse


def share(raw: str) -> str:
    """A share in per cent; it stays text."""
    if not re.fullmatch(r"(?:100|[0-9]{1,2}(?:\.[0-9]{1,4})?)%", raw):
        raise ValueError("a share from 0% to 100%, such as 10%")
    return raw


def temperature(raw: str) -> str:
    """A decimal that stays text: what a judgement is pinned to is signed, and signed documents hold no fractions."""
    if not re.fullmatch(r"[01](?:\.[0-9]{1,3})?|2(?:\.0{1,3})?", raw):
        raise ValueError("a decimal from 0 to 2, such as 0 or 0.7")
    return raw


def pauses(high: float) -> Callable[[str], str]:
    """A list of seconds, or `never`; it stays text, since an empty list could not be told from no value."""

    def parse(raw: str) -> str:
        if raw.lower() == "never":
            return "never"
        given = items(raw)
        try:
            good = 0 < len(given) <= MOST_PAUSES and all(0 < float(each) <= high for each in given)
        except ValueError:
            good = False
        if not good:
            raise ValueError(f"up to {MOST_PAUSES} pauses of at most {high:g} seconds, such as 60,600,3600, or never")
        return ",".join(given)

    return parse


def size(low: int, high: int) -> Callable[[str], int]:
    """Bytes, or a number with KiB, MiB or GiB."""

    def parse(raw: str) -> int:
        match = re.fullmatch(r"([0-9]{1,18})\s*([A-Za-z]*)", raw)
        factor = SUFFIXES.get(match[2].lower()) if match else None
        if match is None or factor is None or not low <= int(match[1]) * factor <= high:
            raise ValueError(f"bytes from {low} to {high}, as a number or such as 64MiB")
        return int(match[1]) * factor

    return parse


def choice(*allowed: str) -> Callable[[str], str]:
    def parse(raw: str) -> str:
        for value in allowed:
            if raw.lower() == value.lower():
                return value
        raise ValueError("one of " + ", ".join(allowed))

    return parse


def redis_url(raw: str) -> str:
    if _scheme(raw) not in ("redis", "rediss"):
        raise ValueError("a Redis address such as redis://host:6379/0 or rediss://…")
    return raw


def store_address(raw: str) -> str:
    """An S3 endpoint, or `file:///folder` for the local-directory store."""
    scheme = _scheme(raw)
    if scheme == "file":
        if not urlsplit(raw).path.startswith("/"):
            raise ValueError("a folder such as file:///var/lib/citevault/store")
        return raw
    if scheme not in ("http", "https") or urlsplit(raw).path not in ("", "/"):
        raise ValueError("an S3 endpoint such as https://s3.example.org (no bucket in it), or file:///folder")
    return raw.rstrip("/")


def bucket(raw: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", raw):
        raise ValueError("a bucket name: 3 to 63 of a-z, 0-9, dot and hyphen")
    return raw


def prefix(raw: str) -> str:
    """A key prefix; comes back without slashes at its ends."""
    trimmed = raw.strip("/")
    if not re.fullmatch(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*", trimmed) or ".." in trimmed.split("/"):
        raise ValueError("folder names of A-Z, a-z, 0-9, dot, hyphen, underscore, separated by single slashes")
    return trimmed


def contact(raw: str) -> str:
    """An e-mail address or web page; it is sent to every site within the user agent's comment."""
    reachable = re.fullmatch(r"[^\s@()<>\\]+@[^\s@()<>\\]+|https?://[^\s()<>\\]+", raw)
    if reachable is None or not raw.isascii() or not raw.isprintable():
        raise ValueError("an e-mail address or a web page where somebody answers for this crawler")
    return raw


def user_agent(raw: str) -> str:
    if not raw.isascii() or not raw.isprintable():
        raise ValueError("printable ASCII")
    return raw


def _scheme(raw: str) -> str:
    try:
        parts = urlsplit(raw)
        _ = parts.port  # out of range raises
    except ValueError:
        return ""
    return parts.scheme if parts.hostname or parts.scheme == "file" else ""
