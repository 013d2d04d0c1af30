"""The table of findings is whole: what a family words stands in it once, under its own name."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from schemas import findings
from schemas.findings import FindingKind
from schemas.findings.wording import Wording


def test_every_wording_of_a_family_is_a_kind_of_the_same_name() -> None:
    worded = {
        name: value
        for module in pkgutil.iter_modules(findings.__path__, f"{findings.__name__}.")
        for name, value in vars(import_module(module.name)).items()
        if isinstance(value, Wording)
    }
    assert worded == {kind.name: kind.value for kind in FindingKind}


def test_no_two_kinds_have_one_code() -> None:
    assert len({kind.code for kind in FindingKind}) == len(FindingKind.__members__)
