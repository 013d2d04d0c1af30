"""trafilatura's element filters without a call from C into Python for every element and pattern.

Its XPath expressions ask `re:test(@class, '…fifty words…')` of every element: a third of the time that a page takes.
Here elements are walked through once a filter, and a verdict on an attribute's value is remembered, since a page says
the same few classes thousands of times. The elements found are the same, in the same order, which
`tests/workers/extract/test_quick_match.py` holds for each filter; so the id of the extractor does not change.
"""

from __future__ import annotations

import functools
import importlib
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from lxml.html import HtmlElement
from trafilatura import settings, xpaths

REMEMBERED = 4096
LONGEST_REMEMBERED = 200
"""Characters of a value: a page must not fill the memory with verdicts on what it made up."""
_LOCK = threading.Lock()

Filter = Callable[[HtmlElement], list[HtmlElement]]
_Test = Callable[[str], bool]


def _test(*patterns: str) -> _Test:
    """`re:test`, remembered."""
    search = re.compile("|".join(patterns)).search

    @functools.lru_cache(REMEMBERED)
    def remembered(value: str) -> bool:
        return search(value) is not None

    return lambda value: remembered(value) if len(value) <= LONGEST_REMEMBERED else search(value) is not None


def _first_of(element: HtmlElement, one: str, other: str) -> str:
    """`string(@one|@other)`: the value of the one that stands first in the source."""
    return next((element.get(name, "") for name in element.keys() if name in (one, other)), "")  # noqa: SIM118


_BLOCKS: Final = ("div", "item", "list", "p", "section", "span")
_FRAMES: Final = ("article", "div", "main", "section")

_unwanted_id = _test(*xpaths._OVERALL_DISCARD_BOTH_TOKENS, *xpaths._OVERALL_DISCARD_ID_TOKENS)
_unwanted_class = _test(*xpaths._OVERALL_DISCARD_BOTH_TOKENS, *xpaths._OVERALL_DISCARD_CLASS_TOKENS)
_consent = _test(*xpaths._CONSENT_ID_CLASS_TOKENS)


def unwanted_blocks(tree: HtmlElement) -> list[HtmlElement]:
    """The first of `OVERALL_DISCARD_XPATH`."""
    return [element for element in tree.iterdescendants(*_BLOCKS) if _is_unwanted(element)]


def _is_unwanted(element: HtmlElement) -> bool:
    kind, name, role = element.get("class"), element.get("id"), element.get("role")
    return (
        (kind is not None and _unwanted_class(kind))
        or (name is not None and _unwanted_id(name))
        or ((kind is not None or name is not None) and _consent(_first_of(element, "id", "class")))
        or (role is not None and "nav" in role.replace("N", "n"))
        or element.get("data-lp-replacement-content") is not None
        or "MostPopularStories" in element.get("data-component", "")
    )


_hidden_id = _test("reader-comments|akismet")
_hidden_class = _test(
    "^hide-|comments-title|nocomments|-reply-|message|akismet|suggest-links|-hide-|hide-print| hidden| hide|noprint"
    "|notloaded"
)


def hidden_elements(tree: HtmlElement) -> list[HtmlElement]:
    """The second of `OVERALL_DISCARD_XPATH`."""
    return [element for element in tree.iterdescendants("*") if _is_hidden(element)]


def _is_hidden(element: HtmlElement) -> bool:
    kind, name, style = element.get("class"), element.get("id"), element.get("style")
    return (
        (kind is not None and _hidden_class(kind))
        or (name is not None and _hidden_id(name))
        or (style is not None and ("display:none" in style or "display: none" in style))
        or ((name is not None or style is not None) and "hidden" in _first_of(element, "id", "style"))
        or ((name is not None or kind is not None) and _first_of(element, "id", "class").startswith("reply-"))
        or element.get("aria-hidden") == "true"
    )


_COMMENTED: Final = ("div", "list", "section", "details", "ol", "ul")
_comment_frame_id = _test(f"^(?:{xpaths._COMMENTS_ID}|disqus_thread|dsq-comments)")
_comment_list_id = _test(f"^(?:{xpaths._COMMENTS_ID})")
_comment_class = _test(xpaths._COMMENTS_CLASS)


def reader_comments(tree: HtmlElement) -> list[HtmlElement]:
    """The one of `REMOVE_COMMENTS_AND_LISTS_XPATH`."""
    return [element for element in tree.iterdescendants(*_COMMENTED) if _is_comments(element)]


def _is_comments(element: HtmlElement) -> bool:
    kind, name = element.get("class"), element.get("id")
    if kind is not None and _comment_class(kind):
        return True
    if name is None:
        return False
    return _comment_list_id(name) if element.tag in ("ol", "ul") else _comment_frame_id(name)


