"""What further workers add where a worker mostly waits, as it does on a network: four of them against one.

Twice: with workers that do nothing but lease, wait and complete, so that only the frontier can stand in the way; and
with the product's own capture workers, under Celery, at servers that take their time. Each worker gets as much to do
in both runs, so that the beginning and the end of a run, where not all is in flight, weigh the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deploy.bench.capture import ours
from deploy.bench.capture.origin import Origin, delaying
from deploy.bench.capture.pages import Page, Pages, make_pages
from deploy.bench.capture.stack import running_stack
from deploy.bench.frontier.leasing import Crew, lease_and_complete
from workers.config import Settings

FEW, MANY = 1, 4
URL_SECONDS: Final = 0.05
PAGE_SECONDS: Final = 0.25
PAGES_A_HOST: Final = 1
WARM_PAGES: Final = 200
CONNECTIONS: Final = 32
"""Of a worker: four of them ask no more than two cores can answer, so that it is the waiting that is measured."""
BATCH_URLS: Final = 200
URLS_A_HOST: Final = 10


@dataclass(frozen=True, slots=True)
class Rates:
    """URLs a second of one worker, and of four."""

    one: float
    four: float


def leasing(settings: Settings, folder: Path, urls_a_worker: int) -> Rates:
    """Lease, wait, complete. WrongAnswerError where a URL is left over."""

    def rate(workers: int) -> float:
        file = folder / f"even-urls-{workers}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{url}\n" for url in even_urls(urls_a_worker * workers)), encoding="utf-8")
        return lease_and_complete(settings, file, Crew(workers, URL_SECONDS))

    return Rates(rate(FEW), rate(MANY))


def even_urls(count: int) -> Iterator[str]:
    """Of as many hosts as it takes that none is waited for: a host is in one batch at a time, and one that has a
    twentieth of all URLs, as in real lists, is what the end of a run waits for."""
    hosts = max(1, count // URLS_A_HOST)
    for number in range(count):
        yield f"https://www.host-{number % hosts}.example/articles/{number:x}"


def capturing(folder: Path, pages_a_worker: int) -> Rates:
    """The whole path, from release to commit. WrongAnswerError where what is archived is not what was served."""
    pages = make_pages(folder / "late-pages", count=max(WARM_PAGES, MANY * pages_a_worker))
    with delaying(pages, folder / "late-origin", PAGE_SECONDS) as origin:
        return Rates(*(_captured(folder, origin, pages, workers, pages_a_worker) for workers in (FEW, MANY)))


def _captured(folder: Path, origin: Origin, pages: Pages, workers: int, pages_a_worker: int) -> float:
    given = {
        "capture_workers": str(workers),
        "capture_connections": str(CONNECTIONS),
        "batch_urls": str(BATCH_URLS),
    }
    scratch = folder / "late-scratch"
    scratch.mkdir(parents=True, exist_ok=True)

    def captured(some: tuple[Page, ...], net: int) -> float:
        hosts = max(1, len(some) // PAGES_A_HOST)
        return ours.capture(stack, origin.urls(some, net=net, hosts=hosts), some, scratch).pages_per_second

    try:
        with running_stack(folder / "late-ours", given) as stack:
            captured(pages.pages[:WARM_PAGES], 1)  # so that no process is new
            return captured(pages.pages[: workers * pages_a_worker], 2)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.rmtree(folder / "late-ours", ignore_errors=True)
