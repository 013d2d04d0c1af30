"""`bundle explain`: the chain of proof of one quote, as the validator sees it, which runs as a program of its own."""

from __future__ import annotations

import subprocess
import sys

import click

from scheduler.cli.output import json_option


@click.command("explain")
@click.argument("directory", metavar="DIR-or-WACZ-or-s3://…")
@click.argument("evidence", metavar="EVIDENCE")
@click.option("--trust", "trusted", multiple=True, metavar="KEYS", help="PEM file of trusted public keys; repeatable.")
@json_option
def explain(directory: str, evidence: str, trusted: tuple[str, ...], as_json: bool) -> int:
    """Show how a quote (ev-001) hangs on the signed log, link by link. Exit 1 if a link is broken, 3 if one is open."""
    program = [sys.executable, "-m", "validator.cli", "explain", "--format", "json" if as_json else "text"]
    for keys in trusted:
        program += ["--trust", keys]
    sys.stdout.flush()
    return subprocess.run([*program, "--", directory, evidence], check=False).returncode  # noqa: S603 (no shell)
