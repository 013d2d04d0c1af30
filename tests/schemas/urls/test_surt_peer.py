"""SURT keys equal those of the `surt` package, on third-party URLs, on archives' indexes and on generated ones."""

import gzip
import json
import re
import socket
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.urls.surt import url_key


@pytest.fixture(scope="module")
def peer() -> Iterator[Callable[[str], str | None]]:
    """`surt.surt`; None where it raises. Its look-up of numeric hosts must not ask a name server."""

    def numeric(host: bytes) -> tuple[str, list[str], list[str]]:
        try:
            return "", [], [socket.inet_ntoa(socket.inet_aton(host.decode("ascii")))]
        except OSError as error:
            raise socket.gaierror from error

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its regular expressions warn when they are compiled
        from surt import surt

        patch.setattr(socket, "gethostbyname_ex", numeric)

        def key(url: str) -> str | None:
            try:
                return str(surt(url))
            except (ValueError, AttributeError):  # a port that is no number; nothing but blanks
                return None

        yield key


@settings(deadline=None, max_examples=1500)
@given(data=st.data())
def test_keys_equal_the_peers_on_generated_urls(
    url_strings: st.SearchStrategy[str], peer: Callable[[str], str | None], data: st.DataObject
) -> None:
    url = data.draw(url_strings)
    assert peer(url) in (url_key(url), None)


def test_keys_equal_the_peers_on_every_url_of_the_suites(
    sample_urls: list[str], peer: Callable[[str], str | None]
) -> None:
    assert len(sample_urls) > 500
    expected = {url: peer(url) for url in sample_urls if not any(0xD800 <= ord(c) < 0xE000 for c in url)}
    assert {url: url_key(url) for url, key in expected.items() if key not in (url_key(url), None)} == {}
    assert sum(key is None for key in expected.values()) < len(expected) / 20


def _texts(warc: Path, *endings: str) -> Iterator[str]:
    """Content of the files with these endings, unzipped where they are gzip (their broken ones are left out)."""
    for path in sorted(path for path in warc.rglob("*") if path.name.endswith(endings)):
        data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            try:
                data = gzip.decompress(data)
            except (EOFError, OSError, zlib.error):
                continue
        yield data.decode("utf-8", "replace")


def _index_lines(warc: Path) -> Iterator[str]:
    for text in _texts(warc, ".cdxj", ".cdx", ".cdx.gz"):
        yield from text.splitlines()
    for case in json.loads((warc / "expected" / "cdxj-indexer.json").read_text(encoding="utf-8")):
        yield from str(case["expected"]).splitlines()


def _keys_and_urls(warc: Path) -> Iterator[tuple[str, str]]:
    """Key and URL of each index line for an http(s) URL; keys of POST requests hold more than the URL."""
    for line in _index_lines(warc):
        key, _, rest = line.partition(" ")
        stamp, _, rest = rest.partition(" ")
        if not stamp.isdigit():
            continue
        if rest.startswith("{"):
            fields = json.loads(rest)
            url, post = str(fields.get("url", "")), "method" in fields
        else:
            url, post = rest.partition(" ")[0], False
        if url.startswith("http") and not post:
            yield key, url


def test_keys_equal_those_of_archives_indexes(conformance_data: Path) -> None:
    """Contracts, CDXJ: every sample key."""
    found = list(_keys_and_urls(conformance_data / "warc"))
    assert len(found) > 200
    assert [(url, key, url_key(url)) for key, url in found if url_key(url) != key] == []


def test_keys_equal_the_peers_on_every_target_of_sample_archives(
    conformance_data: Path, peer: Callable[[str], str | None]
) -> None:
    targets = {
        target
        for text in _texts(conformance_data / "warc", ".warc", ".warc.gz")
        for target in re.findall(r"^WARC-Target-URI: *<?([^>\r\n]*)", text, re.MULTILINE)
    }
    assert len(targets) > 50
    assert {url: (peer(url), url_key(url)) for url in targets if peer(url) not in (url_key(url), None)} == {}
