"""The sample web answers as its table of pages says."""

from __future__ import annotations

import gzip
import http.client
from urllib.parse import urlsplit

import pytest

from deploy.demo.server import sample_web
from deploy.demo.sites import SEEDS, SITES

pytestmark = pytest.mark.real


def get(url: str) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request("GET", parts.path)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def test_every_site_answers_on_its_own_origin_and_its_pages_are_what_the_table_says() -> None:
    with sample_web() as web:
        assert len(set(web.origins.values())) == len(SITES)
        for site in SITES:
            assert get(web.url(site.name, "/robots.txt"))[2].decode() == site.robots
            for path, page in site.pages.items():
                status, fields, body = get(web.url(site.name, path))
                assert status == page.status
                assert fields.get("location", "") == page.location
                if page.file:
                    assert body == page.body(0)
        status, fields, body = get(web.url("hydrology", "/notes/first-closure"))
        assert (fields["content-encoding"], fields["transfer-encoding"]) == ("gzip", "chunked")
        assert b"eleven pressure gauges" in gzip.decompress(body)


def test_a_page_that_changes_says_something_else_each_time() -> None:
    with sample_web() as web:
        first, second = (get(web.url("authority", "/status"))[2] for _ in range(2))
        assert first != second


def test_seeds_are_pages_of_the_table() -> None:
    pages = {site.name: site.pages for site in SITES}
    assert all(path.partition("?")[0] in pages[name] for name, path in SEEDS)


def test_where_only_one_address_answers_each_site_has_a_port_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deploy.demo.server._has_own_addresses", lambda: False)
    with sample_web() as web:
        assert not web.own_addresses
        assert {urlsplit(origin).hostname for origin in web.origins.values()} == {"127.0.0.1"}
        assert len(set(web.origins.values())) == len(SITES)
        assert get(web.url("authority", "/barrier"))[0] == 200
