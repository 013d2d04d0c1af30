"""Commands are found by name, and cost what they need."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click

from scheduler.cli.commands import MODULES
from scheduler.cli.root import cli

HEAVY = {"numpy", "botocore", "redis", "rich", "prometheus_client", "workers.bootstrap"}


def test_each_name_leads_to_its_command_and_each_module_is_led_to(repository: Path) -> None:
    context = click.Context(cli)
    assert cli.list_commands(context) == sorted(MODULES)
    assert {name: getattr(cli.get_command(context, name), "name", None) for name in MODULES} == {n: n for n in MODULES}
    assert cli.get_command(context, "no-command") is None
    modules = (repository / "scheduler" / "cli").glob("*.py")
    registering = {path.stem for path in modules if re.search(r"^def register\(_?cli\b", path.read_text("utf-8"), re.M)}
    assert registering == {module for named in MODULES.values() for module in named}


def test_a_command_that_asks_no_store_loads_no_client() -> None:
    code = "import sys; from scheduler.cli.root import run; run(['--version']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("citevault")
    assert HEAVY & set(done.stderr.split()) == set()
