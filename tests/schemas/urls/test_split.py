"""Slicing loses nothing, and cuts where the parser cuts."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from schemas.urls.split import split


@settings(deadline=None, max_examples=500)
@given(data=st.data())
def test_joining_the_slices_gives_the_string_back(any_strings: st.SearchStrategy[str], data: st.DataObject) -> None:
    raw = data.draw(any_strings)
    assert split(raw).joined() == raw


def test_joining_gives_every_sample_string_back(sample_strings: list[str]) -> None:
    assert [raw for raw in sample_strings if split(raw).joined() != raw] == []


def test_an_absent_part_differs_from_an_empty_one() -> None:
    bare, empty = split("http://h/a"), split("http://@h:/a?#")
    assert (bare.userinfo, bare.port, bare.query, bare.fragment) == (None, None, None, None)
    assert (empty.userinfo, empty.port, empty.query, empty.fragment) == ("", "", "", "")
    assert split("mailto:a@b").host is None


def test_a_backslash_ends_the_authority_of_a_special_scheme_only() -> None:
    assert split("http://good.example\\@evil.example/").host == "good.example"
    assert split("other://good\\@evil/").host == "evil"


def test_the_last_at_sign_ends_the_userinfo_and_brackets_hold_colons() -> None:
    parts = split("https://u:p@x@[2001:db8::1]:8080/")
    assert (parts.userinfo, parts.host, parts.port) == ("u:p@x", "[2001:db8::1]", "8080")
    assert split("http://[::1/").host == "[::1"


def test_slices_equal_those_of_another_lossless_splitter(
    pairs: Callable[[str], dict[str, JsonValue]],
    expect_only_declared: Callable[[str, list[tuple[str, object, object]]], None],
) -> None:
    results: list[tuple[str, object, object]] = []
    for raw, parts in pairs("urlcanon/parsing.json").items():
        assert isinstance(parts, dict)
        userinfo = f"{parts['username']}{parts['colon_before_password']}{parts['password']}"
        names = ("leading_junk", "scheme", "slashes", "host", "port", "path", "query", "fragment", "trailing_junk")
        expected = (*(parts[name] for name in names), userinfo)
        ours = split(raw)
        cut = (ours.scheme, ours.slashes, ours.host, ours.port, ours.path, ours.query, ours.fragment)
        got = (ours.lead, *(part or "" for part in cut), ours.trail, ours.userinfo or "")
        results.append((raw, expected, got))
    expect_only_declared("urlcanon/parsing.json", results)
