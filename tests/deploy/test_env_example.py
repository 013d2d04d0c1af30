"""`env.example` names every setting, with its default, and no other."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from workers.config import VARIABLES, load
from workers.setting_sources import read_dotenv

COMPOSE = {"CITEVAULT_REDIS_URL", "CITEVAULT_S3_ENDPOINT"}
"""Set for the stores of compose.yaml."""


def test_every_setting_is_there_with_a_sentence_and_its_default(deploy: Path) -> None:
    lines = (deploy / "env.example").read_text(encoding="utf-8").splitlines()
    found = {}
    for before, line in pairwise(lines):
        match = re.fullmatch(r"(?:# )?((?:CITEVAULT|AWS)_[A-Z0-9_]+)=(.*)", line)
        if match:
            found[match.group(1)] = (match.group(2), before)
    assert set(found) == {variable.name for variable in VARIABLES}
    for variable in VARIABLES:
        value, sentence = found[variable.name]
        assert sentence.lower().startswith(f"# {variable.about.lower()}"), variable.name
        if variable.name not in COMPOSE:
            assert value == variable.default, variable.name


def test_it_can_be_read_as_it_is(deploy: Path, tmp_path: Path) -> None:
    values = read_dotenv(deploy / "env.example")
    settings = load(environ={**values, "CITEVAULT_DATA_DIR": str(tmp_path)}, folder=tmp_path)
    assert settings.redis_url == "redis://valkey:6379/0"
    assert not settings.uses_local_stack
