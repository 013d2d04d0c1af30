"""What a page still needs, in the order of need, and how much of it one page may have. Decides; fetches nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from schemas.records.requisite import RequisiteKind
from workers.capture.requisites.found import Found

_ORDER: Final = (
    RequisiteKind.STYLE,  # without it nothing stands where it stood, and it names others
    RequisiteKind.FRAME,
    RequisiteKind.IMAGE,
    RequisiteKind.SCRIPT,
    RequisiteKind.FONT,
    RequisiteKind.ICON,
    RequisiteKind.OTHER,
    RequisiteKind.MEDIA,  # last: one film may take all that is left
)


@dataclass(frozen=True, slots=True)
class RequisiteLimits:
    """What one page may have (`scheduler/README.md`, "What belongs to a page")."""

    most: int = 300
    """Addresses that are asked for; a redirect belongs to its address."""
    most_bytes: int = 50_000_000
    """Message content as received, redirects included: what it costs line and archive. The last one is cut."""
    sheet_depth: int = 5
    """`@import` within `@import`."""
    seconds: float = 240.0
    """Of one page, from its own answer on."""
    fetch_seconds: float = 60.0
    """Of one exchange."""
    patience_seconds: float = 10.0
    """How long a turn at a host is waited for that others are asking."""
    rest_seconds: float = 5.0
    """After so long such a host is tried again."""
    tries_at_host: int = 3
    """So many times; then what is left of that host is given up."""
    reserve_seconds: float = 60.0
    """A host that has been visited begins no further page in a batch that has less time than this."""

    def within(self, batch_seconds: float) -> RequisiteLimits:
        """The same for a batch of this length: short ones still get on with their pages."""
        return replace(self, reserve_seconds=min(self.reserve_seconds, batch_seconds / 4))


@dataclass(frozen=True, slots=True)
class Wanted:
    """One requisite that has not been asked for yet."""

    found: Found
    host: str
    """Whom politeness protects."""
    found_in: str
    """The document or sheet that names it."""
    sheet_depth: int = 0
    """How many sheets lie between it and the page."""
    charset: str | None = None
    """Of the document or sheet that names it: what a sheet without a declaration is in."""


class Needs:
    """The requisites of one page: what waits, and what has been spent. Each address waits once."""

    def __init__(self, limits: RequisiteLimits) -> None:
        self._limits = limits
        self._waiting: dict[RequisiteKind, list[Wanted]] = {kind: [] for kind in _ORDER}
        self.tried = 0
        self.bytes_spent = 0

    def add(self, wanted: Wanted) -> None:
        self._waiting[wanted.found.kind].append(wanted)

    def spend(self, content_bytes: int) -> None:
        """Note one address that was asked for, and what came back."""
        self.tried += 1
        self.bytes_spent += content_bytes

    @property
    def bytes_left(self) -> int:
        return max(0, self._limits.most_bytes - self.bytes_spent)

    def take(self, seconds_until_ready: Callable[[str], float]) -> Wanted | None:
        """The next one: of those whose host may be asked now the most needed, else the one whose host is ready first,
        so that a pause of one host is another's turn. None: nothing waits."""
        waits: dict[str, float] = {}
        best: tuple[float, RequisiteKind, int] | None = None
        for kind in _ORDER:
            for position, wanted in enumerate(self._waiting[kind]):
                if wanted.host in waits:
                    continue  # an earlier one of the same host is needed as much or more
                pause = waits[wanted.host] = max(0.0, seconds_until_ready(wanted.host))
                if best is None or pause < best[0]:
                    best = (pause, kind, position)
                if not pause:
                    return self._waiting[kind].pop(position)
        return None if best is None else self._waiting[best[1]].pop(best[2])

    def refusal(self, seconds_left: float) -> str | None:
        """Why nothing more may be asked for; None where something may."""
        limits = self._limits
        if self.tried >= limits.most:
            return f"a page has {limits.most} requisites at most, and they are spent"
        if not self.bytes_left:
            return f"a page has {limits.most_bytes} bytes of requisites at most, and they are spent"
        if seconds_left <= 0:
            return "the time for this page's requisites is over: archive the page again to try for the rest"
        return None
