"""Hrefs and what they mean on their page."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from trafilatura import load_html

from schemas.urls.error import UrlError
from schemas.urls.parse import resolve
from workers.extract.links import MAX_LINKS, read_links, resolution_base, resolve_link, resolve_links

PAGE = "https://example.org/news/story.html?id=1"


def test_links_are_read_in_order_and_each_once() -> None:
    tree = load_html(
        "<html><body><a href='/b'>b</a><a href=' a '>a</a><a href='/b'>b</a><a href='#top'>t</a><a>none</a>"
        "<a href='JavaScript:void(0)'>j</a><a href='mailto:a@b.example'>m</a><area href='c?x=1'></body></html>"
    )
    assert read_links(tree).hrefs == ("/b", "a", "c?x=1")


def test_the_number_of_links_is_bounded() -> None:
    tree = load_html("<html><body>" + "".join(f"<a href='/{n}'>x</a>" for n in range(3 * MAX_LINKS)) + "</body></html>")
    found = read_links(tree)
    assert (len(found.hrefs), found.complete) == (MAX_LINKS, False)


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("other.html", "https://example.org/news/other.html"),
        ("/a/../b?x=%zz|", "https://example.org/b?x=%zz|"),
        ("//cdn.example/x", "https://cdn.example/x"),
        ("?page=2", "https://example.org/news/story.html?page=2"),
        ("ftp://example.org/x", None),
        ("https://", None),
    ],
)
def test_an_href_means_what_a_browser_makes_of_it(href: str, target: str | None) -> None:
    assert resolve_link(PAGE, href) == target


def test_a_base_element_counts_if_it_is_a_web_address() -> None:
    assert resolution_base(PAGE, "/elsewhere/") == "https://example.org/elsewhere/"
    assert resolution_base(PAGE, "data:text/plain,x") == PAGE
    assert resolve_links(PAGE, "/elsewhere/", ["x"]) == ("https://example.org/elsewhere/x",)


def test_fragments_and_the_page_itself_are_left_out() -> None:
    assert resolve_links(PAGE, None, ["story.html?id=1#part", "/b#x", "/b#y", "#z"]) == ("https://example.org/b",)


PIECES = st.sampled_from(
    [
        "http://",
        "https://",
        "HTTP://",
        "//",
        "/",
        "a",
        "b.example",
        "xn--p1ai",
        "1.2.3.4",
        "0x7f",
        ".",
        "..",
        "%2e",
        "%2E",
        "?",
        "&",
        "=",
        ":",
        ":80",
        ":443",
        "@",
        ";",
        "~",
        "-",
        "_",
        "é",
        " ",
        "\\",
        "|",
        "#f",
        "x.test",
        "ex-.org",
        "-a.org",
    ]
)


@given(
    href=st.lists(PIECES, max_size=8).map("".join),
    page=st.sampled_from([PAGE, "http://example.org", "http://h.example:8080/a"]),
)
@example(href="http://1.2.3.4.example/", page=PAGE)
@example(href="/%2e%2E/x", page=PAGE)
@example(href="//x", page=PAGE)
def test_the_short_way_is_equal_to_full_resolution(href: str, page: str) -> None:
    full = resolve(page, href)
    expected = None if isinstance(full, UrlError) or not full.lower().startswith(("http://", "https://")) else full
    assert resolve_link(page, href) == expected


def test_a_link_is_nofollow_where_every_element_says_so() -> None:
    tree = load_html(
        "<html><body><a rel='nofollow' href='/a'>a</a><a rel='ugc NoFollow' href='/b'>b</a><a href='/b'>b</a>"
        "<a rel='nofollowed' href='/c'>c</a></body></html>"
    )
    assert read_links(tree).nofollow == ("/a",)
