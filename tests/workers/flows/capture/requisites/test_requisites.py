"""What a page needs is captured with it, told apart from pages, and costs the page nothing."""

from __future__ import annotations

import asyncio
import gzip
import io
from dataclasses import replace

import pytest
from fastwarc.warc import ArchiveIterator

from schemas.records.job import JobOptions
from schemas.records.outcome import Outcome
from schemas.records.requisite import RequisiteKind as Kind
from workers.catalog.receipts import hops
from workers.flows.capture.in_turn import capture_in_turn

pytestmark = pytest.mark.real
WITH = JobOptions(requisites=True)
PIXEL = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"


@pytest.fixture
def site(new_host, make_answer):
    """A page with a sheet that imports another, an image here and one on a second host, and a frame."""
    host, other = new_host(), new_host()
    host.paths |= {
        "/page": make_answer(
            f'<!doctype html><link rel=stylesheet href=main.css><img src=a.gif><img src="{other.url("/b.gif")}">'
            "<iframe src=frame.html></iframe><p>The page itself.</p>"
        ),
        "/main.css": make_answer("@import 'more.css'; p{background:url(bg.gif)}", kind="text/css"),
        "/more.css": make_answer("@font-face{font-family:f;src:url(f.woff2)}", kind="text/css"),
        "/frame.html": make_answer("<img src=inner.gif><iframe src=deeper.html></iframe>"),
        **{path: make_answer(PIXEL + path.encode(), kind="image/gif") for path in ("/a.gif", "/bg.gif", "/inner.gif")},
        "/f.woff2": make_answer(b"font", kind="font/woff2"),
    }
    other.paths["/b.gif"] = make_answer(PIXEL + b"b", kind="image/gif")
    return host, other


@pytest.fixture
def captured(plane, receipts_of):
    """Captures URLs with their requisites; the receipts, and the WARC files by key."""

    def run(urls, *, options=WITH, jobs=1, extract=False, **limits):
        async def scenario():
            async with plane() as running:
                archive, receipts = running.archive, []
                settings = archive.capture_settings()
                settings = replace(settings, requisites=replace(settings.requisites, reserve_seconds=0, **limits))
                for _ in range(jobs):
                    job = await running.job(urls, options=options)
                    for message in await running.release():
                        ports = archive.capture_ports()
                        assert await capture_in_turn(
                            message, ports, settings, archive.transport, archive.robots, most=1
                        )
                    receipts += await receipts_of(archive, job)
                    progress = await archive.frontier.progress(job.id)
                    assert progress.captured_all
                    assert progress.known == len(urls)
                if extract:
                    await running.deliver()
                snapshots = await archive.catalog.snapshots_of_job(job.id)
                files = {r.warc.key: await archive.store.get(r.warc.key) for r in receipts}
                written = [place.record_id for r in receipts for hop in hops(r) for place in hop.records]
                assert None not in [await archive.catalog.locate(record_id) for record_id in written]
                return receipts, files, snapshots

        return asyncio.run(scenario())

    return run


def by_path(receipts):
    return {r.url.rpartition("/")[2]: r for receipt in receipts for r in receipt.requisites}


def metadata(data):
    """Blocks of the metadata records, by address."""
    return {
        record.headers["WARC-Target-URI"]: record.reader.read().decode()
        for record in ArchiveIterator(io.BytesIO(data), parse_http=False)
        if record.headers["WARC-Type"] == "metadata"
    }


def test_everything_that_a_page_needs_is_captured_in_its_file_and_no_page_of_it_is_made(site, captured):
    host, _ = site
    receipts, files, snapshots = captured([host.url("/page")], extract=True)
    (receipt,) = receipts
    (page,) = receipt.outcomes
    found = by_path(receipts)
    assert {name: (r.kind, r.found_at, r.outcome) for name, r in found.items()} == {
        "main.css": (Kind.STYLE, "link/@href", Outcome.CAPTURED),
        "more.css": (Kind.STYLE, "css/@import", Outcome.CAPTURED),
        "bg.gif": (Kind.IMAGE, "css/url()", Outcome.CAPTURED),
        "f.woff2": (Kind.FONT, "css/@font-face", Outcome.CAPTURED),
        "a.gif": (Kind.IMAGE, "img/@src", Outcome.CAPTURED),
        "b.gif": (Kind.IMAGE, "img/@src", Outcome.CAPTURED),
        "frame.html": (Kind.FRAME, "iframe/@src", Outcome.CAPTURED),
        "inner.gif": (Kind.IMAGE, "img/@src", Outcome.CAPTURED),
    }
    assert {r.page_record for r in found.values()} == {page.hops[-1].record("response").record_id}
    assert found["f.woff2"].found_in == host.url("/more.css")
    assert "/deeper.html" not in host.asked
    assert receipt.pending == receipt.completed == ()
    assert len(snapshots) == 1
    records = list(ArchiveIterator(io.BytesIO(files[receipt.warc.key]), parse_http=False))
    assert sum(record.headers["WARC-Type"] == "response" for record in records) == 1 + 8 + 2  # page, these, two robots
    assert receipt.cdxj.entries == 11


