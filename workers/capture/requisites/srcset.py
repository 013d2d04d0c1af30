"""Addresses in a `srcset` (HTML Standard, 4.8.4.2.1, "parse a srcset attribute").

Of all candidates, not of the one that some screen would choose: who replays the page may have another
screen. Descriptors are passed over, also bad ones, for which a browser drops the candidate: fetching one too
many loses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_CANDIDATES = 100

_LEADING = re.compile(r"[ \t\n\f\r,]*")
_ADDRESS = re.compile(r"[^ \t\n\f\r]+")
_DESCRIPTORS = re.compile(r"(?:[^(,]|\([^)]*(?:\)|\Z))*")


def candidates(value: str) -> Iterator[str]:
    """Raw addresses in order, at most 100. A comma within one is part of it; one at its end separates."""
    position = 0
    for _ in range(MAX_CANDIDATES):
        leading = _LEADING.match(value, position)
        position = leading.end() if leading else position
        address = _ADDRESS.match(value, position)
        if address is None:
            return
        position = address.end()
        url = address[0].rstrip(",")
        if len(url) == len(address[0]):
            descriptors = _DESCRIPTORS.match(value, position)
            position = descriptors.end() if descriptors else position
        yield url
