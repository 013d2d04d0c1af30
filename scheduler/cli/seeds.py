"""The lines of an order as the command line hears them: bad ones are told, and what needs a contact is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import BinaryIO

import click

from scheduler.cli.output import say
from scheduler.intake import SeedLines
from scheduler.intake.source import Source
from schemas.records.job import BadLine, Seed
from workers.errors import PermanentError
from workers.frontier.urls import politeness_key

TOLD_BAD_LINES = 50

Refuse = Callable[[str], bool]


class HeardLines(SeedLines):
    """Reports bad lines on stderr as they are met. `refuse` says of a normalized URL that it may not be asked for."""

    def __init__(self, lines: SeedLines) -> None:
        super().__init__(())
        self._heard = lines
        self.refuse: Refuse = lambda url: False

    @classmethod
    def of(cls, source: Source) -> HeardLines:
        """The lines of an opened input."""
        return cls(SeedLines(source.asks))

    def __iter__(self) -> Iterator[Seed | BadLine]:
        bad = 0
        for line in self._heard:
            if isinstance(line, BadLine):
                bad += 1
                if bad <= TOLD_BAD_LINES:
                    say(f"line {line.line}: {line.message} [{line.code}] {line.excerpt[:80]}")
            elif self.refuse(line.normalized_url):
                raise PermanentError(
                    "public addresses are asked for, and nobody would know whom to write to",
                    where=f"line {line.line}",
                    next_step="set CITEVAULT_CONTACT to an e-mail address or a web page of yours",
                )
            yield line
            self.lines, self.duplicates = self._heard.lines, self._heard.duplicates
        self.lines, self.duplicates = self._heard.lines, self._heard.duplicates
        if bad > TOLD_BAD_LINES:
            say(f"… and {bad - TOLD_BAD_LINES} more bad lines, all kept with the job")


def open_input(source: str) -> BinaryIO:
    """The file of `--from`: `-` is standard input, a folder is a bundle. UsageError where it cannot be read."""
    if source == "-":
        return sys.stdin.buffer
    path = Path(source)
    try:
        return (path / "bundle.json" if path.is_dir() else path).open("rb")
    except OSError as error:
        raise click.UsageError(f"{source}: {error.strerror}") from error


def network(given: str, place: str = "--allow-network") -> str:
    """A range as it is written down. UsageError, which names the place, where it is none."""
    try:
        return str(ip_network(given, strict=False))
    except ValueError as error:
        raise click.UsageError(f"{place} {given[:60]!r}: write an address range, such as 127.0.0.0/8") from error


def unreachable_without_contact(contact: str, networks: tuple[str, ...]) -> Refuse:
    """Which URLs must not be asked for: none where a contact is set, else all outside the opened networks."""
    if contact:
        return lambda url: False
    opened = [ip_network(given) for given in networks]

    def refuse(url: str) -> bool:
        host = politeness_key(url)
        name = host[1 : host.index("]")] if host.startswith("[") else host.partition(":")[0]
        if name == "localhost":
            return False
        try:
            address = ip_address(name)
        except ValueError:
            return True
        return not any(address in each for each in opened if each.version == address.version)

    return refuse
