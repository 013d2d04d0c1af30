"""`citation-index@1`: which URLs share a number."""

import pytest

from schemas.urls.citation import Citation, citation_url
from schemas.urls.conservative import Normalized, normalize
from schemas.urls.policy import conservative_1


def cited(raw: str) -> Citation:
    normalized = normalize(raw)
    assert isinstance(normalized, Normalized), normalized
    return citation_url(normalized.url, normalized.fragment)


MERGED = [
    ("R042 ref and source", "https://h/a?ref=x&id=1&source=y", "https://h/a?id=1"),
    ("R042 all parameters", "https://h/a?utm_x=1&gclid=2&fbclid=3&ref=4&Source=5", "https://h/a"),
    ("R043 fragment", "https://en.wikipedia.org/wiki/Python#History", "https://en.wikipedia.org/wiki/Python"),
    ("R043 docs page", "https://docs.python.org/3/library/os.html#os.walk",
     "https://docs.python.org/3/library/os.html#os.walk"),
    ("R044 host case", "https://EN.Wikipedia.org/wiki/PyPI", "https://en.wikipedia.org/wiki/PyPI"),
    ("R045 slashes", "https://h//a///b//", "https://h/a/b/"),
    ("R045 not in the query", "https://h//a?u=https://x//y", "https://h/a?u=https://x//y"),
    ("X2 literal, embedded URLs too", "https://web.archive.org/web/2020/https://x.example//y",
     "https://web.archive.org/web/2020/https:/x.example/y"),
    ("R046 playlist", "https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PL1",
     "https://www.youtube.com/watch?v=dQw4w9WgXcQ"),
    ("R046 short link", "https://youtu.be/dQw4w9WgXcQ?list=PL1", "https://www.youtube.com/watch?v=dQw4w9WgXcQ"),
    ("R046 short link without parameters to keep", "https://youtu.be/dQw4w9WgXcQ?",
     "https://www.youtube.com/watch?v=dQw4w9WgXcQ"),
    ("R046 a playlist is itself", "https://www.youtube.com/playlist?list=PL1",
     "https://www.youtube.com/playlist?list=PL1"),
    ("R047 version", "https://arxiv.org/abs/2401.12345v2", "https://arxiv.org/abs/2401.12345"),
    ("R047 old id", "http://arxiv.org/abs/hep-th/9901001v3", "http://arxiv.org/abs/hep-th/9901001"),
    ("R047 empty query stays as it is elsewhere", "https://arxiv.org/abs/2401.12345v2?", "https://arxiv.org/abs/2401.12345?"),
    ("R048 issue", "http://githubissues.com/Foo/bar.py/42", "https://github.com/Foo/bar.py/issues/42"),
    ("X3 hash-bang route", "https://app.example/#!/a/b", "https://app.example/#!/a/b"),
    ("X3 hash route", "https://app.example/x?y#/a/b", "https://app.example/x?y#/a/b"),
    ("X3 text directive", "https://docs.python.org/3/#:~:text=walk", "https://docs.python.org/3/"),
    ("X3 text directive after an anchor", "https://docs.python.org/3/#a:~:text=walk", "https://docs.python.org/3/#a"),
    ("space that becomes the end", "https://h/?a=1 &ref=x", "https://h/?a=1%20"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "expected"), [row[1:] for row in MERGED], ids=[row[0] for row in MERGED])
def test_the_rules_of_the_index_are_applied(raw: str, expected: str) -> None:
    assert cited(raw).value == expected


APART = [
    ("path case", "https://h/A", "https://h/a"),
    ("another parameter", "https://h/?id=1", "https://h/?id=2"),
    ("parameter order", "https://h/?a&b", "https://h/?b&a"),
    ("trailing slash", "https://h/a/", "https://h/a"),
    ("scheme", "http://h/a", "https://h/a"),
    ("www", "https://www.h.example/", "https://h.example/"),
    ("two anchors of a docs page", "https://tc39.es/ecma262/#sec-a", "https://tc39.es/ecma262/#sec-b"),
    ("two papers", "https://arxiv.org/abs/2401.12345v2", "https://arxiv.org/abs/2401.12346v2"),
    ("abstract and paper", "https://arxiv.org/abs/2401.12345v1", "https://arxiv.org/pdf/2401.12345v1"),
    ("two videos", "https://youtu.be/dQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcR"),
    ("another port of a known host", "https://youtu.be:8443/dQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcQ"),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in APART], ids=[row[0] for row in APART])
def test_what_no_rule_joins_stays_apart(one: str, other: str) -> None:
    """R049."""
    assert cited(one).value != cited(other).value


def test_the_trace_says_which_steps_joined_a_url_to_the_others() -> None:
    """X1: a merge can be explained, and undone."""
    assert cited("https://youtu.be/dQw4w9WgXcQ?list=PL1&ref=x").trace == (
        "drop-parameter ref", "rule youtube-short-link", "rule youtube-playlist", "drop-parameter list",
    )  # fmt: skip
    assert cited("https://h//a").trace == ("collapse-slashes",)
    assert cited("https://tc39.es/x#y").trace == ("rule anchor-addressed",)
    assert cited("https://h/a?b#c").trace == ()


def test_versions_of_a_paper_share_a_number_but_not_an_identity() -> None:
    """X5: evidence names the snapshot, and that the version."""
    first, second = (normalize(f"https://arxiv.org/abs/2401.12345v{n}") for n in (1, 2))
    assert isinstance(first, Normalized)
    assert isinstance(second, Normalized)
    assert first.url != second.url
    assert citation_url(first.url, None).value == citation_url(second.url, None).value


def test_an_identity_policy_numbers_nothing() -> None:
    normalized = normalize("https://h/")
    assert isinstance(normalized, Normalized)
    with pytest.raises(ValueError, match="no policy for citation URLs"):
        citation_url(normalized.url, None, conservative_1())
