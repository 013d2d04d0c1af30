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


def test_each_command_exits_2_and_names_the_extra_where_a_module_of_it_is_not_installed(tmp_path: Path) -> None:
    """Also where the module is not read before the command is: click may be there by itself."""
    code = "import sys; sys.modules[{!r}] = None\nfrom scheduler.cli import main; main()"
    for missing, command in (("publicsuffixlist", "status"), ("redis", "archive"), ("click", "status")):
        run = [sys.executable, "-c", code.format(missing), command, "http://a.example/"]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert done.stderr.startswith(f"citevault needs the extra `archive` ({missing} is not installed)\n")
        assert "pip install './[archive]'" in done.stderr


def test_schemas_and_the_validator_read_no_module_of_the_archives_extra() -> None:
    """With the base install alone `citevault-validate` checks a bundle."""
    code = (
        "import sys, pkgutil, schemas, validator\nfrom importlib import import_module\n"
        "sys.modules |= dict.fromkeys(('publicsuffixlist', 'redis', 'click', 'boto3', 'aiohttp', 'rich', 'celery'))\n"
        "names = [m.name for p in (schemas, validator) for m in pkgutil.walk_packages(p.__path__, p.__name__ + '.')]\n"
        "[import_module(name) for name in names if not name.endswith('__main__')]; print(len(names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50
