"""Which module holds which command. A command's module is imported when that command is asked for: one that lists
snapshots must not wait for what builds bundles. `--help` of the whole reads them all."""

from __future__ import annotations

from importlib import import_module

import click

MODULES: dict[str, tuple[str, ...]] = {
    "up": ("stack",),
    "down": ("stack",),
    "doctor": ("stack",),
    "archive": ("archive",),
    "status": ("status",),
    "watch": ("status",),
    "pause": ("control",),
    "resume": ("control",),
    "cancel": ("control",),
    "retry": ("control",),
    "schedule": ("schedule",),
    "snapshots": ("snapshots",),
    "show": ("snapshots",),
    "clusters": ("clusters",),
    "groups": ("groups",),
    "tiers": ("tiers",),
    "manifest": ("manifest",),
    "keys": ("manifest",),
    "bundle": ("bundle", "drift", "compare"),
    "judge": ("judge",),
    "cite": ("cite_render",),
    "source-map": ("source_map",),
    "prompt": ("source_map",),
    "answer": ("answer",),
    "export": ("export",),
    "index": ("index",),
    "compact": ("compact",),
    "reprocess": ("reprocess",),
    "diff": ("reprocess",),
    "rebuild": ("rebuild",),
}
"""The command, and the modules of `scheduler.cli` whose `register` makes it whole."""


class Commands(click.Group):
    """The group of all commands, each there as soon as it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for module in MODULES.get(cmd_name, ()) if cmd_name not in self.commands else ():
            import_module(f"scheduler.cli.{module}").register(self)
        return self.commands.get(cmd_name)
