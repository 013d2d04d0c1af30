"""Conditional capture over real stores: what is asked, what a 304 becomes, and who is not believed (R082)."""

from __future__ import annotations

import io
import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator

from schemas.records.outcome import Outcome

pytestmark = pytest.mark.real

ETAG = 'ETag: "v1"'
MODIFIED = "Last-Modified: Fri, 21 Aug 2026 10:00:00 GMT"
PAGE = b"<p>The barrier was closed nine times in the winter of 2026.</p>"
OTHER = b"<p>The barrier was closed ten times in the winter of 2026.</p>"
NOT_BELIEVED = "not believed, asked again in full: "


def records(data: bytes) -> list[dict[str, Any]]:
    """All records of a WARC file: header fields, and block."""
    return [
        {**dict(record.headers), "block": record.reader.read()}
        for record in ArchiveIterator(io.BytesIO(data), parse_http=False)
    ]


def of_type(data: bytes, kind: str) -> list[dict[str, Any]]:
    return [record for record in records(data) if record["WARC-Type"] == kind]


def test_a_second_visit_asks_whether_the_page_has_changed_and_stores_a_revisit(visiting, server, whole, unchanged):
    """R082, R083: validators go back verbatim; the 304 refers to the 200, with that one's payload digest (which other
    archivers got wrong), and its own head stands beside it."""
    url = server.says("/page", whole(PAGE, ETAG, MODIFIED), unchanged(ETAG))

    async def scenario(visits):
        first, second = await visits.visit(url), await visits.visit(url)
        return first, second, await visits.warc(0), await visits.warc(1)

    first, second, before, data = visiting(scenario)
    assert [asked.conditions for asked in server.requests("/page")] == [
        (None, None),
        ('"v1"', "Fri, 21 Aug 2026 10:00:00 GMT"),
    ]
    assert (first.outcome, second.outcome) == (Outcome.CAPTURED, Outcome.NOT_MODIFIED)
    assert second.hops[0].refers_to == first.hops[0].record("response").record_id
    (original,) = [record for record in of_type(before, "response") if record["WARC-Target-URI"] == url]
    (revisit,) = of_type(data, "revisit")
    assert revisit["WARC-Profile"] == "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    assert revisit["block"] == b""
    assert revisit["WARC-Refers-To"] == original["WARC-Record-ID"]
    assert revisit["WARC-Refers-To-Target-URI"] == original["WARC-Target-URI"] == url
    assert revisit["WARC-Refers-To-Date"] == original["WARC-Date"]
    assert revisit["WARC-Payload-Digest"] == original["WARC-Payload-Digest"]
    (beside,) = of_type(data, "metadata")
    assert b"http-not-modified-head: HTTP/1.1%20304%20Not%20Modified%0D%0AETag:%20" in beside["block"]
    assert second.remarks == ()


def test_the_index_line_of_a_304_has_the_digest_of_the_original(visiting, server, whole, unchanged):
    """By it pywb finds the original even where the addresses of both differ in spelling."""
    url = server.says("/page", whole(PAGE, ETAG), unchanged())

    async def scenario(visits):
        await visits.visit(url)
        await visits.visit(url)
        return [await visits.plane.archive.store.get(receipt.cdxj.key) for receipt in visits.receipts]

    before, after = (lines.decode() for lines in visiting(scenario))
    digest = next(line for line in before.splitlines() if "/page" in line).partition('"digest": ')[2].split(",")[0]
    assert f'"mime": "warc/revisit", "digest": {digest}' in after


def test_a_304_after_a_304_still_refers_to_the_first_response(visiting, server, whole, unchanged):
    url = server.says("/page", whole(PAGE, ETAG), unchanged())

    async def scenario(visits):
        return [await visits.visit(url) for _ in range(3)]

    first, second, third = visiting(scenario)
    original = first.hops[0].record("response").record_id
    assert (second.hops[0].refers_to, third.hops[0].refers_to) == (original, original)
    assert third.hops[0].revalidation.representation.confirmed == 2


