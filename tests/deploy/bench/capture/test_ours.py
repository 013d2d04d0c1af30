"""The harness runs our whole path for real, over real parts, and checks what came of it."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.bench.capture import ours
from deploy.bench.capture.origin import MissingProgramError, Origin, delaying, nginx
from deploy.bench.capture.pages import Pages, make_pages
from deploy.bench.capture.stack import running_stack
from workers.config import ConfigError

pytestmark = pytest.mark.real
COUNT = 60
SECONDS = 0.05


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return make_pages(tmp_path_factory.mktemp("bench") / "pages", count=COUNT)


@pytest.fixture(scope="module")
def origin(pages: Pages, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Origin]:
    with delaying(pages, tmp_path_factory.mktemp("run"), SECONDS) as running:
        yield running


def test_the_far_origin_answers_with_the_page_and_late(origin: Origin, pages: Pages) -> None:
    (url,) = origin.urls(pages.pages[:1], net=7)
    started = time.monotonic()
    with urllib.request.urlopen(url) as answer:
        body = answer.read()
    assert time.monotonic() - started >= SECONDS
    assert body == (pages.folder / pages.pages[0].name).read_bytes()


def test_a_run_of_ours_is_every_page_committed_with_time_and_cost(origin: Origin, pages: Pages, tmp_path: Path) -> None:
    with running_stack(tmp_path / "stack", {}) as stack:
        run = ours.capture(stack, origin.urls(pages.pages, net=1), pages.pages, tmp_path)
        assert run.pages == COUNT
        assert run.seconds > 0
        assert run.size > 0
        assert sum(part.urls for part in run.timeline) == COUNT
        assert run.cpu_seconds == pytest.approx(run.cpu_by_part["worker-capture"] + run.cpu_by_part["scheduler"])


def test_a_setting_that_the_product_does_not_know_starts_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such setting"), running_stack(tmp_path / "stack", {"warp": "9"}):
        pass
    assert not (tmp_path / "stack").exists()


def test_without_nginx_the_package_is_named(pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deploy.bench.capture.origin.shutil.which", lambda *_, **__: None)
    with pytest.raises(MissingProgramError, match="nginx-light"), nginx(pages, tmp_path):
        pass
