"""What runs of the whole stack have in common: a job of so many URLs, on a web of their own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.bench.capture.origin import Place
from deploy.chaos.site import Site, running_site


@dataclass(frozen=True, slots=True)
class Given:
    """What a run is like. `answer_seconds`: how long the web takes to answer, which is how long the job takes: a host
    is asked one page after the other."""

    seed: int = 1
    urls: int = 500
    hosts: int = 25
    answer_seconds: float = 0.5
    most_seconds: float = 600.0
    """For the job; longer is a finding."""
    settle_seconds: float = 240.0
    """For what follows it: extraction, clusters, publication."""

    @property
    def batch_urls(self) -> int:
        """So that each of three workers has several batches."""
        return max(20, self.urls // 16)


def emptied(folder: Path) -> Path:
    """The folder of a run, with nothing of an earlier one."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


@contextmanager
def served(given: Given, folder: Path, place: Place | None = None, net: str = "") -> Iterator[Site]:
    """The run's web, as `running_site`."""
    with running_site(
        folder / "web",
        urls=given.urls,
        hosts=given.hosts,
        seconds=given.answer_seconds,
        seed=given.seed,
        place=place,
        net=net,
    ) as site:
        yield site
