"""`tiers`: what kind of source a page is, which rule says so, and what it may carry."""

from __future__ import annotations

from pathlib import Path

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, lines_option, print_json, print_rows, shown
from scheduler.cli.urls import normalized
from workers.adapters.tier_rules import policy_in_force
from workers.bootstrap import Archive
from workers.dedup.tier_fit import NOTES, carried_by
from workers.dedup.tiers import TierPolicy


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
        policy = opened.tiers()
        resource = normalized(url)
        verdict, found = policy.verdict(resource), policy.rule(resource)
        why = found.rule.why if found is not None else "no rule names this host"
        if as_json:
            print_json(
                {
                    **verdict.model_dump(mode="json"),
                    "place": found.place if found is not None else None,
                    "own_rule": found is not None and found.own,
                    "why": why,
                    "carries": [kind.value for kind in carried_by(verdict.tier)],
                }
            )
            return 0
        click.echo(f"{verdict.tier.value}: rule {verdict.reason} of {verdict.policy}")
        if found is not None:
            click.echo(f"  {shown(found.place)}{', a rule of your own' if found.own else ''}: {shown(why)}")
        else:
            click.echo(f"  {why}; one of your own may (CITEVAULT_TIER_RULES)")
        click.echo(f"  good for: {NOTES[verdict.tier]}")
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
    """
    if file is not None:
        return _list(policy_in_force(file, required=True), hosts, as_json, as_lines)

    async def work(opened: Archive) -> int:
        return _list(opened.tiers(), hosts, as_json, as_lines)

    return context.with_archive(work)


def _list(policy: TierPolicy, hosts: bool, as_json: bool, as_lines: bool) -> int:
    rows: list[dict[str, JsonValue]] = []
    for own, index in ((True, policy.overrides), (False, policy.published)):
        for rule in {id(rule): rule for rule in index.values()}.values():
            row: dict[str, JsonValue] = {
                "reason": rule.reason,
                "tier": rule.tier.value,
                "own": own,
                "path": rule.path,
                "hosts": list(rule.hosts) if hosts else len(rule.hosts),
                "why": rule.why,
            }
            rows.append(row)
    columns = ("reason", "tier", "own", "path", "hosts", "why")
    print_rows(rows, columns, as_json=as_json, as_lines=as_lines)
    return 0
