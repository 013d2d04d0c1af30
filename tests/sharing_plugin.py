"""Which tests stay with one process of `make test`: those of a file, and of a folder whose files share a fixture that
takes half a minute to make."""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

TOGETHER = ("tests/deploy/hostile/",)


class LoadShared(LoadFileScheduling):
    """By file, or by folder."""

    def _split_scope(self, nodeid: str) -> str:
        return next((folder for folder in TOGETHER if nodeid.startswith(folder)), super()._split_scope(nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadShared | None:
    """Instead of `--dist loadfile`; other ways of distribution are as they are."""
    return LoadShared(config, log) if config.getvalue("dist") == "loadfile" else None
