"""`meta name="robots"` and `X-Robots-Tag`, as pages and servers really write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workers.extract.robots_directives import MAX_CHARACTERS, MAX_DIRECTIVES, header_directives, meta_directives


def told(directives) -> list[tuple[str | None, str]]:
    return [(found.agent, found.directive) for found in directives]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["noindex"], [(None, "noindex")]),
        (["noindex, nofollow"], [(None, "noindex"), (None, "nofollow")]),
        (["NOINDEX ,NoArchive,, "], [(None, "noindex"), (None, "noarchive")]),
        (["noindex", "noarchive"], [(None, "noindex"), (None, "noarchive")]),
        (["noindex", "noindex"], [(None, "noindex")]),
        (["googlebot: nofollow"], [("googlebot", "nofollow")]),
        (
            ["BingBot: noindex, noarchive, otherbot: none", "nosnippet"],
            [("bingbot", "noindex"), ("bingbot", "noarchive"), ("otherbot", "none"), (None, "nosnippet")],
        ),
        (["citevault: noarchive"], [("citevault", "noarchive")]),
        (["max-snippet:20, max-image-preview: Large"], [(None, "max-snippet: 20"), (None, "max-image-preview: Large")]),
        (["googlebot: max-snippet:-1"], [("googlebot", "max-snippet: -1")]),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST"], [(None, "unavailable_after: 25 Jun 2030 15:00:00 PST")]),
        (
            ["unavailable_after: Wed, 25 Jun 2030 15:00:00 GMT, noindex"],
            [(None, "unavailable_after: Wed, 25 Jun 2030 15:00:00 GMT"), (None, "noindex")],
        ),
        (["googlebot:"], []),
        (["", " , ,"], []),
        (["a b: c"], [(None, "a b: c")]),
    ],
)
def test_a_field_is_read_for_everybody_and_for_robots_by_name(
    values: list[str], expected: list[tuple[str | None, str]]
):
    found = header_directives(values)
    assert told(found) == expected
    assert {directive.source for directive in found} <= {"header"}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("robots", "noindex,follow", [(None, "noindex"), (None, "follow")]),
        (" ROBOTS ", "NOARCHIVE", [(None, "noarchive")]),
        ("googlebot", "noarchive", [("googlebot", "noarchive")]),
        ("Googlebot-News", "nosnippet", [("googlebot-news", "nosnippet")]),
        ("archive.org_bot", "noarchive", [("archive.org_bot", "noarchive")]),
        ("citevault", "noarchive", [("citevault", "noarchive")]),
        ("slurp", "noydir", [("slurp", "noydir")]),
        ("robots", "unavailable_after: Wed, 2 Jun 2030", [(None, "unavailable_after: Wed, 2 Jun 2030")]),
        ("description", "noindex", []),
        ("distribution", "all", []),
        ("robot", "noindex", [(None, "noindex")]),
        ("bottom", "noindex", []),
        ("author", "none", []),
    ],
)
def test_an_element_is_read_if_it_addresses_robots(name: str, content: str, expected: list[tuple[str | None, str]]):
    found = meta_directives([(name, content)])
    assert told(found) == expected
    assert {directive.source for directive in found} <= {"meta"}


def test_what_is_made_to_be_large_stays_small():
    started = time.perf_counter()
    found = header_directives(
        ["noindex" * 100_000, ",".join(f"x{number}" for number in range(100_000)), "a:" * 400_000]
    )
    assert len(found) == MAX_DIRECTIVES
    assert max(len(directive.directive) for directive in found) <= MAX_CHARACTERS
    assert len(meta_directives([("robots", f"x{number}") for number in range(100_000)])) == MAX_DIRECTIVES
    assert meta_directives([("bot" * 100_000, "noindex"), ("-" * 100_000 + "bot", "x")]) == ()
    assert time.perf_counter() - started < 1


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), max_size=5))
@example([":"])
def test_anything_is_read_or_passed_over(values: list[str]):
    for found in (*header_directives(values), *meta_directives([("robots", value) for value in values])):
        assert found.directive == found.directive.strip()
        assert found.directive
