"""`bundle`: from a draft to a bundle that anybody can check."""

from __future__ import annotations

import click


def register(cli: click.Group) -> None:
    cli.add_command(bundle)


@click.group()
def bundle() -> None:
    """Bundles: claims, the evidence for them, and everything needed to check it."""
