"""Taking named parameters out of a raw query, leaving every other character of it alone (R024-R029).

Never parsed and written again: that would rewrite `%FF`, `a%20b`, a flag without `=`, `;`, `&&` and the
order. The query is cut at `&`, whole pieces are dropped, and the rest is joined at the same places.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from typing import Final

from schemas.urls.percent import decode_key

_ASCII_LOWER: Final = {ord(letter): letter.lower() for letter in ascii_uppercase}


@dataclass(frozen=True)
class ParameterNames:
    """Names to drop, in lower-case ASCII. A key matches after percent-decoding, its ASCII letters in any case."""

    exact: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()

    def may_be_in(self, query: str) -> bool:
        """False where none of the names can be in a query: it holds none of them, nor an escape that could be one."""
        return "%" in query or "+" in query or self._anywhere.search(query) is not None

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        names = "|".join(map(re.escape, sorted((*self.exact, *self.prefixes))))
        return re.compile(f"(?:{names})" if names else "(?!)", re.IGNORECASE | re.ASCII)

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
    if not query or not names.may_be_in(query):
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
