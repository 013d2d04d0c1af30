"""Networks of one's own: what lies in them is fetched only where somebody opened them. Pure."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Final

LOOPBACK: Final = IPv4Network("127.0.0.0/8")
PRIVATE: Final[tuple[IPv4Network | IPv6Network, ...]] = (
    LOOPBACK,
    *map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16")),
    *map(IPv6Network, ("::1/128", "fc00::/7", "fe80::/10")),
)
"""Loopback, private use (RFC 1918, RFC 4193) and link-local, which nobody has to be written to about."""


def private_network(address: str) -> IPv4Network | IPv6Network | None:
    """The range to open for an address, as `--allow-network` takes it; None where it is no private address."""
    try:
        given = ip_address(address)
    except ValueError:
        return None
    return next((each for each in PRIVATE if each.version == given.version and given in each), None)
