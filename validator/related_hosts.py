"""Groups that a critical claim needs, without those whose hosts are parts or mirrors of each other.

In a bundle without a list of public suffixes a site is a host with its port, so `example.org`, `example.org.`,
`m.example.org` and `example.org:8443` are four of them, and one party may own them all; and of a list a suffix such as
`github.io` may own what is below it. Nothing in a bundle proves that, so this says it and changes no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.claim import Claim
from schemas.records.finding import Severity
from validator.found import Found
from validator.identity import host_of
from validator.independence import Group

_MIRRORED: Final = re.compile(r"^[^:]+://[^/?#]*/[^?#]*?https?:/{1,2}([^/?#]+)")
"""A URL within a path, as web archives and proxies have it."""
LOOPBACK: Final = ("127.", "[::1", "localhost")
_ADDRESS: Final = re.compile(r"[0-9.]+|\[.*")


def check_related_hosts(
    claim: Claim, index: int, counting: Iterable[tuple[Group, str]], needed: int, strict: bool, found: Found
) -> None:
    """`counting`: group and normalized URL of each edge that counts. Said where relatives are what makes it enough."""
    hosts: dict[str, set[str]] = {}
    for group, url in counting:
        hosts.setdefault(group.name, set()).update(_hosts(url))
    names = sorted(hosts)
    apart: list[set[str]] = []
    for name in names:
        near = [part for part in apart if any(_related(a, b) for a in part for b in hosts[name])]
        apart = [part for part in apart if part not in near] + [hosts[name].union(*near)]
    if len(names) >= needed > len(apart):
        found.add(
            FindingKind.INDEPENDENCE_SAME_HOST,
            pointer=pointer(("claims", index)),
            ids=(claim.id, *names),
            expected=f"{needed} groups whose hosts have nothing to do with each other",
            actual=" / ".join(" ".join(sorted(part)) for part in apart),
            severity=Severity.ERROR if strict else None,
        )


def _hosts(url: str) -> set[str]:
    """The host, and that of a URL in its path; without port, final dot and `www.`."""
    mirrored = _MIRRORED.match(url)
    given = [host_of(url), *([mirrored[1].rpartition("@")[2].lower()] if mirrored else [])]
    return {_bare(host) for host in given}


def _bare(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0]  # an IPv6 address, whose colons are no port
    return host.partition(":")[0].rstrip(".").removeprefix("www.")


def _related(one: str, other: str) -> bool:
    """The same, or one within the other's domain; of addresses only the same."""
    if one.startswith(LOOPBACK) or other.startswith(LOOPBACK):
        return False  # nobody's host: a test's servers differ by nothing else
    if one == other:
        return True
    if _ADDRESS.fullmatch(one) or _ADDRESS.fullmatch(other):
        return False
    shorter, longer = sorted((one, other), key=len)
    return "." in shorter and longer.endswith(f".{shorter}")
