"""Outcomes as single characters: a million done URLs keep one each. Only Redis holds them, never an object."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from schemas.records.outcome import Outcome

CODES: Final = MappingProxyType(
    {
        Outcome.CAPTURED: "c",
        Outcome.REVISIT: "r",
        Outcome.NOT_MODIFIED: "n",
        Outcome.TRUNCATED: "t",
        Outcome.MALFORMED: "m",
        Outcome.ROBOTS_DENIED: "R",
        Outcome.ROBOTS_UNREACHABLE: "U",
        Outcome.GUARD_DENIED: "g",
        Outcome.DNS_FAILED: "d",
        Outcome.CONNECT_FAILED: "f",
        Outcome.TLS_FAILED: "s",
        Outcome.TIMEOUT: "o",
        Outcome.EMPTY_REPLY: "e",
        Outcome.REDIRECT_LIMIT: "l",
        Outcome.OUT_OF_SCOPE: "x",
        Outcome.BUDGET_SPENT: "b",
        Outcome.CANCELLED: "k",
        Outcome.PARKED: "p",
    }
)
ANSWERS: Final = "".join(code for outcome, code in CODES.items() if outcome.has_response)
"""Codes of the outcomes with a response."""
_NAMES: Final = MappingProxyType({code: outcome for outcome, code in CODES.items()})


def outcome_of(code: str) -> Outcome:
    """The outcome behind a code. KeyError: written by another version, so the state needs a rebuild."""
    return _NAMES[code]
