"""Resolution of references: RFC 3986 with the given bytes, the WHATWG parser's meaning."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from schemas.urls.error import UrlError
from schemas.urls.parse import ParsedUrl, parse, resolve

Check = Callable[[str, list[tuple[str, object, object]]], None]


def test_the_examples_of_rfc_3986_5_4_resolve(
    rows: Callable[[str], list[dict[str, JsonValue]]], expect_only_declared: Check
) -> None:
    suite = "rfc3986/resolution_5_4.json"
    results: list[tuple[str, object, object]] = [
        (str(row["reference"]), row["target"], resolve(str(row["base"]), str(row["reference"]))) for row in rows(suite)
    ]
    expect_only_declared(suite, results)


def test_a_crawlers_examples_resolve(urls_data: Path, expect_only_declared: Check) -> None:
    suite = "crawler-commons/url-resolve.csv"
    results: list[tuple[str, object, object]] = []
    for line in (urls_data / suite).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        reference, base, expected = line.split(", ")
        got = resolve(base if base != '""' else reference, reference)
        results.append((reference, expected, got))
    assert results
    expect_only_declared(suite, results)


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("/a|b?q=%zz&&x", "http://h/a|b?q=%zz&&x"),
        ("é?ü#ö", "http://h/d/é?ü#ö"),
        ("?", "http://h/d/e?"),
        ("../%7Euser/'x'", "http://h/%7Euser/'x'"),
        ("//Other.example:8080/x", "http://Other.example:8080/x"),
        ("HTTPS://x/%7e", "HTTPS://x/%7e"),
        (" /x\n", "http://h/x"),
        ("/x\ny", "http://h/xy"),
        ("mailto:a@b", "mailto:a@b"),
    ],
)
def test_the_bytes_of_a_redirect_target_are_kept(reference: str, target: str) -> None:
    assert resolve("http://h/d/e?f", reference) == target


def test_what_only_the_standards_parser_understands_is_given_in_its_words() -> None:
    assert resolve("http://h/d", "\\\\other\\x") == "http://other/x"


def test_a_relative_target_keeps_the_authority_of_the_base_and_drops_its_fragment() -> None:
    assert resolve("http://u@h:81/d#old", "x") == "http://u@h:81/x"
    assert resolve("http://h", "x") == "http://h/x"
    assert resolve("http://h/d?q#old", "") == "http://h/d?q"


@settings(deadline=None, max_examples=500)
@given(data=st.data())
def test_the_target_means_what_the_parser_says(any_strings: st.SearchStrategy[str], data: st.DataObject) -> None:
    base = data.draw(
        st.sampled_from(["http://h/a/b?q#f", "https://u:p@x.example:8080", "http://h//a/../b/", "other:x"])
    )
    reference = data.draw(any_strings)
    target, parsed = resolve(base, reference), parse(reference, base)
    if isinstance(target, UrlError):
        assert target == parsed
    else:
        again = parse(target)
        assert isinstance(again, ParsedUrl)
        assert isinstance(parsed, ParsedUrl)
        assert again.href == parsed.href
