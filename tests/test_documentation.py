"""Every command, variable, metric and outcome is documented, and the documents name nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from prometheus_client.metrics import MetricWrapperBase

from scheduler.cli.commands import MODULES
from scheduler.cli.root import cli
from schemas.reading import read_document
from schemas.records.draft import Draft
from schemas.records.outcome import Outcome
from workers import metrics
from workers.cite.draft_check import check_draft
from workers.config import VARIABLES


def commands(group: click.Group, prefix: str = "citevault") -> list[str]:
    found = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found += commands(command, f"{prefix} {name}") or []
            if command.invoke_without_command:
                found.append(f"{prefix} {name}")
        else:
            found.append(f"{prefix} {name}")
    return found


@pytest.fixture
def guide(repository: Path) -> str:
    """What people who use it read, topic by topic."""
    return (repository / "scheduler" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", commands(cli))
def test_every_command_stands_in_the_guide(command: str, guide: str) -> None:
    text = guide
    *groups, last = command.split()[1:]
    if groups:
        assert re.search(rf"`(citevault )?{groups[0]} [^`]*`", text), command
        assert re.search(rf"\b{last}\b", text), command
    else:
        assert f"citevault {last}" in text


def test_every_command_of_readme_and_guide_exists(repository: Path, guide: str) -> None:
    text = guide + (repository / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`citevault ([a-z-]+)", text)) | set(
        re.findall(r"^citevault ([a-z-]+)", text, re.MULTILINE)
    )
    assert named <= set(MODULES)


@pytest.mark.parametrize("variable", [variable.name for variable in VARIABLES])
def test_every_variable_stands_in_the_reference(variable: str, repository: Path) -> None:
    assert f"| `{variable}` |" in (repository / "deploy" / "reference.md").read_text(encoding="utf-8")


def metric_names() -> list[str]:
    found = [value for value in vars(metrics).values() if isinstance(value, MetricWrapperBase)]
    return [item._name + ("_total" if item._type == "counter" else "") for item in found]


@pytest.mark.parametrize("metric", metric_names())
def test_every_metric_stands_in_the_reference(metric: str, repository: Path) -> None:
    assert f"| `{metric}` |" in (repository / "deploy" / "reference.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_stands_in_the_guide(outcome: Outcome, guide: str) -> None:
    assert f"`{outcome.value}`" in guide


def test_every_metric_is_counted_somewhere(repository: Path) -> None:
    source = "".join(
        path.read_text(encoding="utf-8")
        for package in ("workers", "scheduler")
        for path in (repository / package).rglob("*.py")
    )
    names = [name for name, value in vars(metrics).items() if isinstance(value, MetricWrapperBase)]
    assert [name for name in names if f"metrics.{name}" not in source] == []


def test_every_setting_has_an_effect(repository: Path) -> None:
    """A documented variable that nothing reads would be a promise that nobody keeps."""
    own = {"config.py"}
    source = "".join(
        path.read_text(encoding="utf-8")
        for package in ("workers", "scheduler")
        for path in (repository / package).rglob("*.py")
        if path.name not in own
    )
    checker = "".join(path.read_text(encoding="utf-8") for path in (repository / "validator").glob("*.py"))
    idle = [
        variable.name
        for variable in VARIABLES
        if not re.search(rf"\b(?:settings|base|loaded|configured|self\.settings)\.{variable.field}\b", source)
        and variable.name not in checker
        and variable.field not in READ_WITHIN_THE_SETTINGS
    ]
    assert idle == []


READ_WITHIN_THE_SETTINGS = {"user_agent"}
"""Through a property of theirs: `agent`."""


def test_nobody_is_told_to_install_by_name_what_is_in_no_index(repository: Path) -> None:
    """Whoever registers that name would be installed: extras are installed from the source tree."""
    by_name = re.compile(r"citevault\[|pip install ['\"]?citevault")
    told = [
        str(path.relative_to(repository))
        for folder in ("schemas", "workers", "scheduler", "validator", "deploy")
        for path in (*(repository / folder).rglob("*.py"), *(repository / folder).rglob("*.md"))
        if by_name.search(path.read_text(encoding="utf-8"))
    ]
    assert told == []
    assert by_name.search((repository / "README.md").read_text(encoding="utf-8")) is None


RESERVED = re.compile(r"(^|\.)(example|example\.(com|org|net)|invalid|test|localhost)$|^127\.|^10\.|^https?$")
PUBLIC = (
    "arxiv.org",
    "github.com",
    "githubissues.com",
    "youtube.com",
    "youtu.be",
    "web.archive.org",
    "netpreserve.org",
)
SECRETS = re.compile(
    r"AKIA[0-9A-Z]{16}|sk-[A-Za-z0-9]{20,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|gh[pousr]_[A-Za-z0-9]{30,}"
)


DOCUMENTS = (
    "README.md",
    "schemas/README.md",
    "scheduler/README.md",
    "deploy/README.md",
    "deploy/development.md",
    "deploy/protocol.md",
    "deploy/reference.md",
)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str, repository: Path) -> None:
    """Relative ones, to a file and, where they name one, to a heading or an anchor of it."""
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", (repository / name).read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        if "://" in target or "…" in target:
            continue
        file = repository / name if not path else (repository / name).parent / path
        if not file.exists() or (anchor and anchor not in anchors(file)):
            lost.append(target)
    assert lost == []


def anchors(file: Path) -> set[str]:
    text = file.read_text(encoding="utf-8")
    named = set(re.findall(r'<a id="([^"]+)">', text))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return named | {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_drafts_of_the_readme_are_drafts(repository: Path) -> None:
    blocks = re.findall(
        r"^```json\n(.*?)^```$", (repository / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    read = [read_document(block.encode(), Draft) for block in blocks]
    assert [check_draft(draft) if isinstance(draft, Draft) else draft for draft in read] == [[]]


def test_what_is_proved_is_said_in_the_same_words_everywhere(repository: Path) -> None:
    said = [" ".join((repository / name).read_text("utf-8").split()) for name in ("README.md", "schemas/README.md")]
    proved = (
        "These bytes were recorded under key K and have not changed since head N and, where an RFC 3161 time-stamp or"
    )
    assert all(proved in text for text in said)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_examples_name_nothing_private(name: str, repository: Path) -> None:
    """R126: reserved names, the services that rules are about, standards; and no key."""
    text = (repository / name).read_text(encoding="utf-8")
    hosts = {host.lower() for host in re.findall(r"https?://([a-z0-9.-]+[a-z0-9])", text, re.IGNORECASE)}
    foreign = {
        h for h in hosts if not RESERVED.search(h) and not h.endswith((*PUBLIC, "w3.org", "ietf.org", "in-toto.io"))
    }
    assert foreign == set()
    assert SECRETS.search(text) is None
