"""The quick filters find what trafilatura's own find: on real pages, and on elements made of the filters' words."""

import importlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml.html import HtmlElement
from trafilatura import bare_extraction, xpaths
from trafilatura.settings import BASIC_CLEAN_XPATH

from workers.extract import quick_match
from workers.extract.charset import decode_text
from workers.extract.html import _extractor
from workers.extract.page_tree import parse_page

FILTERS = [(f"{name}[{place}]", name, place) for name, quick in quick_match._QUICK.items() for place in quick]
_WORDS = """
post entry articleContent article-body body-text single-post content main-Content Page-content story FullText
cookie nav Nav navbar shared newsletter ad- tags footer hidden hide-me reply-1 comments comment-list Comments
akismet infinite-scroll mvp-post-add-box elementor-share-buttons onetrust Cookie_Banner zlylin
"""
WORDS = _WORDS.split()
VALUES = st.lists(st.sampled_from([*WORDS, " ", "x", "-", "C", "M"]), max_size=4).map("".join)
NAMES = ["class", "id", "style", "role", "itemprop", "aria-hidden", "data-component", "data-lp-replacement-content"]
TAGS = [
    "article",
    "aside",
    "details",
    "div",
    "footer",
    "item",
    "list",
    "main",
    "ol",
    "p",
    "section",
    "span",
    "ul",
    "h1",
]
ATTRIBUTES = st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=4, unique_by=lambda pair: pair[0])
TREES = st.recursive(
    st.tuples(st.sampled_from(TAGS), ATTRIBUTES, st.just(())),
    lambda inner: st.tuples(st.sampled_from(TAGS), ATTRIBUTES, st.lists(inner, max_size=4)),
    max_leaves=20,
)


def built(tree) -> HtmlElement:
    tag, attributes, children = tree
    element = parse_page("<p>").makeelement(tag, dict(attributes))
    element.extend(built(child) for child in children)
    return element


def found(name: str, found: Sequence[etree._Element]) -> list[etree._Element]:
    return list(found)[:1] if name == "BODY_XPATH" else list(found)


def compare(tree: HtmlElement, name: str, place: int) -> None:
    own = getattr(xpaths, name)[place]
    assert isinstance(own, etree.XPath)
    assert found(name, quick_match._QUICK[name][place](tree)) == found(name, own(tree))


@pytest.mark.slow
def test_on_real_pages_every_filter_finds_what_trafilaturas_own_finds(suite_pages) -> None:
    for page in suite_pages:
        tree = parse_page(decode_text(page.payload, header=None, markup=True).text)
        for _, name, place in FILTERS:
            compare(tree, name, place)
        assert quick_match.page_noise(tree) == BASIC_CLEAN_XPATH(tree)


@pytest.mark.slow
def test_the_text_of_real_pages_is_the_same_with_and_without_them(suite_pages) -> None:
    for page in suite_pages[::5]:
        tree = parse_page(decode_text(page.payload, header=None, markup=True).text)
        with quick_match.quick_matching():
            quick = bare_extraction(tree, options=_extractor("balanced", fast=True))
        slow = bare_extraction(tree, options=_extractor("balanced", fast=True))
        assert (quick and quick.text) == (slow and slow.text)


@pytest.mark.parametrize(("name", "place"), [each[1:] for each in FILTERS], ids=[each[0] for each in FILTERS])
@settings(max_examples=150, deadline=None)
@given(TREES)
def test_a_filter_finds_the_same_elements_in_the_same_order(name: str, place: int, tree) -> None:
    compare(built(tree), name, place)


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_noise_is_the_same(tree) -> None:
    root = built(tree)
    assert quick_match.page_noise(root) == BASIC_CLEAN_XPATH(root)


def test_trafilatura_is_as_it_was_afterwards() -> None:
    before = [list(getattr(xpaths, name)) for name in quick_match._QUICK]
    with quick_match.quick_matching():
        assert [list(getattr(xpaths, name)) for name in quick_match._QUICK] != before
    assert [list(getattr(xpaths, name)) for name in quick_match._QUICK] == before
    assert importlib.import_module("trafilatura.baseline").BASIC_CLEAN_XPATH is BASIC_CLEAN_XPATH


def test_a_value_of_any_length_is_judged_and_only_short_ones_are_remembered() -> None:
    test = quick_match._test("needle")
    assert test("x" * 10_000 + "needle")
    assert not test("x" * 10_000)