def test_the_records_say_why_a_requisite_was_fetched(site, captured):
    host, _ = site
    (receipt,), files, _ = captured([host.url("/page")])
    told = metadata(files[receipt.warc.key])
    assert f"outlink: {host.url('/main.css')} E link/@href\r\n" in told[host.url("/page")]
    assert "purpose" not in told[host.url("/page")]
    inner = told[host.url("/more.css")]
    assert f"outlink: {host.url('/f.woff2')} E css/@font-face\r\n" in inner
    assert f"purpose: requisite\r\nvia: {host.url('/main.css')}\r\nhopsFromSeed: E\r\n" in inner


def test_what_two_pages_need_is_fetched_once_in_a_job_and_again_in_the_next(site, captured):
    host, _ = site
    host.paths["/second"] = host.paths["/page"]
    captured([host.url("/page"), host.url("/second")], jobs=2)
    assert host.hits["/main.css"] == host.hits["/a.gif"] == 2


def test_an_unchanged_requisite_of_a_later_job_is_a_revisit(site, captured):
    host, _ = site
    receipts, _, _ = captured([host.url("/page")], jobs=2)
    assert {r.outcome for r in receipts[1].requisites} == {Outcome.REVISIT}
    first, second = (by_path([receipt])["a.gif"].hops[0] for receipt in receipts)
    assert second.refers_to == first.record("response").record_id


def test_failures_of_requisites_leave_a_reason_and_the_page_as_it_is(new_host, make_answer, captured):
    host, other = new_host(), new_host()
    host.paths |= {
        "/robots.txt": make_answer("User-agent: *\nDisallow: /private/", kind="text/plain"),
        "/page": make_answer(
            f"<img src=/private/x.gif><img src=missing.gif><img src=http://127.0.0.99:48991/a.gif>"
            f"<img src=http://127.0.0.99:48991/b.gif><img src=http://10.1.2.3/c.gif><img src={other.url('/d.gif')}>"
            f"<img src=moved.gif><img src=loop.gif><img src=http://name.invalid/e.gif>"
        ),
        "/moved.gif": make_answer(status=302, fields=(("Location", "/there.gif"),)),
        "/there.gif": make_answer(PIXEL, kind="image/gif"),
        "/loop.gif": make_answer(status=302, fields=(("Location", "/loop.gif"),)),
    }
    other.paths["/robots.txt"] = make_answer(status=500)
    (receipt,), _, _ = captured([host.url("/page")])
    found = by_path([receipt])
    assert receipt.outcomes[0].outcome is Outcome.CAPTURED
    assert {name: r.outcome for name, r in found.items()} == {
        "x.gif": Outcome.ROBOTS_DENIED,
        "missing.gif": Outcome.CAPTURED,
        "a.gif": Outcome.CONNECT_FAILED,
        "b.gif": Outcome.CONNECT_FAILED,
        "c.gif": Outcome.GUARD_DENIED,
        "d.gif": Outcome.ROBOTS_UNREACHABLE,
        "moved.gif": Outcome.CAPTURED,
        "loop.gif": Outcome.REDIRECT_LIMIT,
        "e.gif": Outcome.DNS_FAILED,
    }
    assert "/private/x.gif" not in host.asked
    assert found["missing.gif"].hops[0].http_status == 404
    assert [hop.http_status for hop in found["moved.gif"].hops] == [302, 200]
    assert all(r.failure for name, r in found.items() if not r.outcome.has_response or name == "loop.gif")
    assert all(hop.record("metadata") for name in ("x.gif", "a.gif", "b.gif", "c.gif") for hop in found[name].hops)


def test_a_page_has_so_many_requisites_and_the_rest_is_told(new_host, make_answer, captured):
    host = new_host()
    host.paths["/page"] = make_answer("".join(f"<img src={n}.gif>" for n in range(8)))
    (receipt,), _, _ = captured([host.url("/page")], most=3)
    outcomes = [r.outcome for r in receipt.requisites]
    assert outcomes.count(Outcome.BUDGET_SPENT) == 5
    assert sum(path.endswith(".gif") for path in host.asked) == 3
    assert "at most" in receipt.requisites[-1].failure


