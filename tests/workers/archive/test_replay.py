"""pywb replays our files by our index: every kind of answer, both kinds of revisit; what it cannot is listed.

(Complaints: an original that could not be loaded, a 304 revisit with a wrong digest, a redirect without a reason phrase
that loads for ever, an unknown URL that is answered with 200.)
"""

from __future__ import annotations

import http.client
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from workers.archive.cdxj import sort_lines
from workers.archive.exchange_records import ExchangeRecords
from workers.archive.segment import SegmentWriter
from workers.archive.warcinfo import Warcinfo
from workers.exchange import Exchange

pytestmark = [pytest.mark.real, pytest.mark.slow]

STAMP = "20261129120000"
NOT_REPLAYED = {
    "icy": "pywb wants a status line that begins with HTTP/",
    "http/0.9": "without a head pywb finds no payload",
}
"""All that pywb does not replay of what we write."""
DECODED = {"gzip", "brotli"}
"""pywb takes the coding off for a client that does not ask for it."""
CUT_OFF = {"too long", "too slow", "cut off"}
"""pywb sends what is there under the length that the server had told; the client waits for the rest in vain."""


@pytest.fixture
def pywb(zoo: Any, pywb_over: Any) -> Iterator[Any]:
    """A pywb that serves the zoo."""
    with pywb_over(zoo.segment.path.parent, zoo.segment.cdxj) as running:
        yield running


def beginning(port: int, url: str, size: int) -> bytes:
    """The first bytes of a replayed body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", f"/all/{STAMP}id_/{url}", headers={"Accept-Encoding": "identity"})
    body = connection.getresponse().read(size)
    connection.close()
    return body


def test_pywb_replays_all_that_we_write_but_what_is_listed(zoo: Any, pywb: Any) -> None:
    """One pywb, since it takes seconds to start, and four things to see in it."""
    replays_every_answer_but_those_that_are_listed(zoo, pywb)
    replays_both_kinds_of_revisit_at_their_own_time(zoo, pywb)
    replays_a_redirect_without_a_reason_phrase(pywb)
    answers_404_for_what_was_never_captured_and_for_failures(pywb)


def replays_every_answer_but_those_that_are_listed(zoo: Any, pywb: Any) -> None:
    seen: Counter[str] = Counter()
    plain = zoo.exchanges["plain"].response.content.read()
    for name, exchange in zoo.exchanges.items():
        content = exchange.response.content.read()
        if name in CUT_OFF:
            assert beginning(pywb.port, exchange.url, len(content)) == content, name
            seen["cut off"] += 1
            continue
        status, _, body = pywb.replayed(STAMP, exchange.url)
        if name in NOT_REPLAYED:
            assert (name, status) == (name, 503)
            seen["not replayed"] += 1
            continue
        assert (name, status) == (name, exchange.response.status)
        assert body == (plain if name in DECODED else content), name
        seen["replayed"] += 1
    assert seen == {
        "cut off": len(CUT_OFF),
        "not replayed": len(NOT_REPLAYED),
        "replayed": len(zoo.exchanges) - len(CUT_OFF) - len(NOT_REPLAYED),
    }


def replays_both_kinds_of_revisit_at_their_own_time(zoo: Any, pywb: Any) -> None:
    """R084: by RFC 7089 a capture says of which resource it is (`original`) and of what time (`Memento-Datetime`)."""
    plain = zoo.exchanges["plain"]
    content = plain.response.content.read()
    for name, stamp in {
        "the original": STAMP,
        "an identical-payload revisit": "20261130120000",
        "a server-not-modified revisit": "20261201120000",
    }.items():
        status, headers, received = pywb.replayed(stamp, plain.url)
        assert (name, status) == (name, 200)
        assert received == content, name
        memento = time.strptime(headers["memento-datetime"], "%a, %d %b %Y %H:%M:%S GMT")
        assert time.strftime("%Y%m%d%H%M%S", memento) == stamp, name
        assert f'<{plain.url}>; rel="original"' in headers["link"], name


def replays_a_redirect_without_a_reason_phrase(pywb: Any) -> None:
    """A status line that ends after the blank must not hang the client."""
    status, headers, _ = pywb.replayed(STAMP, "https://www.Example.org/R")
    assert status == 302
    assert headers["location"].endswith("/plain")


def answers_404_for_what_was_never_captured_and_for_failures(pywb: Any) -> None:
    for url in ("http://example.org/never", "http://no.example/"):
        status, headers, _ = pywb.replayed(STAMP, url)
        assert status == 404
        assert "memento-datetime" not in headers


@pytest.fixture
def two_files(
    tmp_path: Path, make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords], found: Any
) -> tuple[Path, bytes, dict[str, tuple[str, bytes]]]:
    """An original in one file, and in another file revisits of it: of another address, within its second, of a 304."""
    folder = tmp_path / "two"
    folder.mkdir()
    body = b"<p>shared by two addresses</p>"
    first = make_exchange(content=body, url="http://one.example/a?b=1", started_at="2026-11-29T12:00:00.100000Z")
    other = make_exchange(content=b"<p>other</p>", url="http://one.example/a?b=1", started_at="2026-11-29T12:00:00.6Z")
    writer = SegmentWriter(folder, "s1", "a", Warcinfo("test"), created_at=STAMP_DATE)
    records = to_records(first, warcinfo_id=writer.warcinfo_id)
    writer.append(records.all, 0.0)
    writer.append(to_records(other, warcinfo_id=writer.warcinfo_id).all, 0.0)
    one = writer.close()
    assert records.response is not None
    assert first.response is not None
    original = found(records.response.id, first.url, first.started_at, first.response.content.sha256)
    again = {
        "another address": make_exchange(content=body, url="http://two.example/b", started_at="2026-11-30T09:00:00.5Z"),
        "the same address": make_exchange(content=body, url=first.url, started_at="2026-12-01T09:00:00.5Z"),
        "not modified": make_exchange(
            b"HTTP/1.1 304 Not Modified\r\n\r\n",
            b"",
            framing="none",
            status=304,
            url=first.url,
            started_at="2026-12-02T09:00:00.5Z",
        ),
    }
    writer = SegmentWriter(folder, "s2", "a", Warcinfo("test"), created_at=STAMP_DATE)
    for exchange in again.values():
        made = to_records(exchange, original, warcinfo_id=writer.warcinfo_id)
        assert made.response is not None
        assert made.response.type == "revisit"
        writer.append(made.all, 0.0)
    two = writer.close()
    index = sort_lines([line + b"\n" for line in (one.cdxj + two.cdxj).splitlines()])
    stamps = {name: "".join(c for c in e.started_at[:19] if c.isdigit()) for name, e in again.items()}
    return folder, index, {name: (stamps[name], e.url) for name, e in again.items()}


STAMP_DATE = "2026-11-29T12:00:00Z"


def test_the_original_is_found_in_another_file_and_under_another_address(
    two_files: Any, pywb_over: Callable[[Path, bytes], AbstractContextManager[Any]]
) -> None:
    """Also where the original's address was captured twice within its second: the digest tells which it is."""
    folder, index, revisits = two_files
    with pywb_over(folder, index) as running:
        for name, (stamp, url) in revisits.items():
            status, headers, body = running.replayed(stamp, url)
            assert (name, status, body) == (name, 200, b"<p>shared by two addresses</p>")
            assert "memento-datetime" in headers
