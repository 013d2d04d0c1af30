"""`tiers`: what kind of source a page is, which rule says so, and what it may carry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, lines_option, print_json, print_rows, say, shown
from scheduler.cli.urls import normalized
from workers.adapters.tier_rules import policy_in_force
from workers.bootstrap import Archive
from workers.flows.tier_view import OTHER_PORTS, TierRule, explain_tier, rules_of, why_of


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
    """Say which tier a URL has, which rule gave it and why, and what kinds of claims it may carry."""

    async def work(opened: Archive) -> int:
        found = explain_tier(opened.tiers(), normalized(url))
        if as_json:
            print_json({**asdict(found), "carries": list(found.carries)})
            return 0
        click.echo(f"{found.tier}: rule {found.reason} of {found.policy}")
        if found.place is not None:
            click.echo(f"  {shown(found.place)}{', a rule of your own' if found.own_rule else ''}: {shown(found.why)}")
        else:
            click.echo(f"  {shown(found.why)}")
            named = f'a rule of your own may, with "{shown(found.host)}" in its hosts (CITEVAULT_TIER_RULES)'
            click.echo(
                "  no rule can: their hosts are no IPv6 addresses" if found.host.startswith("[") else f"  {named}"
            )
        click.echo(f"  good for: {found.good_for}")
        return 0

    return context.with_archive(work)


@tiers.command("rules")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--hosts", is_flag=True, help="Also every host.")
@lines_option
@pass_context
def rules(context: Context, file: Path | None, hosts: bool, as_json: bool, as_lines: bool) -> int:
    """List the rules in force, those of your own first; with FILE, those that would be in force with it.

    FILE holds rules of your own, as CITEVAULT_TIER_RULES names one. Exit 2 where it is none: what is wrong, and where.
    A host on another port than 80 (http) or 443 (https) stands in it with its port ("lab.example:8080"); a host
    without one is on these two only.
    """
    columns = ("reason", "tier", "own", "path", "hosts", "why")
    if file is not None:
        rows = _rows(rules_of(policy_in_force(file, required=True)), hosts)
        print_rows(rows, columns, as_json=as_json, as_lines=as_lines)
        if not (as_json or as_lines):
            say(OTHER_PORTS)
        return 0

    async def work(opened: Archive) -> int:
        print_rows(_rows(rules_of(opened.tiers()), hosts), columns, as_json=as_json, as_lines=as_lines)
        return 0

    return context.with_archive(work)


def _rows(listed: Iterable[tuple[TierRule, bool]], hosts: bool) -> list[dict[str, JsonValue]]:
    return [
        {
            "reason": rule.reason,
            "tier": rule.tier.value,
            "own": own,
            "path": rule.path,
            "hosts": list(rule.hosts) if hosts else len(rule.hosts),
            "why": why_of(rule, own=own),
        }
        for rule, own in listed
    ]