def test_a_page_has_so_many_bytes_of_requisites_and_what_goes_beyond_is_cut(new_host, make_answer, captured):
    host = new_host()
    host.paths["/page"] = make_answer("<img src=1.gif><img src=2.gif><img src=3.gif>")
    host.paths |= {f"/{n}.gif": make_answer(bytes([n]) * 60_000, kind="image/gif") for n in (1, 2, 3)}
    (receipt,), _, _ = captured([host.url("/page")], most_bytes=100_000)
    assert [r.outcome for r in receipt.requisites] == [Outcome.CAPTURED, Outcome.TRUNCATED, Outcome.BUDGET_SPENT]
    assert sum(r.hops[0].content_bytes for r in receipt.requisites if r.hops) == 100_000


def test_sheets_that_import_each_other_end(new_host, make_answer, captured):
    host = new_host()
    host.paths["/page"] = make_answer("<link rel=stylesheet href=0.css>")
    host.paths |= {
        f"/{n}.css": make_answer(
            f"@import '{n + 1}.css'; @import '0.css'; p{{background:url({n}.gif)}}", kind="text/css"
        )
        for n in range(20)
    }
    (receipt,), _, _ = captured([host.url("/page")], sheet_depth=5)
    sheets = [r for r in receipt.requisites if r.kind is Kind.STYLE]
    assert [r.outcome for r in sheets].count(Outcome.CAPTURED) == 6
    assert "levels deep" in sheets[-1].failure
    assert host.hits["/0.css"] == 1


def test_time_that_is_over_is_told(new_host, make_answer, captured):
    host = new_host()
    host.paths["/page"] = make_answer("<img src=a.gif>")
    (receipt,), _, _ = captured([host.url("/page")], seconds=0)
    assert [(r.outcome, r.hops) for r in receipt.requisites] == [(Outcome.BUDGET_SPENT, ())]
    assert "time" in receipt.requisites[0].failure


def test_without_requisites_a_page_is_captured_alone(site, captured):
    host, _ = site
    (receipt,), _, _ = captured([host.url("/page")], options=JobOptions(requisites=False))
    assert receipt.requisites == ()
    assert host.asked == ["/robots.txt", "/page"]


def test_compressed_pages_and_foreign_charsets_are_searched_as_a_browser_reads_them(new_host, make_answer, captured):

    host = new_host()
    body = gzip.compress(
        "<meta charset=windows-1251><link rel=stylesheet href=s.css><img src=фото.gif>".encode("cp1251")
    )
    host.paths["/page"] = make_answer(body, kind="text/html", fields=(("Content-Encoding", "gzip"),))
    host.paths["/s.css"] = make_answer("p{background:url(фон.gif)}".encode("cp1251"), kind="text/css")
    captured([host.url("/page")])
    assert "/%D1%84%D0%BE%D1%82%D0%BE.gif" in host.asked
    assert "/%D1%84%D0%BE%D0%BD.gif" in host.asked


def test_a_page_that_is_no_html_needs_nothing(new_host, make_answer, captured):
    host = new_host()
    host.paths["/page"] = make_answer("<img src=a.gif>", kind="text/plain")
    captured([host.url("/page")])
    assert host.asked == ["/robots.txt", "/page"]


def test_bombs_are_archived_as_they_came_and_not_unpacked_in_the_search(new_host, make_answer, captured):
    host = new_host()
    bomb = gzip.compress(b"<p>" + b" " * 40_000_000, mtime=0)
    packed = (("Content-Encoding", "gzip"),)
    host.paths |= {
        "/page": make_answer("<link rel=stylesheet href=bomb.css><iframe src=bomb.html></iframe>"),
        "/bomb.css": make_answer(bomb, kind="text/css", fields=packed),
        "/bomb.html": make_answer(bomb, fields=packed),
    }
    (receipt,), files, _ = captured([host.url("/page")])
    told = metadata(files[receipt.warc.key])
    assert "note: only a part of it was searched" in told[host.url("/bomb.html")]
    assert [r.outcome for r in receipt.requisites] == [Outcome.CAPTURED, Outcome.REVISIT]  # the same bytes
    assert {r.hops[0].content_bytes for r in receipt.requisites} == {len(bomb)}
    assert receipt.outcomes[0].outcome is Outcome.CAPTURED


def test_a_page_that_is_a_bomb_says_that_it_was_not_searched(new_host, make_answer, captured):
    host = new_host()
    bomb = gzip.compress(b"<img src=a.gif>" + b" " * 40_000_000, mtime=0)
    host.paths["/page"] = make_answer(bomb, fields=(("Content-Encoding", "gzip"),))
    (receipt,), files, _ = captured([host.url("/page")])
    assert receipt.outcomes[0].outcome is Outcome.CAPTURED
    assert receipt.requisites == receipt.pending == ()
    assert "note: only a part of it was searched for requisites" in metadata(files[receipt.warc.key])[host.url("/page")]
