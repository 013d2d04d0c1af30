"""Alert rules: checked and tested by promtool, on metrics that exist, each with a place in the runbook."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from prometheus_client import Counter, Gauge, Histogram

from workers import metrics


@pytest.fixture(scope="session")
def promtool() -> str:
    found = shutil.which("promtool")
    if found is None and os.environ.get("CITEVAULT_REQUIRE_PEERS") == "1":
        pytest.fail("promtool is required: install the Debian package prometheus")
    if found is None:
        pytest.skip("no promtool; install the Debian package prometheus")
    return found


@pytest.fixture
def rules(deploy: Path):
    groups = yaml.safe_load((deploy / "prometheus" / "rules.yml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "rules", "rules.yml"],
        ["test", "rules", "rules_test.yml"],
        ["check", "config", "--syntax-only", "prometheus.yml"],
    ],
    ids=["check rules", "test rules", "check config"],
)
def test_promtool_is_content(promtool: str, deploy: Path, arguments: list[str]) -> None:
    run = subprocess.run([promtool, *arguments], cwd=deploy / "prometheus", capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr


def test_rules_speak_of_metrics_that_exist(rules) -> None:
    names = set()
    for metric in vars(metrics).values():
        if isinstance(metric, Counter | Gauge | Histogram):
            names |= {sample.name for family in metric.collect() for sample in family.samples}
            names |= {family.name for family in metric.collect()}
            names |= {f"{family.name}_total" for family in metric.collect() if family.type == "counter"}
            names |= {f"{family.name}_bucket" for family in metric.collect() if family.type == "histogram"}
    for rule in rules:
        named = set(re.findall(r"\bcitevault_[a-z_]+\b", rule["expr"]))
        assert named <= names, rule["alert"]


def test_outcomes_in_rules_are_outcomes(rules) -> None:
    from schemas.records.outcome import Outcome

    for rule in rules:
        for pattern in re.findall(r'outcome=~"([^"]+)"', rule["expr"]):
            assert set(pattern.split("|")) <= {outcome.value for outcome in Outcome}


def test_every_alert_is_tested_and_stands_in_the_runbook(rules, deploy: Path) -> None:
    runbook = (deploy / "README.md").read_text(encoding="utf-8")
    tests = yaml.safe_load((deploy / "prometheus" / "rules_test.yml").read_text(encoding="utf-8"))["tests"]
    fires = {case["alertname"] for test in tests for case in test["alert_rule_test"] if case.get("exp_alerts")}
    for rule in rules:
        name = rule["alert"]
        assert name in fires
        assert rule["annotations"]["runbook"] == f"deploy/README.md#{name.lower()}"
        assert f'<a id="{name.lower()}"></a>{name}' in runbook
        assert rule["labels"]["severity"] in {"page", "ticket"}
