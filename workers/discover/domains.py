"""The registrable domain of a host, by the public suffix list, private section included.

The list comes with a library, which is renewed every week; `LIST_ID` says which one judged. A site that moves to or
from the list between two versions changes sides: what was followed stays written in `discovered/`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.metadata import version

from publicsuffixlist import PublicSuffixList

_IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")


@cache
def list_id() -> str:
    """Name of the list in force, such as `psl@1.1.2.20261023`: the release of the library, which ends with its day."""
    return f"psl@{version('publicsuffixlist')}"


def is_address(host: str) -> bool:
    """Whether a host is an IP address, with or without the brackets of version 6: it is registered as no domain."""
    return ":" in host or _IPV4.fullmatch(host.removesuffix(".")) is not None


@lru_cache(maxsize=8192)
def registrable_domain(host: str) -> str:
    """`www.example.co.uk` to `example.co.uk`. `host`: ASCII, lower case, without port.

    An address, a name without dots, and a public suffix itself (`github.io`) stand for themselves alone.
    """
    name = host.removesuffix(".")
    if name.startswith("[") or _IPV4.fullmatch(name):
        return name
    return _suffixes().privatesuffix(name) or name


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
