"""The numbers of a report, as its log makes them, and which change a wish asks for (R036-R041, R049, R050). Pure.

The state is what comes of the log's objects in their order, and of nothing else: no clock, no policy is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from schemas.records.number import (
    AllocateNumber,
    CitedSnapshot,
    MergeNumbers,
    MigratePolicy,
    NumberChange,
    NumberLog,
    SeparateNumber,
    SplitNumber,
    UseNumber,
)

UrlOf = Callable[[CitedSnapshot], str]
"""The URL that is numbered, under some policy."""


class NumberLogError(ValueError):
    """An object of the log that does not follow from those before it."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Cite this snapshot in this section."""

    cited: CitedSnapshot
    section: str
    title: str | None
    source_channel: str


@dataclass
class NumberEntry:
    """What is known of one number (R037)."""

    number: int
    citation_url: str
    title: str | None
    source_channel: str
    first_seen_section: str
    used_in_sections: list[str]
    cited: list[CitedSnapshot]
    uses: set[tuple[str, str]] = field(default_factory=set, repr=False)
    """Section and snapshot."""

    def take(self, section: str, cited: CitedSnapshot) -> None:
        """No section and no snapshot stands twice; the order is that of their first use (R040)."""
        self.uses.add((section, cited.snapshot_id))
        if section not in self.used_in_sections:
            self.used_in_sections.append(section)
        if all(other.snapshot_id != cited.snapshot_id for other in self.cited):
            self.cited.append(cited)


@dataclass
class Numbers:
    """Numbers of one report after `sequence` objects of its log."""

    report: str
    sequence: int = 0
    policy: str | None = None
    entries: dict[int, NumberEntry] = field(default_factory=dict)
    """By number; one that was merged keeps what it was."""
    by_url: dict[str, int] = field(default_factory=dict)
    aliases: dict[int, int] = field(default_factory=dict)
    history: list[NumberLog] = field(default_factory=list)
    """The objects that merged, separated or migrated: the merge log, with who and why."""

    @property
    def next_number(self) -> int:
        """The next free one: the largest ever given and one (R038)."""
        return len(self.entries) + 1

    def standing(self, number: int) -> int:
        """The number that a reader is shown for this one, through all merges."""
        while number in self.aliases:
            number = self.aliases[number]
        return number

    def shown(self) -> list[int]:
        """The numbers that stand for themselves, in order."""
        return [number for number in self.entries if number not in self.aliases]

    def cited(self, number: int) -> list[CitedSnapshot]:
        """What a number stands for, with what was merged into it."""
        entries = (entry for other, entry in self.entries.items() if self.standing(other) == number)
        return list({item.snapshot_id: item for entry in entries for item in entry.cited}.values())

    def has(self, citation_url: str, use: tuple[str, str]) -> bool:
        """Whether this use (section and snapshot) of a URL's number is known, under the number or what it became."""
        number = self.by_url.get(citation_url)
        return number is not None and any(use in self.entries[n].uses for n in (number, self.standing(number)))

    def number_of(self, citation_url: str) -> int | None:
        """The number that a URL has, or none yet."""
        number = self.by_url.get(citation_url)
        return None if number is None else self.standing(number)

    def apply(self, log: NumberLog) -> None:
        """Take in the next object. NumberLogError, and then this state is of no use any more, where it cannot be."""
        if log.report != self.report or log.sequence != self.sequence + 1:
            raise NumberLogError(f"object {log.sequence} of {log.report} does not follow {self.sequence}")
        for change in log.changes:
            self._apply(change)
        self.policy = log.policy
        if any(isinstance(change, MergeNumbers | SeparateNumber | MigratePolicy) for change in log.changes):
            self.history.append(log)
        self.sequence = log.sequence

    def _apply(self, change: NumberChange) -> None:
        match change:
            case AllocateNumber():
                if change.number != self.next_number or change.citation_url in self.by_url:
                    raise NumberLogError(f"number {change.number} was given out of turn")
                entry = NumberEntry(
                    change.number, change.citation_url, change.title, change.source_channel, change.section, [], []
                )
                self.entries[change.number] = entry
                self.by_url[change.citation_url] = change.number
                entry.take(change.section, change.cited)
            case UseNumber():
                self._known(change.number).take(change.section, change.cited)
            case MergeNumbers():
                self._known(change.number)
                self._known(change.into)
                if self.standing(change.number) != change.number or self.standing(change.into) >= change.number:
                    raise NumberLogError(f"number {change.number} cannot become an alias of {change.into}")
                self.aliases[change.number] = change.into
            case SeparateNumber():
                if self.aliases.pop(change.number, None) is None:
                    raise NumberLogError(f"number {change.number} is no alias")
            case SplitNumber():
                self._split(change)
            case MigratePolicy():
                for pair in change.urls:
                    self._known(pair.number).citation_url = pair.citation_url
                self.by_url = {pair.citation_url: pair.number for pair in change.urls}

    def _split(self, change: SplitNumber) -> None:
        old = self._known(change.from_number)
        if change.number != self.next_number:
            raise NumberLogError(f"number {change.number} was given out of turn")
        moved = [item for item in old.cited if item.snapshot_id in change.snapshot_ids]
        uses = [(section, name) for section, name in old.uses if name in change.snapshot_ids]
        sections = [name for name in old.used_in_sections if any(name == section for section, _ in uses)]
        if not moved or not sections:
            raise NumberLogError(f"number {change.from_number} was not given for what is split off")
        self.entries[change.number] = NumberEntry(
            change.number, change.citation_url, old.title, old.source_channel, sections[0], sections, moved, set(uses)
        )
        old.cited = [item for item in old.cited if item not in moved]
        old.uses -= set(uses)
        kept = {section for section, _ in old.uses}
        old.used_in_sections = [name for name in old.used_in_sections if name in kept]

    def _known(self, number: int) -> NumberEntry:
        entry = self.entries.get(number)
        if entry is None:
            raise NumberLogError(f"there is no number {number}")
        return entry


def changes_for(numbers: Numbers, wishes: Iterable[Wish], url_of: UrlOf) -> tuple[list[NumberChange], list[int]]:
    """What must be written so that every wish holds, nothing where it does already, and the number of each wish."""
    changes: list[NumberChange] = []
    answers: list[int] = []
    fresh: dict[str, int] = {}
    used: set[tuple[int, str, str]] = set()
    following = numbers.next_number
    for wish in wishes:
        url = url_of(wish.cited)
        number = numbers.number_of(url) or fresh.get(url)
        use = (wish.section, wish.cited.snapshot_id)
        if number is None:
            number = fresh[url] = following
            following += 1
            changes.append(
                AllocateNumber(
                    kind="allocate",
                    number=number,
                    citation_url=url,
                    title=wish.title,
                    source_channel=wish.source_channel,
                    section=wish.section,
                    cited=wish.cited,
                )
            )
        elif (number, *use) not in used and not numbers.has(url, use):
            changes.append(UseNumber(kind="use", number=number, section=wish.section, cited=wish.cited))
        used.add((number, *use))
        answers.append(number)
    return changes, answers
