"""Every row of the IANA special-purpose address registries (RFC 6890, RFC 8190), with what else is nobody's web site.

With all rows up to RFC 9780. Rows that the registries call globally reachable stand here too: what answers there
is an anycast service of the network one is in (AS112, AMT relays, PCP, TURN), never a page (decision record 0016).
A row within a wider one is listed for its better reason; the first match wins, so the narrower ones come first.
"""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network
from typing import Final

IPV4: Final = (
    (IPv4Network("0.0.0.0/8"), "this host on this network (RFC 791, RFC 1122)"),
    (IPv4Network("10.0.0.0/8"), "private use (RFC 1918)"),
    (IPv4Network("100.64.0.0/10"), "shared by carriers, and where some clouds serve metadata (RFC 6598)"),
    (IPv4Network("127.0.0.0/8"), "loopback (RFC 1122)"),
    (IPv4Network("169.254.0.0/16"), "link-local, where clouds serve metadata (RFC 3927)"),
    (IPv4Network("172.16.0.0/12"), "private use (RFC 1918)"),
    (IPv4Network("192.0.0.0/29"), "IPv4 service continuity (RFC 7335)"),
    (IPv4Network("192.0.0.8/32"), "dummy address (RFC 7600)"),
    (IPv4Network("192.0.0.9/32"), "anycast of port control (RFC 7723)"),
    (IPv4Network("192.0.0.10/32"), "anycast of TURN relays (RFC 8155)"),
    (IPv4Network("192.0.0.170/31"), "discovery of NAT64 (RFC 8880, RFC 7050)"),
    (IPv4Network("192.0.0.0/24"), "protocol assignments (RFC 6890)"),
    (IPv4Network("192.0.2.0/24"), "documentation (RFC 5737)"),
    (IPv4Network("192.31.196.0/24"), "AS112 name servers (RFC 7535)"),
    (IPv4Network("192.52.193.0/24"), "multicast relays (RFC 7450)"),
    (IPv4Network("192.88.99.0/24"), "6to4 relays (RFC 7526)"),
    (IPv4Network("192.168.0.0/16"), "private use (RFC 1918)"),
    (IPv4Network("192.175.48.0/24"), "AS112 name servers (RFC 7534)"),
    (IPv4Network("198.18.0.0/15"), "benchmarks (RFC 2544)"),
    (IPv4Network("198.51.100.0/24"), "documentation (RFC 5737)"),
    (IPv4Network("203.0.113.0/24"), "documentation (RFC 5737)"),
    (IPv4Network("224.0.0.0/4"), "multicast (RFC 5771)"),
    (IPv4Network("255.255.255.255/32"), "limited broadcast (RFC 8190, RFC 919)"),
    (IPv4Network("240.0.0.0/4"), "reserved (RFC 1112)"),
    (
        IPv4Network("168.63.129.16/32"),
        "the host that a virtual machine of Azure runs on: public by number alone, in no RFC",
    ),
)

IPV6: Final = (
    (IPv6Network("::1/128"), "loopback (RFC 4291)"),
    (IPv6Network("::/128"), "unspecified (RFC 4291)"),
    (IPv6Network("::/96"), "IPv4-compatible, not used any more (RFC 4291)"),
    (IPv6Network("::ffff:0:0/96"), "IPv4-mapped (RFC 4291)"),
    (IPv6Network("64:ff9b::/96"), "IPv4 translated to IPv6 (RFC 6052)"),
    (IPv6Network("64:ff9b:1::/48"), "IPv4 translated to IPv6 within one network (RFC 8215)"),
    (IPv6Network("100::/64"), "discard-only (RFC 6666)"),
    (IPv6Network("100:0:0:1::/64"), "dummy prefix (RFC 9780)"),
    (IPv6Network("2001::/32"), "Teredo (RFC 4380)"),
    (IPv6Network("2001:1::1/128"), "anycast of port control (RFC 7723)"),
    (IPv6Network("2001:1::2/128"), "anycast of TURN relays (RFC 8155)"),
    (IPv6Network("2001:1::3/128"), "anycast of service registration (RFC 9665)"),
    (IPv6Network("2001:2::/48"), "benchmarks (RFC 5180)"),
    (IPv6Network("2001:3::/32"), "multicast relays (RFC 7450)"),
    (IPv6Network("2001:4:112::/48"), "AS112 name servers (RFC 7535)"),
    (IPv6Network("2001:10::/28"), "ORCHID, not used any more (RFC 4843)"),
    (IPv6Network("2001:20::/28"), "ORCHIDv2, identifiers and no addresses (RFC 7343)"),
    (IPv6Network("2001:30::/28"), "identifiers of drones and no addresses (RFC 9374)"),
    (IPv6Network("2001::/23"), "protocol assignments (RFC 2928)"),
    (IPv6Network("2001:db8::/32"), "documentation (RFC 3849)"),
    (IPv6Network("2002::/16"), "6to4, not used any more (RFC 3056, RFC 7526)"),
    (IPv6Network("2620:4f:8000::/48"), "AS112 name servers (RFC 7534)"),
    (IPv6Network("3fff::/20"), "documentation (RFC 9637)"),
    (IPv6Network("5f00::/16"), "segment identifiers (RFC 9602)"),
    (IPv6Network("fc00::/7"), "unique local, where some clouds serve metadata (RFC 4193)"),
    (IPv6Network("fe80::/10"), "link-local (RFC 4291)"),
    (IPv6Network("fec0::/10"), "site-local, not used any more (RFC 3879)"),
    (IPv6Network("ff00::/8"), "multicast (RFC 4291)"),
)

GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
"""All that was ever given out as IPv6 addresses of hosts (RFC 4291, 2.4; RFC 3587)."""

MAPPED: Final = IPv6Network("::ffff:0:0/96")
NAT64: Final = IPv6Network("64:ff9b::/96")
SIIT: Final = IPv6Network("::ffff:0:0:0/96")
"""IPv4-translated (RFC 7915), in no registry of special ranges."""
ISATAP: Final = 0x5EFE
"""Bits 32 to 63 of an interface identifier, the universal bit left out; its last 32 are an IPv4 address (RFC 5214)."""
