"""Refuses to be sent inside: addresses and ports that a URL from outside must not reach.

The check is made on the address that a connection goes to, not on a name, so that neither DNS
rebinding nor an odd spelling of an address gets round it. Ranges are those of the IANA special-purpose
registries (`special_ranges.py`) and everything outside global unicast; ports are the ones that the Fetch
standard blocks. An IPv6 address that leads to an IPv4 one is judged as that one. `allowed_networks` opens
ranges, for tests and for archives of one's own site.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from workers.capture.special_ranges import (
    GLOBAL_UNICAST,
    IPV4,
    IPV6,
    ISATAP,
    MAPPED,
    NAT64,
    SIIT,
)

Network = IPv4Network | IPv6Network
Networks = tuple[Network, ...]
Address = IPv4Address | IPv6Address
_LOW_32 = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the guard says no, as a sentence."""

    reason: str


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
def check_address(address: str, allowed_networks: Networks = (), *, public: bool = True) -> Refusal | None:
    """Whether a connection to this address is refused; None lets it pass.

    `public`: whether addresses that were not opened may be reached at all, which they may not where nobody has
    said whom to write to about it.
    """
    try:
        given = ip_address(address)
    except ValueError:
        return Refusal(f"{address[:64]!r} is no IP address")
    if _is_opened(given, allowed_networks):
        return None
    reached = _reached(given)
    shown = str(given) if given == reached else f"{given} (that is {reached})"
    why = _special(given, reached)
    if why is not None:
        return Refusal(f"address {shown} is not public: {why}")
    if not public:
        return Refusal(f"address {shown} is public, and CITEVAULT_CONTACT does not say whom to write to")
    return None


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
    return _is_opened(given, allowed_networks)


def _is_opened(given: Address, allowed_networks: Networks) -> bool:
    reached = _reached(given)
    return any(candidate in network for network in allowed_networks for candidate in (given, reached))


def _reached(address: Address) -> Address:
    """The address that a packet ends up at: IPv4 behind mapped and translated forms, else the same.

    RFC 4291, 2.5.5.2 (mapped), RFC 6052 (NAT64), RFC 7915 (SIIT): the last 32 bits.
    """
    if isinstance(address, IPv6Address) and any(address in network for network in (MAPPED, NAT64, SIIT)):
        return IPv4Address(int(address) & _LOW_32)
    return address


def _special(given: Address, reached: Address) -> str | None:
    if isinstance(reached, IPv4Address):
        return next((why for network, why in IPV4 if reached in network), None)
    if isinstance(given, IPv6Address) and given.scope_id is not None:
        return "its zone names an interface of this machine (RFC 4007)"
    why = next((why for network, why in IPV6 if reached in network), None)
    if why is None and reached not in GLOBAL_UNICAST:
        return "outside global unicast (RFC 4291): given to nobody"
    return why or _tunnelled(reached)


def _tunnelled(address: IPv6Address) -> str | None:
    """Why the IPv4 address within an ISATAP one is special: a host of that site would send the packet on to it.

    The interface identifier is 0000:5efe or 0200:5efe and the IPv4 address (RFC 5214, 6.1).
    """
    if (int(address) >> 32) & 0xFDFF_FFFF != ISATAP:
        return None
    inner = IPv4Address(int(address) & _LOW_32)
    why = next((why for network, why in IPV4 if inner in network), None)
    return None if why is None else f"a tunnel to {inner}, {why} (ISATAP, RFC 5214)"
