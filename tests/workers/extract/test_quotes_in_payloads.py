"""On all real pages the checker finds in the payload what a writer may quote from the text.

Archive and checker read a page by code of their own. Where the checker does not find a quote, an honest
capture is refused.
"""

import re
from collections import Counter

import pytest

from validator.payload_words import Match, PayloadWords, read_words
from workers.extract.extraction import Extracted

SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*")


def quotes_of(text: str) -> tuple[list[str], list[str]]:
    """Sentences and whole lines; and runs of two and four lines."""
    lines = [line for line in text.split("\n") if line.strip()]
    sentences = [sentence for line in lines for sentence in SENTENCE_END.split(line) if sentence.strip()]
    runs = ["\n".join(lines[at : at + 2]) for at in range(len(lines) - 1)]
    return sentences + lines, runs + ["\n".join(lines[at : at + 4]) for at in range(0, len(lines) - 3, 3)]


@pytest.mark.slow
def test_no_quote_of_a_real_page_is_called_absent(extracted_pages) -> None:
    found: dict[str, Counter[Match]] = {"within a line": Counter(), "over lines": Counter()}
    absent = []
    for page, extracted in extracted_pages:
        assert isinstance(extracted, Extracted), page.name
        words = read_words(page.payload, page.content_type, extracted.charset)
        assert isinstance(words, PayloadWords), (page.name, words)
        for kind, quotes in zip(found, quotes_of(extracted.text), strict=True):
            for quote in quotes:
                match = words.find(quote)
                found[kind][match] += 1
                if match is Match.ABSENT:
                    absent.append((page.name, quote))
    assert not absent
    share = {kind: counted[Match.ADJACENT] / counted.total() for kind, counted in found.items()}
    assert share["within a line"] > 0.997, found
    assert share["over lines"] > 0.9, found


@pytest.mark.slow
def test_a_changed_number_of_a_real_page_is_called_absent(extracted_pages) -> None:
    """The other side: leniency with what an extractor leaves out lets no made-up number pass."""
    made_up, passed = 0, []
    for page, extracted in extracted_pages:
        words = read_words(page.payload, page.content_type, extracted.charset)
        for quote in quotes_of(extracted.text)[0]:
            number = re.search(r"(?<!\d)\d{2,4}(?!\d)", quote)
            if number is None or len(quote) < 40:
                continue
            changed = f"{quote[: number.start()]}{int(number[0]) * 7919 + 104729}{quote[number.end() :]}"
            made_up += 1
            if words.find(changed) is not Match.ABSENT:
                passed.append((page.name, changed))
    assert made_up > 1000
    assert not passed
