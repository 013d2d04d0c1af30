"""References for readers and programs: escaped, versioned, and with nothing that only the page's text says."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import lxml.html
import pytest

from schemas.citations.prose import read_prose
from schemas.records.claim import Support
from schemas.records.snapshot import Snapshot
from schemas.records.source import Tier
from workers.cite.fragment import page_url, text_directive, text_fragment_url
from workers.cite.reference_formats import bibtex, csl_json, html
from workers.cite.references import QuoteLink, Reference, markdown


def reference(one: Snapshot, **fields: object) -> Reference:
    base = {"number": 4, "shown": 2, "snapshot": one, "tier": Tier.PRIMARY, "source_channel": "web", "sections": ("a",)}
    return Reference(**(base | fields))  # type: ignore[arg-type]


def test_markdown_is_one_line_and_nothing_of_the_page_is_markup(snapshot_of) -> None:
    line = markdown([reference(snapshot_of(title="Two\nlines [x](y) _z_"))])
    assert line.count("\n") == 1
    assert line.startswith(
        "\\[2\\] Ada Lovelace; Jörg Müller. “Two lines \\[x\\](y) \\_z\\_”. The Courier, 2026-08-21."
    )
    assert "<https://a.example/x>" in line
    assert "snap-000000000000-20260822T031500Z-00000000" in line


def test_each_reference_in_markdown_is_a_paragraph_of_its_own(snapshot_of) -> None:
    made = markdown([reference(snapshot_of(), shown=shown) for shown in (1, 2, 3)])
    blocks = [made[block.start : block.end] for block in read_prose(made).blocks]
    assert [block[:5] for block in blocks] == ["\\[1\\]", "\\[2\\]", "\\[3\\]"]


def test_html_escapes_what_the_page_wrote_and_opens_web_addresses_only(snapshot_of) -> None:
    link = QuoteLink("c-001", Support.CONTRADICTS, "<script>alert(1)</script>", "javascript:alert(1)", "snap-x")
    made = html([reference(snapshot_of(final_url='https://a.example/"><b>'), quotes=(link,))])
    assert "<script>" not in made
    tree = lxml.html.fragment_fromstring(made)
    assert tree.xpath("//script") == []
    assert tree.xpath("//li/@value") == ["2"]
    assert tree.xpath("//q/ancestor::a/@href") == ["about:blank"]
    assert "contradicts c-001" in tree.text_content(), "R075"
    assert tree.xpath("//a/@data-originalurl")[0] == 'https://a.example/"><b>'


def test_what_a_page_wrote_turns_no_direction_of_what_stands_behind_it(snapshot_of) -> None:
    one = reference(snapshot_of(title="\u202egnp.exe", author="A\u2067 B; \u202e", publisher="\u202d\u200fP"))
    shown = (markdown([one]), html([one]), json.dumps(csl_json([one]), ensure_ascii=False), bibtex([one]))
    assert all("gnp.exe" in made and "A B" in made for made in shown)
    assert not {"\u202e", "\u202d", "\u2067"}.intersection("".join(shown))
    assert "\u200fP" in shown[0], "a mark stays"


def test_csl_json_names_only_what_csl_knows(snapshot_of) -> None:
    """C05: no DOI from anywhere."""
    (item,) = csl_json([reference(snapshot_of(), archive_base="https://m.example/web/")])
    assert isinstance(item, dict)
    known = {"id", "type", "citation-number", "title", "author", "container-title", "issued", "accessed", "URL"}
    known |= {"version", "language", "archive", "archive_location", "custom"}
    assert set(item) <= known
    assert item["author"] == [{"literal": "Ada Lovelace"}, {"literal": "Jörg Müller"}]
    assert item["issued"] == {"date-parts": [[2026, 8, 21]]}
    assert item["accessed"] == {"date-parts": [[2026, 8, 22]]}
    assert item["archive_location"] == "https://m.example/web/20260822031500/https://a.example/x"
    assert item["custom"]["number"] == 4


def test_a_version_of_a_work_is_named_and_its_snapshot_pinned(snapshot_of) -> None:
    """X5: the number is the work's, the reference the version's."""
    (item,) = csl_json([reference(snapshot_of(final_url="https://arxiv.org/abs/2401.12345v2"))])
    assert isinstance(item, dict)
    assert item["version"] == "v2"


def test_each_quote_names_the_state_in_which_it_stands_and_the_reference_every_cited_one(snapshot_of) -> None:
    """X5: the page has changed between two citations of it."""
    new = snapshot_of()
    old = new.model_copy(update={"id": new.id.replace("0822T", "0801T"), "retrieved_at": "2026-08-01T03:15:00Z"})
    links = [
        QuoteLink("c-1", Support.FULL, each.id, f"https://a.example/x#:~:text={each.id}", each.id)
        for each in (old, new)
    ]
    one = reference(new, earlier=(old,), quotes=tuple(links), archive_base="https://m.example")
    tree = lxml.html.fragment_fromstring(html([one]))
    for each in (old, new):
        (link,) = tree.xpath(f"//a[q='{each.id}']")
        assert link.get("data-versiondate") == each.retrieved_at
        assert link.get("data-versionurl").startswith(
            f"https://m.example/{each.retrieved_at[:4]}08{each.retrieved_at[8:10]}"
        )
        made = (markdown([one]), json.dumps(csl_json([one])), bibtex([one]), tree.text_content())
        assert all(each.id in shown for shown in made)
    assert all(time in markdown([one]) for time in (old.retrieved_at, new.retrieved_at))


def test_bibtex_is_ascii_and_keeps_the_address(snapshot_of) -> None:
    made = bibtex([reference(snapshot_of(final_url="https://a.example/x_y?q=%20&p={1}"))])
    assert made.isascii()
    assert "https://a.example/x_y?q=%20&p=%7B1%7D" in made
    assert 'M\\"uller' in made
    assert "\\{50\\%\\}" in made


def test_a_fragment_names_whole_words_with_their_neighbours() -> None:
    """C33: commas, hyphens and ampersands are encoded."""
    text = "Before it, a well-known R&D figure: 3.2 metres, rose again. After.\n"
    start = text.index("a well-known")
    directive = text_directive(text, start, text.index(" rose"))
    assert (
        directive
        == "text=Before%20it%2C-,a%20well%2Dknown%20R%26D%20figure%3A%203.2%20metres%2C,-rose%20again.%20After."
    )
    url = text_fragment_url("https://a.example/x#part:~:text=old", text, [(start, start + 12)])
    assert url.startswith("https://a.example/x#part:~:text=Before")


def test_a_quote_in_parts_has_a_directive_for_each() -> None:
    """C21, C33: what it leaves out is not marked in the reader's browser."""
    text = "The gate, which had been shut for nine years, was opened at dawn.\n"
    spans = [(0, 8), (text.index("was opened"), text.index("."))]
    url = text_fragment_url("https://a.example/x", text, spans)
    directives = [unquote(part.removeprefix("text=")) for part in url.partition(":~:")[2].split("&")]
    assert directives == ["The gate,-, which had", "for nine years,-,was opened at dawn,-."]


