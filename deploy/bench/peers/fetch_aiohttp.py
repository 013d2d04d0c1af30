"""`fetch_aiohttp.py URLS CONCURRENCY [WARC]`: aiohttp, with warcio in its defaults behind it; without WARC, nothing is
kept and the bare fetch is what is measured."""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path

import aiohttp
from starting import tell_end, wait_for_start
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

AGENT = "bench/1.0"


async def fetch_all(urls: list[str], concurrency: int, writer: WARCWriter | None) -> None:
    """Take URLs off one list, so many at a time, over connections that are kept."""
    left = iter(urls)
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=60)
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    async with aiohttp.ClientSession(connector=connector, headers=headers, auto_decompress=False) as session:

        async def work() -> None:
            for url in left:
                async with session.get(url, allow_redirects=False) as response:
                    body = await response.read()
                    if response.status != 200:
                        raise SystemExit(f"{url}: status {response.status}")
                    if writer is not None:
                        write(writer, url, response, body)

        await asyncio.gather(*(work() for _ in range(concurrency)))


def write(writer: WARCWriter, url: str, response: aiohttp.ClientResponse, body: bytes) -> None:
    """A response and its request, as a user of warcio writes them."""
    fields = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in response.raw_headers]
    head = StatusAndHeaders(f"{response.status} {response.reason}", fields, protocol="HTTP/1.1")
    answer = writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=head)
    asked = StatusAndHeaders(
        f"GET {response.url.raw_path_qs} HTTP/1.1", list(response.request_info.headers.items()), is_http_request=True
    )
    request = writer.create_warc_record(url, "request", http_headers=asked)
    writer.write_request_response_pair(request, answer)


def main(listed: str, concurrency: str, warc: str = "") -> None:
    urls = Path(listed).read_text(encoding="utf-8").split()
    with open(warc or "/dev/null", "wb") as file:  # noqa: PTH123 (as warcio's documentation has it)
        writer = WARCWriter(file, gzip=True) if warc else None
        before = wait_for_start()
        asyncio.run(fetch_all(urls, int(concurrency), writer))
    tell_end(before)


if __name__ == "__main__":
    main(*sys.argv[1:])