def test_a_page_that_came_again_unchanged_in_full_is_asked_about_its_first_response(visiting, server, whole, unchanged):
    """An identical-payload revisit is never what a later revisit refers to; its newer ETag is what goes out."""
    url = server.says("/page", whole(PAGE, ETAG), whole(PAGE, 'ETag: "v2"'), unchanged())

    async def scenario(visits):
        return [await visits.visit(url) for _ in range(3)]

    first, second, third = visiting(scenario)
    assert second.outcome is Outcome.REVISIT
    assert server.requests("/page")[2].conditions == ('"v2"', None)
    assert third.outcome is Outcome.NOT_MODIFIED
    assert third.hops[0].refers_to == first.hops[0].record("response").record_id


def test_a_changed_page_is_stored_and_asked_about_from_then_on(visiting, server, whole, unchanged):
    url = server.says("/page", whole(PAGE, ETAG), whole(OTHER, 'ETag: "v2"'), unchanged())

    async def scenario(visits):
        return [await visits.visit(url) for _ in range(3)]

    _, second, third = visiting(scenario)
    assert second.outcome is Outcome.CAPTURED
    assert third.hops[0].refers_to == second.hops[0].record("response").record_id


def test_another_collection_is_asked_in_full(visiting, server, whole):
    """A revisit must find its original within its collection."""
    url = server.says("/page", whole(PAGE, ETAG))

    async def scenario(visits):
        await visits.visit(url)
        return await visits.visit(url, collection="other")

    assert visiting(scenario).outcome is Outcome.CAPTURED
    assert server.requests("/page")[1].conditions == (None, None)


def test_a_fresh_job_asks_for_everything_in_full(visiting, server, whole, fresh):
    url = server.says("/page", whole(PAGE, ETAG))

    async def scenario(visits):
        await visits.visit(url)
        return await visits.visit(url, options=fresh)

    assert visiting(scenario).outcome is Outcome.REVISIT
    assert server.requests("/page")[1].conditions == (None, None)


def test_robots_txt_is_never_asked_for_on_conditions(visiting, server, whole):
    rules = whole(b"User-agent: *\nAllow: /\n", ETAG, MODIFIED)
    server.says("/robots.txt", rules)
    url = server.says("/page", whole(PAGE, ETAG))

    async def scenario(visits):
        await visits.visit(url)
        visits.plane.archive._robots = None  # another process, which has not met the site
        await visits.visit(url)

    visiting(scenario)
    assert {asked.conditions for asked in server.requests("/robots.txt")} == {(None, None)}


def test_each_hop_is_asked_by_validators_of_its_own(visiting, server, whole, unchanged):
    """A redirect has none that are used: what is asked about is a whole 200."""
    moved = b"HTTP/1.1 301 Moved\r\nLocation: /page\r\n" + ETAG.encode() + b"\r\nContent-Length: 0\r\n\r\n"
    url = server.says("/old", moved)
    server.says("/page", whole(PAGE, 'ETag: "of-the-page"'), unchanged())

    async def scenario(visits):
        return [await visits.visit(url) for _ in range(2)]

    _, second = visiting(scenario)
    assert [asked.conditions for asked in server.requests("/old")] == [(None, None)] * 2
    assert server.requests("/page")[1].conditions == ('"of-the-page"', None)
    assert [hop.outcome for hop in second.hops] == [Outcome.CAPTURED, Outcome.NOT_MODIFIED]
    assert second.outcome is Outcome.NOT_MODIFIED