def test_a_long_passage_is_named_by_its_ends() -> None:
    text = "One two three four five six.\nSeven eight.\nNine ten eleven twelve thirteen.\n"
    directive = text_directive(text, 0, len(text))
    assert [unquote(part) for part in directive.removeprefix("text=").split(",")] == [
        "One two three four five",
        "Nine ten eleven twelve thirteen.",
    ]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Speed is", "text=Speed is,-limited."),
        ("- Speed is", "text=Speed is,-limited."),
        ("limited", "text=Speed is-,limited,-."),
        ("| 2024 | 412 |", "text=2024,412"),
        ("412", "text=412"),
        ("- Speed is limited.\n| Year | Ships |\n|---|---|", "text=Speed is limited.,Ships"),
        ("|---|---|", ""),
    ],
)
def test_a_fragment_has_no_mark_that_the_page_itself_does_not_hold(quote: str, found: str) -> None:
    """C33: a list's dash, a heading's hash, a table's bars are the text's, and a browser looks for them in vain."""
    text = "# Rules\n- Speed is limited.\n| Year | Ships |\n|---|---|\n| 2024 | 412 |\n"
    directive = text_directive(text, start := text.index(quote), start + len(quote))
    assert unquote(directive) == found
    url = text_fragment_url("https://a.example/x", text, [(start, start + len(quote))])
    assert url == "https://a.example/x" + (f"#:~:{directive}" if found else "")


