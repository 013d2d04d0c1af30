"""Whom sites are to write to: a command has it from its environment, and workers from that of whoever started them.

Where a local stack runs already, the two can differ. Pure.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a URL may not be asked for, and what to do about it: two sentences."""

    what: str
    next_step: str


ANYBODY: Final = "you@example.org"
NOBODY_NAMED: Final = Refused(
    "public addresses are asked for, and nobody would know whom to write to",
    "set CITEVAULT_CONTACT to an e-mail address or a web page of yours",
)


def restart_with(contact: str) -> str:
    """How the workers of a local stack get a contact."""
    return f"citevault down; {_export(contact)}; citevault up --detach"


def disagreement(ours: str, workers: str | None) -> Refused | None:
    """Why a command with this contact must not ask the workers of the running stack for public addresses. `workers`:
    their contact, empty where they have none; None: no local stack runs, or it is not known."""
    if workers is None or ours == workers:
        return None
    if not workers:
        return Refused(
            "the stack was started without CITEVAULT_CONTACT, so that its workers refuse public addresses",
            restart_with(ours),
        )
    if not ours:
        return Refused(
            f"{NOBODY_NAMED.what}: the stack was started with {workers}, and this command has no CITEVAULT_CONTACT",
            _export(workers),
        )
    return Refused(
        f"the stack was started with CITEVAULT_CONTACT={workers}, which its workers tell the sites, not {ours}",
        f"{restart_with(ours)}; or go on with the other: {_export(workers)}",
    )


def _export(contact: str) -> str:
    return f"export CITEVAULT_CONTACT={shlex.quote(contact)}"