_NOISY: Final = frozenset({"aside", "fencedframe", "footer", "script", "style", "svg", "template"})
_consent_banner = _test(f"(?i:{settings._COOKIE_CONSENT_RE})")


def page_noise(tree: HtmlElement) -> list[HtmlElement]:
    """`BASIC_CLEAN_XPATH`."""
    return [element for element in tree.iterdescendants("*") if element.tag in _NOISY or _is_noise(element)]


def _is_noise(element: HtmlElement) -> bool:
    kind, name = element.get("class"), element.get("id")
    return (
        (kind is not None and _consent_banner(kind))
        or (name is not None and _consent_banner(name))
        or (element.tag == "div" and "footer" in _first_of(element, "class", "id"))
    )


_appended = _test("mvp-post-add-(?:box|wrap)|infinite-?scroll")
_appended_box = _test("mvp-post-add-(?:box|wrap)")


def appended_articles(tree: HtmlElement) -> list[HtmlElement]:
    """The first of `RAW_TREE_PRUNE_XPATH`."""
    return [element for element in tree.iterdescendants("div", "section", "aside") if _is_appended(element)]


def _is_appended(element: HtmlElement) -> bool:
    kind, name = element.get("class", ""), element.get("id", "")
    if not (_appended(name) or _appended(kind)):
        return False
    return element.find(".//h1") is None or _appended_box(name) or _appended_box(kind)


def share_buttons(tree: HtmlElement) -> list[HtmlElement]:
    """The second of `RAW_TREE_PRUNE_XPATH`."""
    found = tree.iterdescendants("div", "section", "aside")
    return [element for element in found if "elementor-share-buttons" in element.get("class", "")]


def _frame(ids: _Test, kinds: _Test, attribute: str, value: str) -> Filter:
    """The first descendant that frames an article, by id, class, or one more attribute's value."""

    def first(tree: HtmlElement) -> list[HtmlElement]:
        for element in tree.iterdescendants(*_FRAMES):
            kind, name = element.get("class"), element.get("id")
            if (
                (kind is not None and kinds(kind))
                or (name is not None and ids(name))
                or (attribute and element.get(attribute) == value)
            ):
                return [element]
        return []

    return first


def _exactly(*values: str) -> str:
    return rf"\A(?:{'|'.join(values)})\Z"


_article_frame = _frame(
    _test(_exactly("articleContent"), *xpaths._ARTICLE_CONTENT_ID_TOKENS),
    _test(_exactly("post", "entry"), *xpaths._ARTICLE_CONTENT_CLASS_TOKENS),
    "itemprop",
    "articleBody",
)
_story_frame = _frame(
    _test(_exactly("article", "story"), *xpaths._STORY_ID_TOKENS),
    _test(
        _exactly("postarea", "art-postcontent", "text", "cell", "story"), "(?i:fulltext)", *xpaths._STORY_CLASS_TOKENS
    ),
    "role",
    "article",
)
_content_frame = _frame(
    _test(_exactly("content"), "[Mm]ain-[Cc]ontent", *xpaths._MAIN_CONTENT_ID_TOKENS),
    _test(_exactly("content"), "[Mm]ain-[Cc]ontent", "[Pp]age-[Cc]ontent", *xpaths._MAIN_CONTENT_CLASS_TOKENS),
    "",
    "",
)

_QUICK: Final[dict[str, dict[int, Filter]]] = {
    "OVERALL_DISCARD_XPATH": {0: unwanted_blocks, 1: hidden_elements},
    "REMOVE_COMMENTS_AND_LISTS_XPATH": {0: reader_comments},
    "RAW_TREE_PRUNE_XPATH": {0: appended_articles, 1: share_buttons},
    "BODY_XPATH": {0: _article_frame, 2: _story_frame, 3: _content_frame},
}
"""By the name of trafilatura's list and the place in it. Of `BODY_XPATH` only the first element found is ever used."""


@contextmanager
def quick_matching() -> Iterator[None]:
    """trafilatura with these filters, for as long as the block lasts; one thread at a time."""
    with _LOCK:
        original = {name: list(getattr(xpaths, name)) for name in _QUICK}
        # Not by attribute: the package has a function of the module's name.
        baseline: Any = importlib.import_module("trafilatura.baseline")
        cleaning = baseline.BASIC_CLEAN_XPATH
        try:
            baseline.BASIC_CLEAN_XPATH = page_noise
            for name, filters in _QUICK.items():
                for place, quick in filters.items():
                    getattr(xpaths, name)[place] = quick
            yield
        finally:
            baseline.BASIC_CLEAN_XPATH = cleaning
            for name, before in original.items():
                getattr(xpaths, name)[:] = before
