"""Exclusions match as they are documented, and cost what their length says."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.discover.exclude import BadPattern, Exclusion, read_exclusion


def excludes(pattern: str, url: str) -> bool:
    read = read_exclusion(pattern)
    assert isinstance(read, Exclusion)
    return read.matches(url)


@pytest.mark.parametrize(
    ("pattern", "url", "excluded"),
    [
        ("/login", "https://example.org/login?next=/", True),
        ("/login", "https://example.org/Login", False),
        ("*/print/*", "https://example.org/a/print/b", True),
        ("replytocom=", "https://example.org/a?replytocom=7", True),
        (".pdf$", "https://example.org/a.pdf", True),
        (".pdf$", "https://example.org/a.pdf?b", False),
        ("https://example.org/a", "https://example.org/ab", True),
        ("https://example.org/a", "https://example.net/?https://example.org/a", False),
        ("https://example.org/$", "https://example.org/", True),
        ("https://example.org/$", "https://example.org/a", False),
        ("/a*b*c$", "https://example.org/a1b2c", True),
        ("/ab*bc$", "https://example.org/abc", False),
    ],
)
def test_a_pattern_excludes_what_it_should(pattern: str, url: str, excluded: bool):
    assert excludes(pattern, url) is excluded


@pytest.mark.parametrize("pattern", ["", "*", "**", "$", " /a", "a" * 1001])
def test_a_pattern_that_means_nothing_or_everything_is_refused(pattern: str):
    assert isinstance(read_exclusion(pattern), BadPattern)


@given(
    pattern=st.text(alphabet="ab*", min_size=1, max_size=8).filter(lambda text: text.strip("*")),
    end=st.sampled_from(["", "$"]),
    url=st.text(alphabet="ab", max_size=12),
)
def test_it_means_what_the_same_regular_expression_means(pattern: str, end: str, url: str):
    expression = ".*".join(map(re.escape, pattern.split("*"))) + (r"\Z" if end else "")
    assert excludes(pattern + end, url) is (re.search(expression, url) is not None)


def test_a_pattern_of_many_stars_takes_no_long_time():
    """What takes a regular expression longer than the universe has been there (complaints: ReDoS by exclusion)."""
    started = time.monotonic()
    assert not excludes("*".join("a" * 300) + "b$", "a" * 60_000)
    assert time.monotonic() - started < 5
