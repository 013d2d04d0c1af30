"""`up`, `down`, `doctor`: the local stack."""

from __future__ import annotations

import click

from scheduler.cli.context import Context, pass_context
from scheduler.cli.output import json_option, print_json, say
from scheduler.stack import control, state


def register(cli: click.Group) -> None:
    for command in (up, down, doctor):
        cli.add_command(command)


@click.command()
@click.option("--detach", is_flag=True, help="Leave it running in the background, until `citevault down`.")
@pass_context
def up(context: Context, detach: bool) -> None:
    """Start the local stack: Valkey, SeaweedFS, workers, scheduler, web."""
    control.up(context.settings(), say, detach=detach)


@click.command()
@pass_context
def down(context: Context) -> None:
    """Stop the local stack of this data directory."""
    stopped = control.down(context.settings().data_dir, say)
    say("the local stack is stopped" if stopped else "no local stack was running")


@click.command()
@json_option
@pass_context
def doctor(context: Context, as_json: bool) -> int:
    """Say what is reachable, and what is wrong, in words. Exit 1: something is to be done; 3: no store to use."""
    from scheduler import doctor as doctors  # which looks at everything, and `down` at nothing

    settings = context.settings()
    if (running := state.running(settings.data_dir)) is not None:
        settings = running.settings(settings, state.credentials_of(state.StackPaths(settings.data_dir)))
    checks = doctors.diagnose(settings, None if running is None else running.contact)
    if running is not None:
        checks += doctors.parts(settings.data_dir)
    if as_json:
        print_json(
            [{"name": c.name, "ok": c.ok, "message": c.message, "next_step": c.next_step or None} for c in checks]
        )
    else:
        for check in checks:
            word = "BAD " if not check.ok else "note" if check.next_step else "ok  "
            click.echo(f"{word} {check.name}: {check.message}")
            if check.next_step:
                click.echo(f"       next: {check.next_step}")
    return doctors.worst_exit(checks)
