"""The table of what stands in Redis names every key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scheduler.rebuild.cluster_facts import ClusterFacts
from workers.adapters.redis import cluster_keys
from workers.catalog import names as catalog
from workers.dedup.parameters import PIPELINE_PARAMS
from workers.frontier import names as frontier

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "deploy/protocol.md").read_text("utf-8")
_KEY = re.compile(r'f"\{TAG\}:([a-z-]+)')


@pytest.mark.parametrize("module", [frontier, catalog, cluster_keys], ids=lambda module: module.__name__)
def test_every_family_of_keys_is_told_with_what_gives_it_back(module):
    source = Path(str(module.__file__)).read_text("utf-8")
    for family in _KEY.findall(source):
        assert re.search(rf"`{family}[:`]", TABLE), family


def test_every_family_of_the_cluster_state_that_is_compared_is_told():
    for family in ClusterFacts(PIPELINE_PARAMS).settled():
        assert f"*{family}*" in TABLE
