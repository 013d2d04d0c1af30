"""`tiers`: what kind of source a page is, and which rule says so."""

from __future__ import annotations

import click

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, print_json
from scheduler.cli.urls import normalized
from workers.bootstrap import Archive


def register(cli: click.Group) -> None:
    cli.add_command(tiers)


@click.group()
def tiers() -> None:
    """Tiers: categories with reasons, not scores."""


@tiers.command("explain")
@click.argument("url")
@json_option
@pass_context
def explain(context: Context, url: str, as_json: bool) -> int:
    """Say which tier a URL has, and which rule gave it."""

    async def work(opened: Archive) -> int:
        verdict = opened.tiers().verdict(normalized(url))
        if as_json:
            print_json(verdict)
        else:
            click.echo(f"{verdict.tier.value}: rule {verdict.reason} of {verdict.policy}")
        return 0

    return context.with_archive(work)
