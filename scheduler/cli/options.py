"""Options that several commands share, checked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import click

from scheduler.cli.seeds import network
from workers.config import Settings

_COLLECTION: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def checked_collection(name: str) -> str:
    """A collection's name. UsageError where it is none."""
    if not _COLLECTION.fullmatch(name):
        raise click.UsageError(
            f"--collection {name[:70]!r}: a name of lower-case letters, digits, `.`, `_`, `-`, 64 at most"
        )
    return name


def opened_networks(settings: Settings, given: Iterable[str]) -> tuple[str, ...]:
    """Private ranges that the settings and the command line open."""
    return tuple(dict.fromkeys([*map(str, settings.allow_networks), *map(network, given)]))
