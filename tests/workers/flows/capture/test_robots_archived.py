"""robots.txt on the way of a page: obeyed as RFC 9309 has it, and in the archive whatever came of it."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from fastwarc.warc import ArchiveIterator

from schemas import keys
from schemas.records.job import JobOptions, RobotsPolicy
from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt
from workers.adapters.clock import SystemClock
from workers.adapters.redis.robots_copies import RedisRobotsCopies
from workers.flows.capture.in_turn import capture_in_turn
from workers.flows.capture.robots import RobotsCache
from workers.flows.documents import read_object

pytestmark = pytest.mark.real

SITE, OTHER = "127.0.2.1", "127.0.2.2"


class Ahead(SystemClock):
    """The time of two days later."""

    def now(self) -> datetime:
        return super().now() + timedelta(days=2)


async def visit(running, url, *, robots=None, **options) -> Receipt:
    """Capture one URL by a job of its own; its receipt."""
    archive = running.archive
    job = await running.job([url], **options)
    for message in await running.release():
        ports, settings = archive.capture_ports(), archive.capture_settings()
        assert await capture_in_turn(message, ports, settings, archive.transport, robots or archive.robots, most=1)
    (key,) = [key async for key in archive.store.list(keys.receipts(job.id))]
    return await read_object(archive.store, key, Receipt)


async def records_of(running, receipt: Receipt) -> list[tuple[str, str, bytes]]:
    """Type, target and block of each record."""
    data = await running.archive.store.get(receipt.warc.key)
    found = []
    for record in ArchiveIterator(io.BytesIO(data), parse_http=False):
        headers = dict(record.headers)
        found.append((headers["WARC-Type"], headers.get("WARC-Target-URI", ""), record.reader.read()))
    return found


def test_a_byte_order_mark_hides_no_rule_and_the_refused_page_is_told_with_the_file(plane, serve_site):
    """Complaint 63."""

    async def scenario():
        async with (
            serve_site(lambda host, path: (200, {}, "\ufeffUser-agent: *\nDisallow: /")) as seen,
            plane() as running,
        ):
            receipt = await visit(running, seen.url(SITE, "/page"))
            return seen, receipt, await records_of(running, receipt)

    seen, receipt, records = asyncio.run(scenario())
    assert receipt.outcomes[0].outcome is Outcome.ROBOTS_DENIED
    assert seen.requests == [f"{SITE}/robots.txt"]
    blocks = {kind: block for kind, url, block in records if url == seen.url(SITE, "/robots.txt")}
    assert blocks["response"].endswith("\ufeffUser-agent: *\nDisallow: /".encode())
    assert [kind for kind, url, _ in records if url == seen.url(SITE, "/page")] == ["metadata"]


def test_each_answer_of_a_redirected_file_is_archived_under_its_own_address(plane, serve_site):
    """Complaint 65: across hosts, in a circle. Rules that are found elsewhere bind the host that sent us there."""

    async def scenario():
        def site(host, path):
            if path == "/robots.txt" and host == SITE:
                return 301, {"Location": seen.url(OTHER, "/rules")}, "moved"
            if path == "/rules":
                return 200, {}, "User-agent: *\nDisallow: /private"
            if path == "/robots.txt":
                return 302, {"Location": seen.url(OTHER, "/robots.txt")}, "round"
            return 200, {}, f"page {path}"

        async with serve_site(site) as seen, plane() as running:
            denied = await visit(running, seen.url(SITE, "/private"))
            allowed = await visit(running, seen.url(SITE, "/public"))
            circle = await visit(running, seen.url(OTHER, "/private"))
            return seen, denied, allowed, circle, await records_of(running, denied)

    seen, denied, allowed, circle, records = asyncio.run(scenario())
    assert denied.outcomes[0].outcome is Outcome.ROBOTS_DENIED
    assert allowed.outcomes[0].outcome is Outcome.CAPTURED
    assert circle.outcomes[0].outcome is Outcome.CAPTURED, "a circle is no file"
    assert [hop.url for hop in denied.robots] == [seen.url(SITE, "/robots.txt"), seen.url(OTHER, "/rules")]
    responses = {url: block for kind, url, block in records if kind == "response"}
    assert responses[seen.url(SITE, "/robots.txt")].startswith(b"HTTP/1.1 301 ")
    assert b"Disallow: /private" in responses[seen.url(OTHER, "/rules")]
    assert [hop.url for hop in circle.robots] == [seen.url(OTHER, "/robots.txt")]
    assert allowed.robots == (), "once a site"


def test_while_the_file_cannot_be_had_its_copy_is_obeyed_and_the_archive_says_so(plane, serve_site):
    async def scenario():
        def site(host, path):
            if path != "/robots.txt":
                return 200, {}, f"page {path}"
            return (500, {}, "down") if down else (200, {}, "User-agent: *\nDisallow: /private")

        down = False
        async with serve_site(site) as seen, plane() as running:
            await visit(running, seen.url(SITE, "/first"))
            down = True
            later = RobotsCache("citevault", Ahead(), RedisRobotsCopies(running.archive.guard))
            public = await visit(running, seen.url(SITE, "/public"), robots=later)
            private = await visit(running, seen.url(SITE, "/private"), robots=later)
            unknown = await visit(running, seen.url(OTHER, "/public"), robots=later)
            return public, private, unknown, await records_of(running, public)

    public, private, unknown, records = asyncio.run(scenario())
    assert public.outcomes[0].outcome is Outcome.CAPTURED
    assert private.outcomes[0].outcome is Outcome.ROBOTS_DENIED
    assert private.robots == (), "the site is not asked again at once"
    assert unknown.outcomes[0].outcome is Outcome.ROBOTS_UNREACHABLE
    assert unknown.outcomes[0].failure == "robots.txt: status 500"
    (note,) = [block for kind, url, block in records if kind == "metadata" and url.endswith("/robots.txt")]
    assert b"is obeyed meanwhile" in note
    assert public.robots[0].http_status == 500


def test_a_file_without_end_is_cut_off_archived_and_read(plane, serve_site):
    async def scenario():
        rules = "User-agent: *\nDisallow: /private\n" + "# nothing\n" * 600_000

        async with serve_site(lambda *_: (200, {}, rules)) as seen, plane() as running:
            return await visit(running, seen.url(SITE, "/private"))

    receipt = asyncio.run(scenario())
    assert receipt.outcomes[0].outcome is Outcome.ROBOTS_DENIED
    assert receipt.robots[0].outcome is Outcome.TRUNCATED
    assert receipt.robots[0].content_bytes == 2 * 1024 * 1024


def test_a_site_that_this_job_may_not_reach_is_asked_once_for_all_its_pages(plane, serve_site):
    """Its address is private, and the job opens no network."""

    async def scenario():
        async with serve_site(lambda _, path: (200, {}, path)) as seen, plane() as running:
            asked: list[str] = []
            transport = running.archive.transport

            class Counting:
                async def fetch(self, request):
                    asked.append(request.url)
                    return await transport.fetch(request)

                async def address(self, host):
                    return await transport.address(host)

                async def close(self):
                    await transport.close()

            await running.job([seen.url(SITE, f"/{page}") for page in range(4)])
            (message,) = await running.release()
            archive = running.archive
            settings = replace(archive.capture_settings(), allowed_networks=())
            await capture_in_turn(message, archive.capture_ports(), settings, Counting(), archive.robots, most=1)
            (key,) = [key async for key in archive.store.list(keys.receipts(message.job_id))]
            return seen, asked, await read_object(archive.store, key, Receipt)

    seen, asked, receipt = asyncio.run(scenario())
    assert [outcome.outcome for outcome in receipt.outcomes] == [Outcome.GUARD_DENIED] * 4
    assert asked == [seen.url(SITE, "/robots.txt")]
    assert seen.requests == []


def test_a_job_that_ignores_the_file_says_so_in_its_archive(plane, serve_site):
    async def scenario():
        async with (
            serve_site(lambda _, path: (200, {}, f"User-agent: *\nDisallow: /\n# {path}")) as seen,
            plane() as running,
        ):
            found = {}
            for policy in RobotsPolicy:
                receipt = await visit(running, seen.url(SITE, "/page"), options=JobOptions(robots=policy))
                (_, _, warcinfo), *_ = await records_of(running, receipt)
                found[policy.value] = (receipt.outcomes[0].outcome, warcinfo)
            return seen, found

    seen, found = asyncio.run(scenario())
    assert found["obey"][0] is Outcome.ROBOTS_DENIED
    assert b"robots: obey\r\n" in found["obey"][1]
    assert found["ignore"][0] is Outcome.CAPTURED
    assert b"robots: ignore\r\n" in found["ignore"][1]
    assert seen.requests == [f"{SITE}/robots.txt", f"{SITE}/page"], "what is ignored is not fetched"
