"""Who of a batch asks for what: each requisite once in a job, and hosts that do not answer not again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from schemas.records.outcome import Outcome
from workers.capture.requisites.found import Found
from workers.exchange import Exchange
from workers.ports import RequisiteIndex

_SILENT = frozenset({Outcome.GUARD_DENIED, Outcome.DNS_FAILED, Outcome.CONNECT_FAILED, Outcome.TLS_FAILED})
"""After these a host is not asked for requisites again in this batch: they would end alike, and take their time."""
TIMEOUTS = 3
"""So many make a host silent; one answer that takes too long says nothing of the next."""


@dataclass(slots=True)
class Claims:
    """What the pages of one batch have, or are about to ask for."""

    index: RequisiteIndex
    job_id: str
    _claimed: set[str] = field(default_factory=set)
    _silent: dict[str, Exchange] = field(default_factory=dict)
    _timeouts: Counter[str] = field(default_factory=Counter)

    def note(self, urls: Iterable[str]) -> None:
        """These were had, or have an outcome by an earlier worker of the batch."""
        self._claimed.update(urls)

    async def claim(self, found: Iterable[Found]) -> list[Found]:
        """Those that nobody of the job has captured or is asking for; from now on they are the caller's to ask for."""
        new = [each for each in found if each.url not in self._claimed]
        captured = await self.index.captured(self.job_id, [each.url for each in new]) if new else frozenset()
        mine = [each for each in new if each.url not in captured and each.url not in self._claimed]
        self._claimed.update(each.url for each in mine)
        return mine

    def give_up(self, url: str) -> None:
        """It was not had: another page that needs it may try, since only what is captured suppresses a fetch."""
        self._claimed.discard(url)

    def heard(self, host: str, exchange: Exchange) -> None:
        """Learn from an exchange whether its host answers."""
        if exchange.outcome is Outcome.TIMEOUT:
            self._timeouts[host] += 1
        if exchange.outcome in _SILENT or self._timeouts[host] >= TIMEOUTS:
            self._silent.setdefault(host, exchange)

    def silence_of(self, host: str) -> Exchange | None:
        """The exchange that showed that a host does not answer; None: it may be asked."""
        return self._silent.get(host)
