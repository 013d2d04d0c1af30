"""A side whose archive is not what the origin served is found out, whatever is wrong with it."""

from __future__ import annotations

import base64
import gzip
import hashlib
from pathlib import Path
from uuid import uuid4

import pytest

from deploy.bench.capture.pages import Page
from deploy.bench.capture.reading import WrongAnswerError, check_archives

URLS = ["http://127.2.0.1:80/0.html", "http://127.2.0.2:80/1.html"]
BODIES = [b"<p>one</p>\r\n\r\nmore", b"<p>two</p>" * 200_000]
PAGES = [Page(f"{number}.html", len(body), hashlib.sha256(body).hexdigest()) for number, body in enumerate(BODIES)]


def archive(file: Path, *responses: tuple[str, bytes], digest: str = "") -> list[Path]:
    """A file with these responses, written by hand; with `digest`, that is what each says of its payload."""
    with file.open("wb") as out:
        for url, body in responses:
            block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
            fields = (
                "WARC/1.1",
                "WARC-Type: response",
                f"WARC-Target-URI: {url}",
                f"WARC-Record-ID: <urn:uuid:{uuid4()}>",
                "WARC-Date: 2026-11-29T12:00:00Z",
                f"WARC-Block-Digest: sha1:{base64.b32encode(hashlib.sha1(block).digest()).decode()}",
                f"WARC-Payload-Digest: {digest or 'sha256:' + hashlib.sha256(body).hexdigest()}",
                f"Content-Length: {len(block)}",
            )
            out.write(gzip.compress("\r\n".join(fields).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"))
    return [file]


def test_an_archive_with_every_page_is_right_and_its_size_is_told(tmp_path: Path) -> None:
    robots = ("http://127.2.0.1:80/robots.txt", b"User-agent: *\n")
    good = archive(tmp_path / "a.warc.gz", robots, *zip(URLS, BODIES, strict=True), robots)
    assert check_archives("a side", good, URLS, PAGES) == good[0].stat().st_size


@pytest.mark.parametrize(
    ("responses", "said"),
    [
        ([(URLS[0], BODIES[0])], "1 of 2 pages missing"),
        ([(URLS[0], BODIES[0]), (URLS[1], BODIES[1]), (URLS[0], BODIES[0])], "two responses"),
        ([(URLS[0], BODIES[0]), (URLS[1], BODIES[1][:-1])], "other bytes"),
        ([*zip(URLS, BODIES, strict=True), ("http://127.2.0.1:80/x", b"")], "nobody asked for"),
    ],
)
def test_a_lost_doubled_changed_or_invented_page_ends_the_benchmark(
    tmp_path: Path, responses: list[tuple[str, bytes]], said: str
) -> None:
    with pytest.raises(WrongAnswerError, match=said):
        check_archives("a side", archive(tmp_path / "a.warc.gz", *responses), URLS, PAGES)


@pytest.mark.parametrize("digest", ["sha1:2222222222222222222222222222222A", f"sha256:{'0' * 64}", "md5:00"])
def test_a_digest_that_is_not_of_the_bytes_ends_the_benchmark(tmp_path: Path, digest: str) -> None:
    bad = archive(tmp_path / "a.warc.gz", *zip(URLS, BODIES, strict=True), digest=digest)
    with pytest.raises(WrongAnswerError, match="WARC-Payload-Digest"):
        check_archives("a side", bad, URLS, PAGES)
