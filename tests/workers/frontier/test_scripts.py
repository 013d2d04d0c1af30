"""What all Lua sources have in common."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import get_args

import pytest

from workers.frontier.scripts import HOST_STRIDE, Verb, source


@pytest.mark.parametrize("verb", get_args(Verb))
def test_every_script_looks_at_the_epoch_before_anything_else(verb: Verb):
    first_call = re.search(r"redis\.call\((.*)\)", source(verb))
    assert first_call is not None
    assert first_call[1] == "'GET', KEYS[1]"


HANDED_IN = {"left_in_batch.lua": ("batch_urls", "open", "batch_hosts"), "touch.lua": ("segment", "stage")}


def test_what_a_shared_function_is_handed_are_declared_keys():
    for verb in ("claim", "reclaim"):
        handed = re.findall(r"^return left_in_batch\(\{.*\}, (.+)\)$", source(verb), re.M)
        assert [re.fullmatch(r"KEYS\[\d\](, KEYS\[\d\]){2}", keys) is not None for keys in handed] == [True]


@pytest.mark.parametrize("package", ["workers.frontier", "workers.adapters.redis"])
def test_no_script_makes_up_a_key(package: str):
    """A key that is built within a script is undeclared, which a single node hides and a cluster does not."""
    for entry in files(package).joinpath("lua").iterdir():
        if not entry.name.endswith(".lua"):
            continue
        for call in re.findall(r"redis\.call\('\w+', ([^,)]+)", entry.read_text("utf-8")):
            known = call.startswith("KEYS[") or call in {"queue", "lane_key", *HANDED_IN.get(entry.name, ())}
            assert known, f"{entry.name}: {call}"


def test_the_stride_of_hosts_stands_in_the_sources_as_in_the_code():
    assert f"host_number * {HOST_STRIDE}" in source("release")
    assert f"tonumber(places[i + 1]) / {HOST_STRIDE})" in source("commit")
    assert f"tonumber(places[2 * i]) / {HOST_STRIDE})" in source("claim")