@pytest.mark.parametrize(
    ("fields", "rest", "reason"),
    [
        (['ETag: "v2"'], b"", 'its ETag is another one than "v1"'),
        (["Last-Modified: Sat, 22 Aug 2026 10:00:00 GMT"], b"", "its Last-Modified is another one than Fri, 21 Aug"),
        (["Content-Length: 64"], b"", f"its Content-Length is not the {len(PAGE)} of the representation"),
        ([ETAG], b"<p>a body</p>", "the 304 came malformed"),
    ],
)
def test_a_304_that_contradicts_what_we_have_is_asked_again_in_full(
    visiting, server, whole, unchanged, fields, rest, reason
):
    """RFC 9110, 15.4.5: both exchanges are archived, the second one counts, and the receipt tells of it."""
    url = server.says("/page", whole(PAGE, ETAG, MODIFIED), unchanged(*fields, rest=rest), whole(OTHER, 'ETag: "v3"'))

    async def scenario(visits):
        await visits.visit(url)
        return await visits.visit(url), await visits.warc()

    second, data = visiting(scenario)
    assert second.outcome is Outcome.CAPTURED
    assert [hop.http_status for hop in second.hops] == [304, 200]
    assert server.requests("/page")[2].conditions == (None, None)
    assert server.requests("/page")[2].fields["cache-control"] == "no-cache"
    assert len(of_type(data, "response")) == 2
    assert not of_type(data, "revisit")
    (remark,) = second.remarks
    assert remark.startswith(f"{url}: {NOT_BELIEVED}{reason}")
    assert any(f"note: {NOT_BELIEVED}{reason}".encode() in record["block"] for record in of_type(data, "metadata"))


@pytest.mark.parametrize(
    "status", ["400 Bad Request", "412 Precondition Failed", "431 Request Header Fields Too Large"]
)
def test_an_answer_that_may_be_about_the_condition_is_asked_again_without(visiting, server, whole, status):
    url = server.says("/page", whole(PAGE, ETAG), whole(b"no", status=status), whole(PAGE, ETAG))

    async def scenario(visits):
        await visits.visit(url)
        return await visits.visit(url), await visits.visit(url)

    second, third = visiting(scenario)
    assert [hop.http_status for hop in second.hops] == [int(status[:3]), 200]
    assert second.outcome is Outcome.REVISIT
    assert server.requests("/page")[3].conditions == (None, None), "and is not tried again"
    assert (third.outcome, third.remarks) == (Outcome.REVISIT, ())


def test_a_304_that_nobody_asked_for_is_asked_again_past_caches(visiting, server, whole, unchanged):
    url = server.says("/page", unchanged(), whole(PAGE))
    outcome = visiting(lambda visits: visits.visit(url))
    assert [hop.http_status for hop in outcome.hops] == [304, 200]
    assert outcome.remarks == (f"{url}: {NOT_BELIEVED}nobody had asked whether it had changed",)


def test_a_server_that_answers_304_whatever_it_is_asked_is_stored_as_it_answers(visiting, server, unchanged):
    url = server.says("/page", unchanged(ETAG))
    outcome = visiting(lambda visits: visits.visit(url))
    assert outcome.outcome is Outcome.CAPTURED
    assert [hop.http_status for hop in outcome.hops] == [304, 304]
    assert [remark.rpartition(": ")[2] for remark in outcome.remarks] == ["nobody had asked whether it had changed"] * 2


def test_a_server_that_changes_pages_under_one_etag_is_found_out_and_asked_in_full(visiting, server, whole, unchanged):
    """It answers each conditional request with 304. Ten visits later one is a full one, and shows the change; from then
    on its ETag is not sent, until it changes."""
    body = [PAGE]

    def lie(asked):
        return unchanged(ETAG) if asked.conditions[0] == '"v1"' else whole(body[0], ETAG)

    url = server.says("/page", lie)

    async def scenario(visits):
        outcomes = [await visits.visit(url)]
        body[0] = OTHER
        outcomes += [await visits.visit(url) for _ in range(11)]
        server.says("/page", whole(b"<p>A third page.</p>", 'ETag: "v2"'))
        outcomes += [await visits.visit(url) for _ in range(2)]
        return outcomes

    outcomes = visiting(scenario)
    assert [outcome.outcome for outcome in outcomes[1:10]] == [Outcome.NOT_MODIFIED] * 9
    caught = outcomes[10]
    assert caught.outcome is Outcome.CAPTURED
    assert "the content changed since" in caught.remarks[0]
    assert 'under the same ETag "v1"' in caught.remarks[0]
    asked = [request.conditions[0] for request in server.requests("/page")]
    assert asked == [None, *['"v1"'] * 9, None, None, None, '"v2"']
    assert outcomes[11].outcome is Outcome.REVISIT


