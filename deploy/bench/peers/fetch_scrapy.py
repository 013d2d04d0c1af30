"""`fetch_scrapy.py URLS CONCURRENCY WARC`: Scrapy, with a callback that writes each response and its request with
warcio in its defaults. Whatever Scrapy does beyond fetching (robots.txt, cookies, retries, redirects) is off."""

from __future__ import annotations

import io
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from starting import tell_end, wait_for_start
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


class Archiving(scrapy.Spider):
    """Fetches a list."""

    name = "archiving"
    urls: list[str]
    writer: WARCWriter

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for url in self.urls:
            yield scrapy.Request(url, dont_filter=True)

    def parse(self, response: scrapy.http.Response, **_: Any) -> None:
        head = StatusAndHeaders(f"{response.status} OK", fields_of(response.headers), protocol="HTTP/1.1")
        answer = self.writer.create_warc_record(
            response.url, "response", payload=io.BytesIO(response.body), http_headers=head
        )
        path = "/" + response.url.split("/", 3)[3]
        asked = StatusAndHeaders(f"GET {path} HTTP/1.1", fields_of(response.request.headers), is_http_request=True)
        request = self.writer.create_warc_record(response.url, "request", http_headers=asked)
        self.writer.write_request_response_pair(request, answer)


def fields_of(headers: Any) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, many in headers.items() for value in many]


def settings(concurrency: int) -> dict[str, object]:
    """As fast as it goes."""
    return {
        "CONCURRENT_REQUESTS": concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "REDIRECT_ENABLED": False,
        "COMPRESSION_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "AUTOTHROTTLE_ENABLED": False,
        "LOG_ENABLED": False,
        "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 100_000_000,
        "DOWNLOAD_WARNSIZE": 0,
        "SPIDER_MIDDLEWARES_BASE": {},
    }


def main(listed: str, concurrency: str, warc: str) -> None:
    urls = Path(listed).read_text(encoding="utf-8").split()
    with open(warc, "wb") as file:  # noqa: PTH123
        process = CrawlerProcess(settings(int(concurrency)))
        process.crawl(Archiving, urls=urls, writer=WARCWriter(file, gzip=True))
        before = wait_for_start()
        process.start()
    tell_end(before)


if __name__ == "__main__":
    main(*sys.argv[1:])
