"""Peers get the same pages, half of the hosts each, and what they say is not taken on trust."""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy.bench.capture import peers
from deploy.bench.capture.origin import MissingProgramError, Origin
from deploy.bench.capture.pages import Page
from deploy.bench.ended import PeerEndedError

PAGES = [Page(f"{number}.html", 1, "00") for number in range(1000)]
URLS = Origin(8000).urls(PAGES, net=3)


def test_each_process_has_half_of_the_hosts_and_all_pages_of_them() -> None:
    one, other = peers.halves(URLS)
    assert sorted(one + other) == sorted(URLS)
    assert len(one) == len(other)
    assert not {urlsplit(url).netloc for url in one} & {urlsplit(url).netloc for url in other}


def test_another_network_has_other_hosts_with_the_same_pages() -> None:
    others = Origin(8000).urls(PAGES, net=4)
    assert [urlsplit(url).path for url in others] == [urlsplit(url).path for url in URLS]
    assert not {urlsplit(url).netloc for url in others} & {urlsplit(url).netloc for url in URLS}
    assert len({urlsplit(url).netloc for url in URLS}) == 100


def test_a_peer_that_is_not_installed_is_named(tmp_path: Path) -> None:
    task = peers.Task(URLS, PAGES, tmp_path, tmp_path / "no-python")
    with pytest.raises(MissingProgramError, match="scrapy"):
        peers.scrapy_warcio(task)


def test_a_peer_that_dies_is_named_with_how_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "SCRIPTS", tmp_path)  # no script is there, so Python ends at once
    with pytest.raises(PeerEndedError, match=r"^bare aiohttp ended with exit code 2 before it had answered$"):
        peers.aiohttp_bare(peers.Task(URLS, PAGES, tmp_path, Path(sys.executable)))