def test_a_hostile_etag_is_kept_and_never_sent(visiting, server, whole):
    """R082: verbatim in the record. `*` would match whatever the server has; a list would ask another question."""
    hostile = ["*", 'W/"a", *', "unquoted", '"' + "x" * 600 + '"', '"a"\rIf-Match: *', '"a\x00b"']
    urls = [server.says(f"/{n}", whole(PAGE + b"%d" % n, f"ETag: {etag}")) for n, etag in enumerate(hostile)]
    twice = server.says("/twice", whole(PAGE, ETAG, 'ETag: "v2"'))

    async def scenario(visits):
        for url in [*urls, twice] * 2:
            await visits.visit(url)

    visiting(scenario)
    assert len(server.asked) >= 14
    assert {asked.conditions for asked in server.asked} == {(None, None)}


def test_pages_without_validators_any_more_are_asked_in_full(visiting, server, whole):
    url = server.says("/page", whole(PAGE, ETAG), whole(OTHER), whole(OTHER))

    async def scenario(visits):
        return [await visits.visit(url) for _ in range(3)]

    visiting(scenario)
    assert [asked.conditions[0] for asked in server.requests("/page")] == [None, '"v1"', None]


def test_an_error_page_in_between_changes_nothing(visiting, server, whole, unchanged):
    url = server.says("/page", whole(PAGE, ETAG), whole(b"down", status="503 Service Unavailable"), unchanged())

    async def scenario(visits):
        return [await visits.visit(url) for _ in range(3)]

    first, second, third = visiting(scenario)
    assert second.hops[0].http_status == 503
    assert third.hops[0].refers_to == first.hops[0].record("response").record_id


def test_one_round_trip_looks_up_all_urls_of_a_batch(visiting, server, whole, monkeypatch):
    urls = [server.says(f"/{number}", whole(PAGE + b"%d" % number, ETAG)) for number in range(5)]

    async def scenario(visits):
        plane, calls = visits.plane, []
        index = plane.archive.versions
        monkeypatch.setattr(type(index), "find", counted(type(index).find, calls))
        await plane.job(urls)
        for message in await plane.release():
            await plane.capture(message)
        return calls

    def counted(find, calls):
        async def found(index, collection, urls):
            calls.append(len(urls))
            return await find(index, collection, urls)

        return found

    assert visiting(scenario) == [5]


def test_a_web_server_of_another_make_answers_304_to_what_we_send(visiting, tmp_path, socket_enabled):
    """The one of Python's standard library, which knows If-Modified-Since alone."""
    (tmp_path / "page.html").write_bytes(PAGE)
    os.utime(tmp_path / "page.html", (1_780_000_000, 1_780_000_000))

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format, *args):
            """Nothing to say."""

    httpd = ThreadingHTTPServer(("127.0.0.14", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=httpd.serve_forever, args=(0.02,), daemon=True).start()
    url = f"http://127.0.0.14:{httpd.server_address[1]}/page.html"

    async def scenario(visits):
        return [(await visits.visit(url)).outcome for _ in range(2)]

    try:
        assert visiting(scenario) == [Outcome.CAPTURED, Outcome.NOT_MODIFIED]
    finally:
        httpd.shutdown()
        httpd.server_close()
