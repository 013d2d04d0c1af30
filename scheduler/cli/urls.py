"""URLs as a person types them, to the identity under which the archive knows them."""

from __future__ import annotations

import click

from scheduler.cli.output import shown
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request


def normalized(url: str) -> str:
    """The conservative@1 URL of the request that this URL stands for. UsageError where it is none."""
    found = identity_of_request(url)
    if isinstance(found, UrlError):
        raise click.UsageError(f"{shown(url[:80]) or 'URL'}: {found.message}")
    return found.url
