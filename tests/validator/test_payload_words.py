"""Finding a quote's words in a payload without the extractor."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.markup import read_markup
from validator.payload_words import Match, PayloadWords, read_words


def find(document: str, quote: str, content_type: str = "text/html", charset: str | None = "utf-8") -> Match:
    words = read_words(document.encode(), content_type, charset)
    assert isinstance(words, PayloadWords), words
    return words.find(quote)


LINKED = f'<script type="application/ld+json">{json.dumps({"articleBody": "Être à été"})}</script>'
FOUND = {
    "across inline markup": ("<p>The <b>va</b>lve closes</p>", "The valve closes"),
    "across blocks": ("<li>one</li><li>two</li>", "one two"),
    "character references": ("<p>caf&eacute; &amp; bar &#x2014; open</p>", "café & bar — open"),
    "decomposed": ("<p>cafe\u0301</p>", "café"),
    "soft hyphens and zero-width space": ("<p>Po\u00adli\u200btik</p>", "Politik"),
    "other quotation marks": ("<p>\u201cyes\u201d, it's</p>", '"yes", it\u2019s'),
    "a quote in an unquoted attribute": ("<a title=it's href=x>here</a> it is", "here it is"),
    "a greater-than in an attribute": ('<a title="a > b">here</a>', "here"),
    "no blanks between words": ("<p>日本の弁は速い。</p>", "弁は速い"),
    "linked data": (LINKED, "Être à été"),
    "a bare less-than": ("<p>1 < 2 and so on</p>", "1 < 2 and"),
    "punctuation only": ("<p>a — b</p>", "—"),
    "after a comment with a tag in it": ("<!-- <p>no --> yes <!-- -->indeed", "yes indeed"),
    "in a title": ("<title>The guide</title>", "The guide"),
}


@pytest.mark.parametrize(("document", "quote"), FOUND.values(), ids=FOUND.keys())
def test_words_in_order_are_found(document: str, quote: str) -> None:
    assert find(document, quote) is Match.ADJACENT


ABSENT = {
    "a dropped negation": ("<p>The valve is not safe</p>", "The valve is unsafe"),
    "another number": ("<p>in 2019</p>", "in 2020"),
    "reordered": ("<p>cats chase dogs</p>", "dogs chase cats"),
    "only in a comment": ("<!-- secret words -->", "secret words"),
    "only in a script": ("<script>var secret = 'words'</script>", "words"),
    "only in a style": ("<style>.words{}</style>", "words"),
    "only in an attribute": ('<a title="words">x</a>', "words"),
    "too far apart": ("<p>one " + "x " * 40 + "two</p>", "one two"),
    "nothing": ("", "words"),
}


@pytest.mark.parametrize(("document", "quote"), ABSENT.values(), ids=ABSENT.keys())
def test_words_that_are_not_there_are_not_found(document: str, quote: str) -> None:
    assert find(document, quote) is Match.ABSENT


def test_a_word_left_out_between_is_told_from_an_exact_match() -> None:
    """The extractor that drops `not` is found out."""
    assert find("<p>The valve is not safe</p>", "The valve is safe") is Match.SCATTERED


def test_a_scattered_match_does_not_hang_on_the_first_choice() -> None:
    far = "a b " + "x " * 11 + "b " + "y " * 12 + "c"
    assert find(f"<p>{far}</p>", "a b c") is Match.SCATTERED


@pytest.mark.parametrize(
    ("label", "codec"),
    [("windows-1251", "cp1251"), ("Shift_JIS", "cp932"), ("ISO-8859-1", "cp1252"), ("koi8-r", "koi8-r")],
)
def test_the_charset_is_the_one_that_the_label_means_on_the_web(label: str, codec: str) -> None:
    text = {"cp932": "速い弁", "cp1252": "naïve \u201cquote\u201d"}.get(codec, "быстрый клапан")
    words = read_words(f"<p>{text}</p>".encode(codec), "text/html", label)
    assert isinstance(words, PayloadWords)
    assert words.find(text) is Match.ADJACENT


@pytest.mark.parametrize("label", ["utf-7", "idna", "hex", "unicode_escape", "x" * 10_000, ""])
def test_labels_that_are_no_web_encodings_are_not_tried(label: str) -> None:
    assert read_words(b"<p>x</p>", "text/html", label) == "a charset that is not known here"


def test_marked_sections_are_text_in_xml_and_comments_in_html() -> None:
    document = "<item><![CDATA[plain <words> here]]></item>"
    assert find(document, "plain words here", "application/rss+xml") is Match.ADJACENT
    assert find(document, "plain words here", "text/html") is Match.ABSENT


def test_a_media_type_that_cannot_be_read_is_said_so() -> None:
    assert read_words(b"%PDF-1.7", "application/pdf", None) == "application/pdf"


TYPES = ["text/html", "TEXT/HTML ;x", "text/plain; charset=utf-8, text/html", "text/html, */*", "*/*", "html", "", None]


@pytest.mark.parametrize("content_type", TYPES)
def test_a_page_is_read_as_one_however_its_type_is_written(content_type: str | None) -> None:
    """As browsers do: the last type that can be read counts, and without any the content."""
    document = " " * 2000 + "<p>The <b>va</b>lve &eacute;t&eacute;</p>"
    words = read_words(document.encode(), content_type, "utf-8")
    assert isinstance(words, PayloadWords)
    assert words.find("The valve été") is Match.ADJACENT


@pytest.mark.parametrize("content_type", ["text/plain", "application/ld+json", "application/vnd.api+json", "", None])
def test_a_text_is_read_as_it_stands(content_type: str | None) -> None:
    words = read_words(b'{"a": "1 <b> 2 &eacute;"}', content_type, None)
    assert isinstance(words, PayloadWords)
    assert words.find("1 <b> 2 &eacute;") is Match.ADJACENT


@pytest.mark.parametrize(
    ("data", "content_type"), [(b"%PDF-1.7\n\0\1", None), (b"GIF89a\0", "*/*"), (b"<p>x", "image/png, a/b")]
)
def test_what_is_no_text_is_not_looked_through(data: bytes, content_type: str | None) -> None:
    assert isinstance(read_words(data, content_type, None), str)


HOSTILE = [
    "<!--",
    "<a",
    "<a ",
    "</",
    "<",
    "<script>",
    "<a b='",
    "&",
    "<!",
    "<?",
    '<a x="',
    "&#",
    "<script><!--",
    "]]>",
    "< a =",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_markup_takes_linear_time(piece: str) -> None:
    document = piece * (2_000_000 // len(piece))
    started = time.perf_counter()
    read_markup(document)
    assert time.perf_counter() - started < 20, "a quadratic scan of 2 MB takes hours"


@given(st.text(), st.text())
def test_any_text_is_looked_through(document: str, quote: str) -> None:
    words = read_words(document.encode("utf-8", "replace"), "text/html", "utf-8")
    assert isinstance(words, PayloadWords)
    assert isinstance(words.find(quote), Match)


@given(st.lists(st.text("abcdé", min_size=1, max_size=8), min_size=1, max_size=30), st.data())
def test_every_run_of_words_of_a_page_is_found(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    document = "<p>" + "</p>\n<p>".join(words) + "</p>"
    assert find(document, " ".join(words[start:end])) is Match.ADJACENT
