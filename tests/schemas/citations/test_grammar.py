"""What is a citation, exactly where, and what it speaks of: in Markdown, of any script, and never in code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.citations.grammar import find_citations
from schemas.citations.numbers import cited_numbers
from schemas.citations.prose import read_prose
from schemas.citations.sentences import read_sentences


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("It closed [1.2].", [("1.2",)]),
        ("It closed [1.2][1.3].", [("1.2",), ("1.3",)]),
        ("It closed [1, 2].", [("1", "2")]),
        ("It closed [1.1, 2.3; 3.1].", [("1.1", "2.3", "3.1")]),
        ("It closed [1.1-1.3].", [("1.1", "1.2", "1.3")]),
        ("It closed [1.1–3].", [("1.1", "1.2", "1.3")]),
        ("It closed [2-4].", [("2", "3", "4")]),
        ("水门关闭了【1.2】。", [("1.2",)]),
        ("水门关闭了［１．２、１．３］。", [("1.2", "1.3")]),
        ("It closed 【1.2†source】.", [("1.2",)]),
        ("أغلق الحاجز [١٫٢، ١.٣].", [("1.2", "1.3")]),
        ("बाँध बंद हुआ [१.२][१.३-१.५]।", [("1.2",), ("1.3", "1.4", "1.5")]),
        ("ประตูปิด［๑.๒］", [("1.2",)]),
        ("It closed [Chunk 1.2].", [("1.2",)]),
        ("It closed[1.2].", [("1.2",)]),
        ("It closed [ 1.2 ].", [("1.2",)]),
    ],
)
def test_every_form_of_a_citation_is_read(text: str, ids: list[tuple[str, ...]]) -> None:
    """R106, R110; and what models write instead of it."""
    found = find_citations(text)
    assert [one.ids for one in found] == ids
    assert all(text[one.start] in "[【［" and text[one.end - 1] in "]】］" for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "`arr[1]` and ``a`[1.2]`` stay",
        "```\ncode [1.2]\n```",
        "~~~python\nx = a[1]\n",  # nobody closes it
        "    indented [1.2]",
        "Index arr[0] and [0.5, 1.5], ［０］ and [٠٫٥].",
        "A [2Fe-2S] cluster, 95% CI [1.3-1.7], IQR [2-4].",
        "A link [1.2](https://a.example/) and an image ![1.2](x.png).",
        "A footnote[^1] and [^1.2].",
        "An escaped \\[1.2\\].",
        "[1]: https://a.example/\n\nAs [1] says.",
        "<span title='[1.2]'>text</span>",
        "https://a.example/q?x[1]=2",
        "A task [ ] and [x], a note [sic], a year [2026a].",
        "Backwards [1.3-1.1], across [1.3-2.1].",
        "<pre>\ncode [1.2]\n</pre>",
    ],
)
def test_what_is_no_citation_is_left_alone(text: str) -> None:
    """C11, C21: code of every kind, links, footnotes, intervals, escapes."""
    assert find_citations(text) == []


def test_spans_are_exact_and_count_code_points() -> None:
    """R110, X12: the seed's own spans were off."""
    text = "🤔 First claim [1.1]. 第二 [2.1].\r\n\r\n- `x[1]` third [1, 2]\r\n"
    spans = [text[one.start : one.end] for one in find_citations(text)]
    assert spans == ["[1.1]", "[2.1]", "[1, 2]"]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("Statement. [1] Next one.", {"Statement. [1]": ["[1]"], "Next one.": []}),
        ("Statement. [1].", {"Statement. [1]": ["[1]"]}),
        ("One [1.1]. Two [1.2].", {"One [1.1].": ["[1.1]"], "Two [1.2].": ["[1.2]"]}),
        ("水门关闭。[1.1]然后打开。[1.2]", {"水门关闭。[1.1]": ["[1.1]"], "然后打开。[1.2]": ["[1.2]"]}),
        ("「閉じた。」[1.1]開いた。", {"「閉じた。」[1.1]": ["[1.1]"], "開いた。": []}),
        ("बाँध बंद हुआ। [१.१] फिर खुला।", {"बाँध बंद हुआ। [१.१]": ["[१.१]"], "फिर खुला।": []}),
        ("هل أغلق؟ [١.١] نعم.", {"هل أغلق؟ [١.١]": ["[١.١]"], "نعم.": []}),
        ("It fell by 3.2 m, i.e. a lot [1.1].", {"It fell by 3.2 m, i.e. a lot [1.1].": ["[1.1]"]}),
        ("[1.1] It closed.", {"It closed.": ["[1.1]"]}),
        ("- One [1.1].\n- Two.", {"One [1.1].": ["[1.1]"], "Two.": []}),
    ],
)
def test_a_citation_speaks_of_the_sentence_before_it(text: str, bound: dict[str, list[str]]) -> None:
    """C13: never of what follows, never of a full stop."""
    prose = read_prose(text)
    citations = find_citations(text, prose)
    found = {
        text[one.start : one.end]: [text[citations[at].start : citations[at].end] for at in one.citations]
        for one in read_sentences(text, prose, citations)
    }
    assert found == bound


def test_addresses_are_found_wherever_they_stand_but_in_code() -> None:
    """C09: whole, with commas and brackets in them."""
    text = (
        "See https://a.example/x,y, <https://b.example/> and [c](https://c.example/a_(1)).\n\n"
        "`https://code.example/`\n\n[d]: https://d.example/list\n\nAs [d] says, www.e.example.\n"
    )
    found = read_prose(text).addresses
    assert [one.url for one in found] == [
        "https://a.example/x,y",
        "https://b.example/",
        "https://c.example/a_(1)",
        "https://d.example/list",
        "www.e.example",
    ]
    assert text[slice(*(found[2].text or (0, 0)))] == "c"


def test_numbers_of_a_report_are_listed_in_the_order_of_citation() -> None:
    """R117, X23: the cited set."""
    assert cited_numbers("A [3]. B [1, 3]. C [1.2]. `[9]`") == [3, 1]


@given(st.text(alphabet="ab 1.2[]()`\n-*_#>|<!\\【】。", max_size=120))
def test_any_text_is_read_and_every_citation_is_a_bracket_of_it(text: str) -> None:
    prose = read_prose(text)
    for one in find_citations(text, prose):
        assert 0 <= one.start < one.end <= len(text)
        assert text[one.start] in "[【"
        assert text[one.end - 1] in "]】"
    citations = find_citations(text, prose)
    for sentence in read_sentences(text, prose, citations):
        assert text[sentence.start : sentence.end].strip()
