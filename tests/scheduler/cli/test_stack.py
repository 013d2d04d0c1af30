"""`doctor` and `down` over stores that are configured. The stack itself is tested beside its own code."""

from __future__ import annotations

import pytest


@pytest.mark.real
def test_doctor_says_what_it_saw(citevault):
    said = citevault("doctor", "--json")
    checks = {check["name"]: check for check in said.json}
    assert said.code == (0 if all(check["ok"] for check in checks.values()) else 1)
    assert all(set(check) == {"name", "ok", "message", "next_step"} for check in checks.values())
    person = citevault("doctor")
    assert person.code == said.code
    assert len([line for line in person.out.splitlines() if line.startswith(("ok  ", "note", "BAD "))]) == len(checks)


@pytest.mark.real
def test_doctor_without_stores_could_not_tell(unconfigured):
    said = unconfigured("doctor", "--json")
    assert said.code == 3
    bad = [check for check in said.json if not check["ok"]]
    assert bad
    assert all(check["next_step"] for check in bad)


def test_down_where_nothing_runs_is_done(unconfigured):
    said = unconfigured("down")
    assert (said.code, said.stdout, said.err) == (0, b"", "no local stack was running\n")
