"""What is remembered of a site's robots.txt, and for how long it holds (RFC 9309, 2.3.1.4 and 2.4). Pure.

An answer of the site is good for 24 hours. When it is due again and the site cannot be reached, the copy at
hand goes on holding, for 30 days from the day it came, while the site is tried again soon. Where there is no
copy, or it is older, the site is closed: nobody knows what it wants. (The RFC would also let a crawler take
a site that has been silent so long for one without rules; we do not.)
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from pydantic import Field

from schemas.ids import utc_string
from schemas.reading import DocumentError, read_document
from schemas.records.base import Count, Record, ShortText, UtcTime
from schemas.records.outcome import Outcome
from workers.capture.robots import rules_of_lines
from workers.capture.robots_answer import AllowAll, RobotsDecision, Rules, Unreachable

FRESH: Final = timedelta(hours=24)
STALE: Final = timedelta(days=30)
RETRY_SECONDS: Final = (60.0, 120.0, 240.0, 480.0, 600.0)
"""After the first failure in a row, the second, …; the last one from then on."""
SKEW: Final = timedelta(hours=1)
"""A copy from so far in the future is a copy of a clock that was wrong."""
MAX_PACKED_BYTES: Final = 64 * 1024
"""Larger rules are not shared: a memory for a million sites has no room for them, and few sites have them."""
_MAX_BYTES: Final = 4 * 1024 * 1024
"""500 KiB of rules, each byte of them escaped."""
_REASON_CHARACTERS: Final = 1000


@dataclass(frozen=True, slots=True)
class SiteCopy:
    """One site: its last word, and how it has gone since."""

    decision: Rules | AllowAll | None
    """None: it never gave one."""
    decided_at: datetime
    """When it came; without one, when it was first asked for."""
    failures: int = 0
    """How often in a row the site could not be reached since."""
    tried_at: datetime | None = None
    failure: Outcome | None = None
    """Of the last try, where no answer came at all."""
    reason: str = ""


def is_due(copy: SiteCopy, now: datetime) -> bool:
    """Whether the site is to be asked (again)."""
    if copy.failures and copy.tried_at is not None:
        rest = RETRY_SECONDS[min(copy.failures, len(RETRY_SECONDS)) - 1]
        return not -SKEW <= now - copy.tried_at < timedelta(seconds=rest)
    return not -SKEW <= now - copy.decided_at < FRESH


def standing(copy: SiteCopy, now: datetime) -> RobotsDecision:
    """What holds for the site now."""
    if copy.decision is None:
        return Unreachable(copy.reason)
    if copy.failures and now - copy.decided_at > STALE:
        return Unreachable(f"{copy.reason}; the copy of {utc_string(copy.decided_at)} is too old to go by")
    return copy.decision


def after(
    copy: SiteCopy | None, decision: RobotsDecision, now: datetime, *, failure: Outcome | None = None
) -> SiteCopy:
    """What is remembered once the site was asked. An answer takes the place of all that was; a failure leaves the last
    answer standing."""
    if not isinstance(decision, Unreachable):
        return SiteCopy(decision, now)
    before = SiteCopy(None, now) if copy is None else copy
    reason = decision.reason[:_REASON_CHARACTERS]
    return replace(before, failures=before.failures + 1, tried_at=now, failure=failure, reason=reason)


def newer(one: SiteCopy | None, other: SiteCopy | None) -> SiteCopy | None:
    """The copy that knows of the later try."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda copy: copy.tried_at or copy.decided_at)


class _Packed(Record):
    """A copy as workers share it. It is no evidence: the file itself is in the archive."""

    schema_id: Literal["citevault/robots-copy@1"] = Field(alias="schema")
    token: ShortText
    kind: Literal["rules", "none", "unknown"]
    decided_at: UtcTime
    failures: Count
    tried_at: UtcTime | None = None
    failure: Outcome | None = None
    reason: ShortText = ""
    no_file: ShortText = ""
    group: Literal["own", "any", "none"] = "none"
    delay_milliseconds: Count | None = None
    lines: str = ""


def pack(copy: SiteCopy, token: str) -> bytes | None:
    """As bytes for a shared memory; None where it is too large for that."""
    rules = copy.decision.rules if isinstance(copy.decision, Rules) else None
    delay = None if rules is None or rules.crawl_delay is None else round(rules.crawl_delay * 1000)
    packed = _Packed(
        schema="citevault/robots-copy@1",
        token=token,
        kind="unknown" if copy.decision is None else "none" if rules is None else "rules",
        decided_at=utc_string(copy.decided_at),
        failures=copy.failures,
        tried_at=None if copy.tried_at is None else utc_string(copy.tried_at),
        failure=copy.failure,
        reason=copy.reason,
        no_file=copy.decision.reason[:_REASON_CHARACTERS] if isinstance(copy.decision, AllowAll) else "",
        group="none" if rules is None else rules.group,
        delay_milliseconds=delay,
        lines="" if rules is None else "\n".join(rules.lines),
    )
    data = zlib.compress(packed.model_dump_json().encode("utf-8"))
    return data if len(data) <= MAX_PACKED_BYTES else None


def unpack(data: bytes, token: str) -> SiteCopy | None:
    """The inverse; None for what is not whole, of another version, or of a crawler by another name: it is asked for
    anew."""
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, _MAX_BYTES)
    except zlib.error:
        return None
    packed = read_document(text, _Packed) if inflater.eof else None
    if packed is None or isinstance(packed, DocumentError) or packed.token != token:
        return None
    decision: Rules | AllowAll | None = None
    if packed.kind == "rules":
        delay = None if packed.delay_milliseconds is None else packed.delay_milliseconds / 1000
        decision = Rules(rules_of_lines(packed.lines.splitlines(), packed.group, delay))
    elif packed.kind == "none":
        decision = AllowAll(packed.no_file)
    return SiteCopy(
        decision=decision,
        decided_at=datetime.fromisoformat(packed.decided_at),
        failures=packed.failures,
        tried_at=None if packed.tried_at is None else datetime.fromisoformat(packed.tried_at),
        failure=packed.failure,
        reason=packed.reason,
    )
