"""What a person can do about a URL that ended without a response; why it did is in the receipt."""

from __future__ import annotations

import re
from typing import Final

from scheduler.contacts import ANYBODY, restart_with
from scheduler.networks import private_network
from schemas.records.outcome import Outcome

NEXT_STEPS: Final = {
    Outcome.ROBOTS_DENIED: "ask the site; where you are entitled to the page, archive it with --robots ignore",
    Outcome.ROBOTS_UNREACHABLE: "try it again (`citevault retry`) when the site's robots.txt can be read",
    Outcome.GUARD_DENIED: "where the address is yours, archive it with --allow-network CIDR; other schemes than http "
    "and https and the ports of other protocols stay refused",
    Outcome.DNS_FAILED: "check how the host is spelled; where it is right, try it again later (`citevault retry`)",
    Outcome.CONNECT_FAILED: "see whether the site answers in a browser; try it again later (`citevault retry`)",
    Outcome.TLS_FAILED: "look at the site's certificate; where you know why it does not hold, archive it with "
    "--insecure-tls, which marks the records",
    Outcome.TIMEOUT: "try it again later (`citevault retry`); a site that is always slow needs more than "
    "CITEVAULT_CONNECT_SECONDS or CITEVAULT_IDLE_SECONDS now give it",
    Outcome.EMPTY_REPLY: "see whether the site answers in a browser: it may turn away programs; try it again later "
    "(`citevault retry`)",
    Outcome.OUT_OF_SCOPE: "hand it in by itself",
    Outcome.BUDGET_SPENT: "hand in what is left as another job",
    Outcome.CANCELLED: "hand it in again if it is wanted after all",
    Outcome.PARKED: "see the worker's log, then `citevault retry`",
}


NO_CONTACT: Final = (
    f"{restart_with(ANYBODY)} (your own address; where the workers run elsewhere, set it for them and start them "
    "again); then citevault retry JOB --outcome guard_denied"
)
OTHER_PROTOCOL: Final = "nothing: the ports of other protocols stay refused, on networks of yours too"
_ADDRESS: Final = re.compile(r"\baddress (\S+) (?:\(that is (\S+)\) )?is not public")
"""As the guard says it: the address, and where its packets end up."""
WAIT: Final = "nothing: it is tried again by itself"


def next_step(outcome: Outcome, failure: str = "") -> str:
    """One sentence for an outcome without a response; empty for one with a response, which needs nothing. `failure`:
    why it ended so, where that is known."""
    if outcome is Outcome.GUARD_DENIED and "CITEVAULT_CONTACT" in failure:
        return NO_CONTACT
    if outcome is Outcome.GUARD_DENIED and "belongs to another protocol" in failure:  # as the guard says it
        return OTHER_PROTOCOL
    if outcome is Outcome.GUARD_DENIED and (found := _ADDRESS.search(failure)) is not None:
        around = private_network(found[2] or found[1])
        if around is not None:
            return f"where this network is yours, archive it with --allow-network {around}"
    return NEXT_STEPS.get(outcome, "")
