"""The parsing layer is the WHATWG parser, and never raises."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from schemas.urls.error import UrlError
from schemas.urls.parse import MAX_URL_CHARS, ParsedUrl, parse

Check = Callable[[str, list[tuple[str, object, object]]], None]
Rows = Callable[[str], list[dict[str, JsonValue]]]

FAILURE = "failure"


def _getters(url: ParsedUrl | UrlError) -> dict[str, str] | str:
    """The URL as the standard's API shows it, where null and empty parts look alike."""
    if isinstance(url, UrlError):
        return FAILURE
    port = "" if url.port is None else str(url.port)
    return {
        "href": url.href,
        "protocol": url.scheme + ":",
        "username": url.username,
        "password": url.password,
        "host": url.host + (":" + port if port else ""),
        "hostname": url.host,
        "port": port,
        "pathname": url.path,
        "search": "?" + url.query if url.query else "",
        "hash": "#" + url.fragment if url.fragment else "",
    }


@pytest.mark.parametrize("suite", ["wpt/urltestdata.json", "wpt/ada_extra_urltestdata.json"])
def test_the_parser_passes_the_web_platform_tests(suite: str, rows: Rows, expect_only_declared: Check) -> None:
    results: list[tuple[str, object, object]] = []
    for row in rows(suite):
        base = row.get("base")
        got = _getters(parse(str(row["input"]), None if base is None else str(base)))
        expected: object = FAILURE
        if not row.get("failure"):
            expected = {name: row[name] for name in row if isinstance(got, dict) and name in got}
            got = {name: got[name] for name in row if name in got} if isinstance(got, dict) else got
        results.append((str(row["input"]), expected, got))
    expect_only_declared(suite, results)


@pytest.mark.parametrize("suite", ["wpt/IdnaTestV2.json", "wpt/toascii.json"])
def test_hosts_become_ascii_as_the_standard_says(suite: str, rows: Rows, expect_only_declared: Check) -> None:
    results: list[tuple[str, object, object]] = []
    for row in rows(suite):
        host = "".join(f"%{ord(c):02X}" if c in ":/?#\\" else c for c in str(row["input"]))
        url = parse(f"https://{host}/x")
        results.append((str(row["input"]), row["output"], None if isinstance(url, UrlError) else url.host))
    expect_only_declared(suite, results)


def test_punycode_samples_survive_as_hosts(rows: Rows, expect_only_declared: Check) -> None:
    results: list[tuple[str, object, object]] = []
    for row in rows("idna/punycode_tests.json"):
        decoded = parse(f"http://{row['decoded']}.example/")
        encoded = parse(f"http://xn--{row['encoded']}.example/")
        hosts = [url if isinstance(url, UrlError) else url.host for url in (decoded, encoded)]
        results.append((str(row["decoded"]), hosts[1], hosts[0]))
    expect_only_declared("idna/punycode_tests.json", results)


def test_odd_ipv4_spellings_become_dotted_quads(
    pairs: Callable[[str], dict[str, JsonValue]], expect_only_declared: Check
) -> None:
    results: list[tuple[str, object, object]] = []
    for host, expected in pairs("urlcanon/funky_ipv4.json").items():
        url = parse(f"http://{host}/")
        results.append((host, expected, None if isinstance(url, UrlError) else url.host))
    expect_only_declared("urlcanon/funky_ipv4.json", results)


@pytest.mark.parametrize(("kind", "start"), [("special", "http://h"), ("nonspecial", "other://h")])
def test_dot_segments_go_in_the_parsed_path(
    kind: str, start: str, pairs: Callable[[str], dict[str, JsonValue]], expect_only_declared: Check
) -> None:
    cases = pairs("urlcanon/path_dots.json")[kind]
    assert isinstance(cases, dict)
    results: list[tuple[str, object, object]] = []
    for path, expected in cases.items():
        url = parse(start + path)
        results.append((path, expected, None if isinstance(url, UrlError) else url.path))
    expect_only_declared(f"urlcanon/path_dots.json {kind}", results)


def test_another_canonicaliser_of_the_standard_agrees(
    pairs: Callable[[str], dict[str, JsonValue]], expect_only_declared: Check
) -> None:
    results: list[tuple[str, object, object]] = []
    for raw, expected in pairs("urlcanon/supplemental_whatwg.json").items():
        url = parse(raw)
        results.append((raw, expected, FAILURE if isinstance(url, UrlError) else url.href))
    expect_only_declared("urlcanon/supplemental_whatwg.json", results)


def test_queries_are_percent_encoded_as_utf8(rows: Rows) -> None:
    for row in rows("wpt/percent-encoding.json"):
        assert isinstance(row["output"], dict)
        url = parse(f"http://h/?{row['input']}")
        assert isinstance(url, ParsedUrl)
        assert url.query == row["output"]["utf-8"]


def test_urls_that_a_crawler_must_reject_are_rejected(urls_data: Path) -> None:
    lines = (urls_data / "crawler-commons" / "invalidUrls.csv").read_text(encoding="utf-8").splitlines()
    urls = [line for line in lines if line and not line.startswith("#")]
    assert urls
    assert [url for url in urls if not isinstance(parse(url), UrlError)] == []


@settings(deadline=None, max_examples=500)
@given(data=st.data())
def test_no_string_makes_it_raise(any_strings: st.SearchStrategy[str], data: st.DataObject) -> None:
    raw = data.draw(any_strings)
    assert isinstance(parse(raw), ParsedUrl | UrlError)
    assert isinstance(parse(raw, "http://h/a/b?c"), ParsedUrl | UrlError)
    assert isinstance(parse("x", raw), ParsedUrl | UrlError)


@pytest.mark.parametrize(
    ("raw", "code", "position"),
    [
        ("x" * (MAX_URL_CHARS + 1), "url.too-long", MAX_URL_CHARS),
        ("http://h/\ud800", "url.not-unicode", 9),
        ("/relative", "url.no-scheme", 0),
        ("http://", "url.no-host", 5),
        ("http://h:99999/", "url.port-invalid", 9),
        ("http://u:p@h:8x/", "url.port-invalid", 13),
        ("http://h:" + "0" * 5000 + "99999/", "url.port-invalid", 9),
        ("http://a b/", "url.host-invalid", 7),
        ("http://xn--a\u200b\u00ad.\ufffd/", "url.host-invalid", 7),
        ("http://[::1/", "url.host-invalid", 7),
        ("http://\x00/", "url.host-invalid", 7),
    ],
)
def test_a_refusal_says_what_and_where(raw: str, code: str, position: int) -> None:
    error = parse(raw)
    assert isinstance(error, UrlError)
    assert (error.code, error.position) == (code, position)


def test_a_refusal_neither_quotes_credentials_nor_grows_with_the_input() -> None:
    for raw in ("http://me:secret@h:99999/", "/me:secret@host/x", "//me:secret@host/x", "x" * 60_000):
        error = parse(raw)
        assert isinstance(error, UrlError)
        assert "secret" not in error.message
        assert len(error.message) < 200


def test_an_empty_query_differs_from_none() -> None:
    bare, empty = parse("http://h/"), parse("http://h/?#")
    assert isinstance(bare, ParsedUrl)
    assert isinstance(empty, ParsedUrl)
    assert (bare.query, bare.fragment) == (None, None)
    assert (empty.query, empty.fragment) == ("", "")


def test_an_unusable_base_is_told_from_an_unusable_reference() -> None:
    error = parse("/x", "nonsense")
    assert isinstance(error, UrlError)
    assert error.code == "url.base-invalid"
