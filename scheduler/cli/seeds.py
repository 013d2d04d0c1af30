"""The lines of an order as the command line hears them: bad ones are told, and what needs a contact is refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import BinaryIO

import click

from scheduler.cli.files import unreadable
from scheduler.cli.output import say
from scheduler.contacts import NOBODY_NAMED, Refused, disagreement
from scheduler.intake import SeedLines, open_source
from scheduler.intake.collapse import SeedTable
from scheduler.intake.lines import Refuse
from scheduler.intake.sitemap_index import in_folder
from scheduler.intake.source import Source
from scheduler.networks import LOOPBACK, private_network
from scheduler.stack import state
from schemas.records.job import BadLine
from workers.config import Settings
from workers.frontier.urls import politeness_key

TOLD_BAD_LINES = 50


class HeardLines(SeedLines):
    """Tells bad lines on stderr as they are met: some of them, and in the end how many more there were."""

    def __init__(self, lines: SeedLines) -> None:
        super().__init__(lines.asks)
        self.heard = self._hear
        self._bad = 0

    @classmethod
    def of(cls, source: Source) -> HeardLines:
        """The lines of an opened input."""
        return cls(SeedLines(source.asks))

    def seeds(self, table: SeedTable) -> Iterator[bytes | BadLine]:
        """As they are, and the last remark after them."""
        yield from super().seeds(table)
        if self._bad > TOLD_BAD_LINES:
            say(f"… and {self._bad - TOLD_BAD_LINES} more bad lines, all kept with the job")

    def _hear(self, line: BadLine) -> None:
        self._bad += 1
        if self._bad <= TOLD_BAD_LINES:
            told = f"line {line.line}: {line.message} [{line.code}]"
            say(f"{told}: {line.excerpt[:80]}" if line.excerpt else told)


def open_input(source: str) -> BinaryIO:
    """The file of `--from`: `-` is standard input, a folder is a bundle. UsageError where it cannot be read."""
    if source == "-":
        return sys.stdin.buffer
    path = Path(source)
    inner = path / "bundle.json" if path.is_dir() else path
    if inner != path and not inner.exists():
        raise click.UsageError(f"{source} is a folder without bundle.json; next: name a file, or a bundle's folder")
    try:
        return inner.open("rb")
    except OSError as error:
        raise unreadable(source, error) from error


def opened_source(stack: ExitStack, source: str) -> Source:
    """The input of `--from`, its format found out. Members of a sitemap index are looked for in its folder."""
    stream = stack.enter_context(open_input(source))
    if source == "-":
        return open_source(stream)
    return open_source(stream, name=source, beside=in_folder(Path(source).parent))


def network(given: str, place: str = "--allow-network") -> str:
    """A range as it is written down. UsageError, which names the place, where it is none."""
    try:
        return str(ip_network(given, strict=False))
    except ValueError as error:
        raise click.UsageError(f"{place} {given[:60]!r}: write an address range, such as 127.0.0.0/8") from error


def unreachable(settings: Settings, networks: tuple[str, ...]) -> Refuse | None:
    """Which URLs must not be asked for with these settings, of the workers of the local stack where it runs already."""
    running = state.running(settings.data_dir) if settings.uses_local_stack else None
    return unreachable_without_contact(settings.contact, networks, None if running is None else running.contact)


def unreachable_without_contact(contact: str, networks: tuple[str, ...], workers: str | None = None) -> Refuse | None:
    """Which URLs must not be asked for: None where a contact is set, and `workers` (see `disagreement`) have no other;
    else all outside the opened networks."""
    differs = disagreement(contact, workers)
    if contact and differs is None:
        return None
    public = differs or NOBODY_NAMED
    opened = [ip_network(given) for given in networks]

    @lru_cache
    def refuse_host(host: str) -> Refused | None:
        name = host[1 : host.index("]")] if host.startswith("[") else host.partition(":")[0]
        if name == "localhost":
            return None if any(each.is_loopback for each in opened) else _private(name, LOOPBACK)
        try:
            address = ip_address(name)
        except ValueError:
            return public
        if any(address in each for each in opened if each.version == address.version):
            return None
        around = private_network(name)
        return public if around is None else _private(name, around)

    return lambda url: refuse_host(politeness_key(url))


def _private(name: str, around: IPv4Network | IPv6Network) -> Refused:
    return Refused(
        f"{name} is a private address, and those are fetched only where their network is opened",
        f"where it is yours, say --allow-network {around}",
    )
