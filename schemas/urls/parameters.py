"""Taking named parameters out of a raw query, leaving every other character of it alone (R024-R029).

Never parsed and written again: that would rewrite `%FF`, `a%20b`, a flag without `=`, `;`, `&&` and the
order. The query is cut at `&`, whole pieces are dropped, and the rest is joined at the same places.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase
from typing import Final

from schemas.urls.percent import decode_key

_ASCII_LOWER: Final = {ord(letter): letter.lower() for letter in ascii_uppercase}


@dataclass(frozen=True, slots=True)
class ParameterNames:
    """Names to drop, in lower-case ASCII. A key matches after percent-decoding, its ASCII letters in any case."""

    exact: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()

    def names(self, key: str) -> bool:
        """Whether this raw key (what stands before the first `=`) is one of the named."""
        name = _lowered(decode_key(key))
        return name in self.exact or name.startswith(self.prefixes)


def _lowered(name: str) -> str:
    """ASCII letters only: the Kelvin sign is no `k`."""
    return name.lower() if name.isascii() else name.translate(_ASCII_LOWER)


def without_parameters(query: str | None, names: ParameterNames) -> tuple[str | None, tuple[str, ...]]:
    """The query without the named parameters, and the raw keys that went, each once.

    None (no `?` at all) where nothing is left; a query that named nothing comes back unchanged.
    """
    if not query:
        return query, ()
    kept: list[str] = []
    dropped: dict[str, None] = {}
    for piece in query.split("&"):
        key = piece.partition("=")[0]
        if key and names.names(key):
            dropped[key] = None
        else:
            kept.append(piece)
    if not dropped:
        return query, ()
    return ("&".join(kept) if kept else None), tuple(dropped)