def test_signs_within_a_line_are_the_pages_own() -> None:
    """C33: `profit - loss` has no list's dash, and a long line costs no more than a short one."""
    text = "> Profits - and losses + gains - of 3 - 5 % * grew.\n" + "word " * 400_000
    assert unquote(text_directive(text, 0, 51)) == "text=Profits - and losses + gains - of 3 - 5 % * grew."
    assert unquote(text_directive(text, 2, 9)) == "text=Profits,-- and losses"
    gains = text.index("+ gains")
    assert unquote(text_directive(text, gains, gains + 7)) == "text=- and losses-,+ gains,-- of 3"
    in_line = {unquote(text_directive(text, start, start + 4)) for start in range(52, 1_500_000, 5_000)}
    assert in_line == {"text=word,-word word word", "text=word word word-,word,-word word word"}


@pytest.mark.parametrize(
    "passage",
    [
        pytest.param("港の売上高は増え、" + "岸壁は新しく、船は入り、" * 20 + "町は栄えた。", id="ends with a mark"),
        pytest.param("「港の売上高は増え、" + "岸壁は新しく、船は入り、" * 20 + "町は栄えた」", id="in brackets"),
        pytest.param("该港口收入增长，" + "员工人数稳定" * 60 + "。", id="few marks"),
        pytest.param("Tokyo 港の売上高は増え、" + "岸壁は新しく" * 60 + "町は栄えた。", id="a word of Latin first"),
        pytest.param("The address is " + "x" * 300, id="one word of Latin"),
    ],
)
def test_the_last_words_of_a_passage_are_found_behind_its_first_in_every_script(passage: str) -> None:
    text = f"前の文である。{passage}後の文である。" if not passage.isascii() else f"Before {passage} behind it."
    start = text.index(passage)
    parts = text_directive(text, start, start + len(passage)).removeprefix("text=").split(",")
    before, *edges, after = map(unquote, parts)
    assert (before[-1], after[0]) == ("-", "-")
    assert text[:start].strip().endswith(before[:-1])
    assert text[start + len(passage) :].strip().startswith(after[1:])
    assert passage.startswith(edges[0])
    if len(edges) > 1:
        assert max(map(len, edges)) <= 40
        last = passage.index(edges[1], len(edges[0]))
        assert last + len(edges[1]) == len(passage)


def test_a_pdf_is_opened_at_its_page() -> None:
    assert page_url("https://a.example/x.pdf#old", 3) == "https://a.example/x.pdf#page=3"
    assert page_url("https://a.example/x.pdf", None) == "https://a.example/x.pdf"


def test_the_fragment_of_the_polyfills_selection_names_the_same_words(conformance_data: Path) -> None:
    folder = conformance_data / "citations/text-fragments-polyfill"
    case = json.loads((folder / "basic_test.json").read_text("utf-8"))
    tree = lxml.html.document_fromstring((folder / case["htmlFileName"]).read_text("utf-8"))
    text = "\n".join(" ".join(part.split()) for part in tree.xpath("//body//text()") if part.strip())
    start = text.index(case["selectedText"])
    parts = text_directive(text, start, start + len(case["selectedText"])).removeprefix("text=").split(",")
    (highlighted,) = [unquote(part) for part in parts if not part.endswith("-") and not part.startswith("-")]
    assert highlighted == case["highlightText"]
