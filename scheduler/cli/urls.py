"""URLs as a person types them, to the identity under which the archive knows them."""

from __future__ import annotations

import click

from scheduler.cli.output import shown
from schemas.urls.conservative import normalize
from schemas.urls.error import UrlError
from schemas.urls.wire import wire_url


def normalized(url: str) -> str:
    """The conservative@1 URL of the request that this URL stands for. UsageError where it is none."""
    wired = wire_url(url)
    found = wired if isinstance(wired, UrlError) else normalize(wired)
    if isinstance(found, UrlError):
        raise click.UsageError(f"{shown(url[:80])}: {found.message}")
    return found.url
