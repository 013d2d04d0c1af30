"""The robots.txt suites of other projects; what we decide against stands in `robots_exceptions.json`."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from workers.capture.robots import MAX_ROBOTS_BYTES, parse_robots

SUITES = {
    "google-robotstxt/match_cases.json": 50,
    "rep-cpp/cases.json": 22,
    "crawler-commons/cases.json": 64,
    "protego/cases.json": 99,
}
EXCEPTIONS = json.loads((Path(__file__).parent / "robots_exceptions.json").read_text("utf-8"))

STRAY = re.compile(r"^(?:True|False), ")
"""Some crawler-commons rows hold a URL with this in front, left over from their extraction."""


def url_of(case):
    url = STRAY.sub("", case["url"])
    return url if "://" in url else "http://site.test" + (url if url.startswith("/") else f"/{url}")


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_passes_but_for_its_listed_exceptions(suite, conformance_data):
    expected = [(e["test"], e["url"], e["allowed"]) for e in EXCEPTIONS if e["suite"] == suite]
    failed = []
    checks = 0
    for case in json.loads((conformance_data / "robots" / suite).read_text("utf-8")):
        rules = parse_robots(case["robots_txt"].encode(), case.get("agent") or "")
        if case.get("allowed") is not None:
            checks += 1
            if rules.allows(url_of(case)) != case["allowed"]:
                failed.append((case["test"], case["url"], case["allowed"]))
        for field, scale in (("crawl_delay", 1), ("crawl_delay_ms", 1000)):
            if field in case:
                checks += 1
                assert (rules.crawl_delay or 0) * scale == (case[field] or 0), case
    assert failed == expected
    assert checks >= SUITES[suite]


def test_line_ends_and_byte_order_marks_are_read_as_counted(conformance_data):
    for case in json.loads((conformance_data / "robots/google-robotstxt/parse_counts.json").read_text("utf-8")):
        rules = parse_robots(case["robots_txt_latin1"].encode("latin-1"), "foo")
        named = case["name"] != "kUtf8FileBrokenBOM"
        assert (rules.group == "own") == named, case["name"]


def test_the_parts_of_matching_that_have_rows_of_their_own(conformance_data):
    """Product tokens, what of a URL is matched, and how patterns are escaped. Rows for what is no absolute URL are
    that library's convention: nothing else reaches us."""
    rows = json.loads((conformance_data / "robots/google-robotstxt/misc.json").read_text("utf-8"))
    tried = 0
    for row in rows:
        if row["kind"] == "valid_user_agent" and row["valid"]:
            assert parse_robots(f"User-agent: {row['agent']}\nDisallow: /".encode(), row["agent"]).group == "own"
        elif row["kind"] == "path_params_query" and "://" in row["url"]:
            only = f"User-agent: *\nDisallow: {row['path_params_query']}$".encode()
            assert not parse_robots(only, "foo").allows(row["url"]), row
        elif row["kind"] == "escape_pattern" and row["pattern"].startswith(("/", "á", "%")):
            pattern, escaped = row["pattern"].lstrip("/"), row["escaped"].lstrip("/")
            rules = parse_robots(f"User-agent: *\nDisallow: /{pattern}$".encode(), "foo")
            assert not rules.allows(f"https://site.test/{escaped}"), row
            assert not rules.allows(f"https://site.test/{pattern}"), row
        else:
            continue
        tried += 1
    assert tried == 7


@pytest.mark.parametrize(
    ("file", "agent", "path", "allowed"),
    [
        ("rfc9309-example-simple-robots", "foobot", "/example/page.html", True),
        ("rfc9309-example-simple-robots", "foobot", "/example/allowed.gif", True),
        ("rfc9309-example-simple-robots", "foobot", "/example/other.html", False),
        ("rfc9309-example-simple-robots", "foobot", "/publications/", False),
        ("rfc9309-example-simple-robots", "barbot", "/example/page.html", False),
        ("rfc9309-example-simple-robots", "bazbot", "/example/page.html", False),
        ("rfc9309-example-simple-robots", "bazbot", "/example/other.gif", True),
        ("rfc9309-example-simple-robots", "quxbot", "/example/page.html", True),
        ("rfc9309-example-simple-robots", "anybot", "/example/page.html", False),
        ("rfc9309-example-simple-robots", "anybot", "/publications/x", True),
        ("rfc9309-example-simple-robots", "anybot", "/other", True),
    ],
)
def test_the_examples_of_the_rfc_are_read_as_it_says(conformance_data, file, agent, path, allowed):
    """RFC 9309, 5.1."""
    body = (conformance_data / "robots/crawler-commons/files" / f"{file}.txt").read_bytes()
    assert parse_robots(body, agent).allows(f"https://example.com{path}") is allowed


def test_files_from_the_web_parse_in_bounded_time(conformance_data):
    folders = ("real", "crawler-commons/files", "temoto-fuzz")
    files = [path for name in folders for path in (conformance_data / "robots" / name).iterdir()]
    assert len(files) >= 220
    for path in files:
        started = time.perf_counter()
        parse_robots(path.read_bytes(), "citevault").allows("https://site.test/a/b?c=d")
        assert time.perf_counter() - started < 1, path.name


@pytest.mark.parametrize(
    "hostile",
    [
        b" <a>" * 120_000 + b"x",
        b"<a>" * 160_000,
        b"<" + b">" * 400_000,
        b"Disallow: /" + b"*a" * 240_000,
        b"Disallow: /" + b"*ab" * 160_000 + b"$",
        b"Disallow: /*a*b*c$\n" * 25_000,
        b"User-agent: x\n" * 35_000,
        b"\r" * MAX_ROBOTS_BYTES,
        b"disallow" + b" " * 400_000 + b"x",
    ],
)
def test_a_file_made_to_be_slow_is_not(hostile):
    started = time.perf_counter()
    parse_robots(b"User-agent: *\n" + hostile, "citevault").allows("https://site.test/" + "ab" * 2000)
    assert time.perf_counter() - started < 5
