"""The gate's own test: every forgery is refused for its own reason, what is good passes, and the canary fails."""

import json

import pytest

from schemas.findings import FindingKind
from validator.cli import main
from validator.selftest.forgery import Forgery
from validator.selftest.log import ForgedLog
from validator.selftest.run import LOG_MUTANTS, MUTANTS, SelfTest, run


@pytest.fixture(scope="module")
def result() -> SelfTest:
    return run()


def test_every_forgery_is_killed_by_the_finding_that_it_is_about(result: SelfTest) -> None:
    assert [trial for trial in result.trials if not trial.killed] == []
    assert len(result.trials) == len(MUTANTS) + len(LOG_MUTANTS) >= 120


def test_what_nobody_touched_passes_and_a_false_claim_fails(result: SelfTest) -> None:
    assert (result.good_bundle, result.good_log, result.canary_failed, result.exit_code) == (0, 0, True, 0)


def test_every_forgery_differs_from_the_good_bundle_and_from_every_other() -> None:
    good = Forgery().made().files
    forged = [Forgery().made(m.stage, m.edit).files for m in MUTANTS]
    logs = [ForgedLog().made(m.edit, m.after).files for m in LOG_MUTANTS]
    assert good not in forged
    assert ForgedLog().made().files not in logs
    assert len({json.dumps({k: v.hex() for k, v in f.items()}, sort_keys=True) for f in forged}) == len(MUTANTS)
    assert len({m.name for m in MUTANTS}) == len(MUTANTS)


def test_a_gate_that_lost_a_check_is_told_from_one_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.spans.cuts_token", lambda *_: False)
    survivors = {trial.name for trial in run().trials if not trial.killed}
    assert survivors == {"the quote cut within a word", "the quote cut within a figure", "the quote cut behind a sign"}


def test_the_command_reports_the_kill_rate(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest"]) == 0
    text = capfd.readouterr().out
    assert f"killed {len(MUTANTS) + len(LOG_MUTANTS)} of" in text
    assert "100.0 %" in text
    assert main(["selftest", "--format", "json"]) == 0
    report = json.loads(capfd.readouterr().out)
    codes = {kind.code for kind in FindingKind}
    assert {t["expected"] for t in report["trials"]} <= codes | {"the input is refused"}
