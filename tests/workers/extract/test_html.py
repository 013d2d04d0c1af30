"""HTML to text: what is kept, and that nothing but the page and its day decides it."""

import datetime as clock
from datetime import date
from types import ModuleType

import htmldate.core
import htmldate.extractors
import htmldate.validators
import pytest
import trafilatura.settings

from schemas.text_v1 import is_normalized
from workers.extract.html import HtmlContent, NoHtml, extract_html, warm_up
from workers.extract.options import MAX_CHARACTERS, html_extractor_id, html_options

LATEST = date(2026, 11, 29)
PARAGRAPH = "<p>The committee said on Tuesday that the bridge would reopen in spring, after two years of repairs.</p>"
REPAIRS = "".join(
    f"<p>In month {n} of the repairs the workers replaced {n * 7} of the old iron bolts.</p>" for n in range(4)
)
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>Bridge</title></head><body><nav><a href="/">Home</a></nav>
<article><h1>Bridge to reopen</h1>{PARAGRAPH}{REPAIRS}<h2>What it cost</h2><p>Three million, it was told.</p>
<table><tr><th>Year</th><th>Cost</th></tr><tr><td>2025</td><td>3 million</td></tr></table></article>
<div class="comments"><p class="comment">I do not believe a word of it, said a reader.</p></div></body></html>"""


def content_of(source: str, latest: date = LATEST) -> HtmlContent:
    content = extract_html(source, latest=latest)
    assert isinstance(content, HtmlContent)
    return content


def test_main_text_and_tables_are_kept_and_navigation_and_comments_are_not() -> None:
    text = content_of(PAGE).text
    assert "the bridge would reopen in spring" in text
    assert "replaced 21 of the old iron bolts" in text
    assert "| 2025 | 3 million |" in text
    assert "Home" not in text
    assert "said a reader" not in text
    assert is_normalized(text)


def test_r078_headings_stand_where_they_say() -> None:
    content = content_of(PAGE)
    assert "What it cost" in [heading.text for heading in content.headings]
    for heading in content.headings:
        assert content.text[heading.start : heading.start + len(heading.text)] == heading.text


def test_two_runs_and_another_order_of_pages_give_the_same() -> None:
    first = content_of(PAGE)
    content_of(PAGE.replace("bridge", "tunnel"))
    warm_up()
    assert content_of(PAGE) == first


@pytest.mark.parametrize("year", [2001, 2099])
def test_the_clock_of_the_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch, year: int) -> None:
    page = PAGE.replace("<article>", '<article><p class="date">12 November 2026</p>')
    expected = content_of(page)
    assert expected.metadata.published_source == "htmldate"

    class OtherTime(clock.datetime):
        @classmethod
        def now(cls, tz: clock.tzinfo | None = None) -> "OtherTime":
            return cls(year, 1, 1, tzinfo=tz)

    modules: list[ModuleType] = [htmldate.core, htmldate.extractors, htmldate.validators, trafilatura.settings]
    for module in modules:
        monkeypatch.setattr(module, "datetime", OtherTime, raising=False)
    htmldate.validators.reset_validator_caches()
    assert content_of(page) == expected
    htmldate.validators.reset_validator_caches()


def test_a_date_after_the_day_of_retrieval_is_not_found() -> None:
    page = PAGE.replace("<article>", '<article><p class="date">12 November 2026</p>')
    assert content_of(page, date(2026, 11, 12)).metadata.published_at == "2026-11-12"
    assert content_of(page, date(2026, 10, 1)).metadata.published_at is None


@pytest.mark.parametrize("source", ["", " \n", "<html></html>", "<p></p>", "\x00\x01"])
def test_a_page_without_text_gives_an_empty_text(source: str) -> None:
    assert content_of(source).text == ""


def test_a_fragment_served_as_a_page_is_read() -> None:
    assert "would reopen in spring" in content_of(PARAGRAPH).text


def test_a_page_with_little_text_is_read_by_the_full_cascade_too() -> None:
    items = "".join(
        f"<div><div><span>Entry number {n} of the list with its own words.</span></div></div>" for n in range(60)
    )
    assert "Entry number 59" in content_of(f"<html><body>{items}</body></html>").text


def test_cjk_thai_and_right_to_left_text_comes_out_as_it_is() -> None:
    sentences = [
        "東京都は火曜日、新しい橋を来年の春に開通させると発表しました。工事には二年かかりました。",
        "委员会周二表示，大桥将在春季重新开放，维修工程历时两年，耗资三百万元。",
        "คณะกรรมการกล่าวเมื่อวันอังคารว่าสะพานจะเปิดอีกครั้งในฤดูใบไม้ผลิ",
        "قالت اللجنة يوم الثلاثاء إن الجسر سيعاد افتتاحه في الربيع بعد عامين من الإصلاحات.",
        "הוועדה אמרה ביום שלישי כי הגשר ייפתח מחדש באביב לאחר שנתיים של תיקונים.",
    ]
    for sentence in sentences:
        assert (
            sentence
            in content_of(f"<html><body><article><h1>x</h1>{f'<p>{sentence}</p>' * 4}</article></body></html>").text
        )


def test_a_page_above_the_limit_is_refused_by_name() -> None:
    assert extract_html("x" * (MAX_CHARACTERS + 1), latest=LATEST) == NoHtml(
        f"html.larger-than-{MAX_CHARACTERS}-characters"
    )


def test_x27_the_id_names_version_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """X27."""
    from schemas.canonical import canonical_sha256
    from workers.extract import options

    assert html_extractor_id() == f"trafilatura@{trafilatura.__version__}+{canonical_sha256(html_options())[:8]}"
    assert {"lxml", "libxml2", "fast", "comments"} <= set(html_options())
    monkeypatch.setattr(options, "COMMENTS", True)
    assert html_extractor_id.__wrapped__() != html_extractor_id()


@pytest.mark.parametrize("depth", [200, 300, 1500])
def test_what_follows_deep_markup_is_in_the_text(depth: int) -> None:
    sentence = "The barrier consists of fourteen gates, each as wide as a street is long. " * 5
    page = f"<html><body>{'<div>' * depth}<p>{sentence}</p>{'</div>' * depth}<p>After it: {sentence}</p></body></html>"
    found = extract_html(page, latest=date(2026, 11, 29))
    assert isinstance(found, HtmlContent)
    assert "After it: The barrier" in found.text


def test_a_page_that_is_deeper_than_a_tree_is_refused_whole() -> None:
    page = f"<html><body><p>Before it all.</p>{'<div>' * 5000}<p>within</p></body></html>"
    assert extract_html(page, latest=date(2026, 11, 29)) == NoHtml("html.too-deep")
