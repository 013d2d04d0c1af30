"""Refuses to be sent inside: addresses and ports that a URL from outside must not reach.

The check is made on the address that a connection goes to, not on a name, so that neither DNS
rebinding nor an odd spelling of an address gets round it. Ranges are those of the IANA special-purpose
registries (RFC 6890 and its updates) and everything outside global unicast; ports are the ones that
the Fetch standard blocks. `allowed_networks` opens ranges, for tests and for archives of one's own site.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

Network = IPv4Network | IPv6Network
Networks = tuple[Network, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the guard says no, as a sentence."""

    reason: str


_IPV4: Final = {
    "0.0.0.0/8": "this network (RFC 1122)",
    "10.0.0.0/8": "private use (RFC 1918)",
    "100.64.0.0/10": "shared by carriers (RFC 6598)",
    "127.0.0.0/8": "loopback (RFC 1122)",
    "169.254.0.0/16": "link-local, where clouds serve their metadata (RFC 3927)",
    "172.16.0.0/12": "private use (RFC 1918)",
    "192.0.0.0/24": "protocol assignments (RFC 6890)",
    "192.0.2.0/24": "documentation (RFC 5737)",
    "192.88.99.0/24": "6to4 relays (RFC 7526)",
    "192.168.0.0/16": "private use (RFC 1918)",
    "198.18.0.0/15": "benchmarks (RFC 2544)",
    "198.51.100.0/24": "documentation (RFC 5737)",
    "203.0.113.0/24": "documentation (RFC 5737)",
    "224.0.0.0/4": "multicast (RFC 5771)",
    "240.0.0.0/4": "reserved (RFC 1112)",
}
_IPV6: Final = {
    "2001::/23": "protocol assignments, Teredo among them (RFC 2928, RFC 4380)",
    "2001:db8::/32": "documentation (RFC 3849)",
    "2002::/16": "6to4 (RFC 3056)",
    "3fff::/20": "documentation (RFC 9637)",
}
_RULES_4: Final = tuple((IPv4Network(network), why) for network, why in _IPV4.items())
_RULES_6: Final = tuple((IPv6Network(network), why) for network, why in _IPV6.items())
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_MAPPED: Final = IPv6Network("::ffff:0:0/96")
_TRANSLATED: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("::ffff:0:0:0/96"))
"""NAT64 (RFC 6052) and SIIT (RFC 2765): the last 32 bits are the IPv4 address that is reached."""

BLOCKED_PORTS: Final = frozenset(
    {
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
        104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513,
        514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720,
        1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    }
)  # fmt: skip
"""Ports of other protocols that a request line could be made to speak (Fetch standard, port blocking)."""


@lru_cache(maxsize=4096)
def check_address(address: str, allowed_networks: Networks = ()) -> Refusal | None:
    """Whether a connection to this address is refused; None lets it pass."""
    try:
        given = ip_address(address)
    except (ValueError, AddressValueError):
        return Refusal(f"{address[:64]!r} is no IP address")
    reached = _reached(given)
    if any(candidate in network for network in allowed_networks for candidate in (given, reached)):
        return None
    why = _special(reached)
    if why is None:
        return None
    shown = str(given) if given == reached else f"{given} (that is {reached})"
    return Refusal(f"address {shown} is not public: {why}; open it with --allow-network if it is yours")


def check_port(port: int) -> Refusal | None:
    """Whether a port is refused, wherever it is."""
    if port in BLOCKED_PORTS:
        return Refusal(f"port {port} belongs to another protocol (Fetch standard, port blocking)")
    return None


def parse_networks(texts: Iterable[str]) -> Networks | Refusal:
    """CIDR texts such as `127.0.0.0/8`; a bare address is a network of one."""
    networks: list[Network] = []
    for text in texts:
        try:
            networks.append(ip_network(text.strip()))
        except ValueError as error:
            return Refusal(f"{text[:64]!r} is no network: {error}; write it like 127.0.0.0/8")
    return tuple(networks)


def is_allowed(address: str, allowed_networks: Networks) -> bool:
    """Whether an address lies in a range that was opened."""
    try:
        given = ip_address(address)
    except ValueError:
        return False
    reached = _reached(given)
    return any(candidate in network for network in allowed_networks for candidate in (given, reached))


def _reached(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The address that a packet ends up at: IPv4 behind mapped and translated forms, else the same."""
    if isinstance(address, IPv6Address) and any(address in network for network in (_MAPPED, *_TRANSLATED)):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _special(address: IPv4Address | IPv6Address) -> str | None:
    if isinstance(address, IPv4Address):
        return next((why for network, why in _RULES_4 if address in network), None)
    if address not in _GLOBAL_UNICAST:
        return "outside global unicast (RFC 4291): loopback, local, multicast or unassigned"
    return next((why for network, why in _RULES_6 if address in network), None)
