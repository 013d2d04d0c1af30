"""Quotes whose elements stand apart in the payload: what an extractor leaves out is whole elements."""

import time

import pytest

from validator.payload_words import Match, PayloadWords, read_words

ADVERT = "<aside>" + "buy now " * 40 + "</aside>"
FORMULA = "<math>" + "x " * 40 + "</math>"


def find(document: str, quote: str, content_type: str = "text/html") -> Match:
    words = read_words(document.encode(), content_type, "utf-8")
    assert isinstance(words, PayloadWords), words
    return words.find(quote)


APART = {
    "an advertisement between two blocks": (f"<p>The valve closes.</p>{ADVERT}<p>It is safe.</p>", "closes.\nIt is"),
    "a formula within a sentence": (f"<p>The value {FORMULA}, although small</p>", "The value , although small"),
    "a caption within a paragraph": (f"<p>He came.<figure>{ADVERT}</figure>He went.</p>", "He came. He went."),
    "two things left out": (f"<p>One</p>{ADVERT}<p>two</p>{ADVERT}<p>three</p>", "One two three"),
    "a word that goes on in an element": (f"<p>mail<i>{ADVERT}</i>box</p>", "mailbox"),
    "blocks in another order": (f"<td>one valve</td>{ADVERT}<td>two valves</td>", "two valves\none valve"),
}


@pytest.mark.parametrize(("document", "quote"), APART.values(), ids=APART)
def test_words_of_an_honest_extraction_are_never_called_absent(document: str, quote: str) -> None:
    assert find(document, quote) is Match.SCATTERED


ABSENT = {
    "left out within an element": ("<p>The valve " + "is not safe and " * 9 + "closes</p>", "The valve closes"),
    "parts of words": (f"<p>unsafe</p>{ADVERT}<p>valves</p>", "safe valve and"),
    "in another order in a line": (f"<p>two</p>{ADVERT}<p>one</p>", "one two"),
    "a line that is not there": (f"<p>two</p>{ADVERT}<p>one</p>", "one\nthree"),
    "a seam that the document wrote itself": (
        "<p>The valve\0 " + "is not safe and " * 9 + "\0closes</p>",
        "The valve closes",
    ),
    "the same by reference": ("<p>The valve&#0; " + "is not safe and " * 9 + "&#0;closes</p>", "The valve closes"),
}


@pytest.mark.parametrize(("document", "quote"), ABSENT.values(), ids=ABSENT)
def test_words_that_are_put_together_are_absent(document: str, quote: str) -> None:
    assert find(document, quote) is Match.ABSENT


def test_a_seam_in_a_plain_text_or_in_linked_data_is_none() -> None:
    between = "is not safe and " * 9
    assert find(f"The valve\0 {between}\0closes", "The valve closes", "text/plain") is Match.ABSENT
    data = f'{{"text": "The valve\\u0000 {between}\\u0000closes"}}'
    document = f'<script type="application/ld+json">{data}</script>'
    assert find(document, "The valve closes") is Match.ABSENT


@pytest.mark.parametrize("quote", ["|---|---|", "|  |\n|  |", "- .", "—", "” |"])
def test_signs_that_extraction_draws_are_not_looked_for(quote: str) -> None:
    assert find("<li>”—.</li>", quote) is not Match.ABSENT


def test_a_sign_that_is_not_there_is_absent() -> None:
    assert find("<li>x.</li>", "- €") is Match.ABSENT


def test_markup_in_linked_data_is_read_as_markup() -> None:
    text = "&lt;p&gt;The valve&lt;/p&gt;\\n&lt;p&gt;closes &amp;amp; opens.&lt;/p&gt;"
    document = f'<script type="application/ld+json">{{"articleBody": "{text}"}}</script>'
    assert find(document, "The valve\ncloses & opens.") is Match.ADJACENT


HOSTILE = {
    "one letter an element": ("<b>a</b>" * 300_000, "a" * 900 + "b"),
    "one long word": ("a" * 2_000_000 + "<b>", "a" * 999 + "b"),
    "pairs": ("<i>ab</i>" * 200_000, "ab" * 500 + "c"),
    "words between": ("<b>a</b>x" * 200_000, "a" * 3000 + "\n" + "a" * 3000),
}


@pytest.mark.parametrize(("document", "quote"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_documents_take_bounded_time(document: str, quote: str) -> None:
    started = time.perf_counter()
    assert find(document, quote) is Match.ABSENT
    assert time.perf_counter() - started < 20
