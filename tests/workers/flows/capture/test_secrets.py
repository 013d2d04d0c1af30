"""Credentials in URLs and cookies of servers: looked for in every byte that a real run leaves anywhere."""

from __future__ import annotations

import asyncio
import gzip
import io
import logging
import zlib

import pytest
from fastwarc.warc import ArchiveIterator
from prometheus_client import generate_latest

from scheduler.intake import Order, accept, read_lines
from scheduler.outcomes import missing_urls
from schemas.records.job import JobOptions, Lane
from workers.flows.publish import publish

pytestmark = pytest.mark.real

PASSWORD = "hunter2secret"
LEADING = "otherwordsecret"
"""Stands in redirects and links: the server said it, so it stays in the bytes of that answer, and goes nowhere else."""


async def objects_of(store):
    """Every object, unpacked as far as it is packed."""
    found = {}
    for prefix in ("jobs/", "warc/", "cdxj/", "commits/", "text/", "prints/", "clusters/", "manifests/", "parked/"):
        async for key in store.list(prefix):
            data = await store.get(key)
            found[key] = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return found


async def redis_of(redis):
    """Every key with its value, as Redis itself would dump it, and unpacked where we pack."""
    await redis.config_set("rdbcompression", "no")
    found = b""
    async for key in redis.scan_iter(count=1000):
        found += key if isinstance(key, bytes) else key.encode()
        found += await redis.dump(key) or b""
        if await redis.type(key) in (b"hash", "hash"):
            for value in (await redis.hgetall(key)).values():
                raw = value if isinstance(value, bytes) else value.encode()
                found += raw
                for window in (15, -15, 31):
                    try:
                        found += zlib.decompress(raw, window)
                    except zlib.error:
                        continue
    return found


def test_no_credential_of_a_url_is_left_anywhere(plane, raw_web, caplog, tmp_path):
    """R022: what is archived is signed and published, so nothing secret may get into it."""
    caplog.set_level(logging.DEBUG)
    site, other = raw_web("127.0.0.21"), raw_web("127.0.0.22")
    userinfo = f"user:{PASSWORD}@"
    image = f"http://user:{LEADING}@{other.host}:{other.port}/image.png"
    text = "A page of some length, for the extractor to find. " * 30
    page = f'<html><body><p>{text}</p><img src="{image}"><link rel="icon" href="{image}?2"></body></html>'.encode()
    site.says("/", page, "Content-Type: text/html")
    site.redirects("/away", f"http://user:{LEADING}@{other.host}:{other.port}/there")
    site.redirects("/broken", f"http://user:{LEADING}@{other.host}:99999/there")
    other.redirects("/robots.txt", f"http://user:{LEADING}@{other.host}:{other.port}/rules")
    other.says("/there", page, "Content-Type: text/html")
    other.redirects("/image.png", f"http://user:{LEADING}@{other.host}:{other.port}/moved.png")
    given = [
        site.url("/", userinfo=userinfo),
        site.url("/", userinfo=f"{PASSWORD}@") + "#again",
        site.url("/away", userinfo=userinfo),
        site.url("/broken", userinfo=userinfo),
        site.url("/missing", userinfo=userinfo),
        f"http://user:{PASSWORD}@127.0.0.23:1/refused",
        f"http://user:{PASSWORD}@10.0.0.1/inside",
        f"http://user:{PASSWORD}@nothing.invalid/",
        f"ftp://user:{PASSWORD}@127.0.0.1/",
        f"http://user:{PASSWORD}@h:99999/",
        f"http://user:{PASSWORD}/x@h/",
        f"user:{PASSWORD}@h/",
    ]
    hits = [f'{{"url": "{url}", "query": "q", "provider": "p", "rank": 1}}'.encode() for url in given]

    async def scenario():
        async with plane() as running:
            archive = running.archive
            for text in ("\n".join(given).encode(), b"\n".join(hits)):
                lines = read_lines(io.BytesIO(text))
                order = Order("default", Lane.INTERACTIVE, JobOptions(requisites=True))
                now = archive.clock.now()
                job = await accept(lines, order, store=archive.store, frontier=archive.frontier, now=now)
                assert (job.seeds, job.bad_lines) == (7, 4)
                for message in await running.release():
                    assert await running.capture(message)
                await running.deliver()
                told = [repr(each) async for each in missing_urls(archive.store, job.id)]
                assert len(told) == 3
            await publish(await archive.publish_ports())
            return await objects_of(archive.store), await redis_of(archive.redis), told

    objects, redis, told = asyncio.run(scenario())
    kinds = {key.partition("/")[0] for key in objects}
    assert kinds >= {"jobs", "warc", "cdxj", "commits", "text", "manifests"}
    everywhere = {
        **objects,
        "redis": redis,
        "log": caplog.text.encode(),
        "status": "\n".join(told).encode(),
        "metrics": generate_latest(),
        "servers": b"".join(site.requests + other.requests),
        "disk": b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()),
    }
    assert [where for where, data in everywhere.items() if PASSWORD.encode() in data] == []
    for where, data in everywhere.items():
        if where.startswith("warc/"):
            data = b"".join(
                record.headers.items().__repr__().encode() + (record.reader.read() if _is_ours(record) else b"")
                for record in ArchiveIterator(io.BytesIO(data), parse_http=False)
            )
        assert LEADING.encode() not in data, where
    requests = site.requests + other.requests
    assert any(b"GET /rules" in request for request in requests)
    assert any(b"GET /there" in request for request in requests)
    assert any(b"GET /moved.png" in request for request in requests)
    assert not any(b"uthorization" in request or b"eferer" in request for request in requests)


def _is_ours(record):
    """Whether a record's block was written by us rather than received."""
    return record.headers["WARC-Type"] != "response"


def test_no_cookie_goes_back_within_a_job_or_across_jobs(plane, raw_web):
    """One crawl must not carry what another was given: neither the next hop, nor the next page, nor another job."""
    site = raw_web("127.0.0.24")
    cookies = ("Set-Cookie: session=abc; Path=/", "Set-Cookie: other=def; Domain=127.0.0.24; Max-Age=99999")
    site.says("/robots.txt", b"User-agent: *\nAllow: /\n", *cookies)
    site.says("/a", b"a", *cookies)
    site.says("/b", b"b", *cookies)
    site.answers["/c"] = (
        b"HTTP/1.1 302 Found\r\nSet-Cookie: hop=1\r\nLocation: /a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )

    async def scenario():
        async with plane() as running:
            for _ in range(2):
                await running.job([site.url(path) for path in ("/a", "/b", "/c")])
                for message in await running.release():
                    assert await running.capture(message)

    asyncio.run(scenario())
    pages = [request for request in site.requests if b"/robots.txt" not in request]
    assert len(pages) == 8
    assert not any(b"cookie" in request.lower() for request in site.requests)
