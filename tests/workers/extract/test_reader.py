"""`reader_status`: the rules of X18 in their order, walls that must not be cited, pages that must."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from schemas.records.outcome import Outcome
from schemas.records.snapshot import ReaderStatus
from workers.extract.decode import DecodeFailure, DecodeProblem
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.pipeline import extract_payload
from workers.extract.reader import read_status

STORY = "".join(
    f"<p>Paragraph {n} of a story that tells what happened on day {n} and why it mattered.</p>" for n in range(40)
)


def judged(body: str, title: str = "", head: str = "", status: int = 200, outcome: Outcome = Outcome.CAPTURED) -> str:
    page = f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    found = extract_payload(
        page.encode(), ExtractionRequest(content_type="text/html; charset=utf-8", retrieved_on="2026-11-29")
    )
    verdict = read_status(status, outcome, found)
    return verdict.status if verdict.reason is None else f"{verdict.status} {verdict.reason}"


@pytest.mark.parametrize(
    ("status", "outcome", "expected"),
    [
        (200, Outcome.CAPTURED, "ok"),
        (203, Outcome.REVISIT, "ok"),
        (200, Outcome.NOT_MODIFIED, "ok"),
        (None, Outcome.MALFORMED, "ok"),
        (404, Outcome.CAPTURED, "http_error http-status.404"),
        (500, Outcome.REVISIT, "http_error http-status.500"),
        (302, Outcome.REDIRECT_LIMIT, "http_error http-status.302"),
        (404, Outcome.TRUNCATED, "http_error http-status.404"),
        (200, Outcome.TRUNCATED, "truncated capture.truncated"),
        (206, Outcome.CAPTURED, "truncated http-status.206"),
    ],
)
def test_the_exchange_is_judged_before_its_text(status: int | None, outcome: Outcome, expected: str) -> None:
    assert judged(STORY, "Story", status=status, outcome=outcome) == expected  # type: ignore[arg-type]


@dataclass(frozen=True)
class Wall:
    """A page as walls write it."""

    expected: str
    title: str
    body: str
    head: str = ""


WALLS = [Wall(**entry) for entry in json.loads(Path(__file__).with_name("walls.json").read_text("utf-8"))]


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: f"{wall.expected} {wall.title}")
def test_a_wall_is_not_citeable_and_its_rule_is_named(wall: Wall) -> None:
    assert judged(wall.body, wall.title, wall.head) == wall.expected


@pytest.mark.parametrize(
    "wall", [w for w in WALLS if not w.expected.startswith("empty")], ids=lambda wall: wall.expected
)
def test_a_long_story_with_the_same_traces_is_citeable(wall: Wall) -> None:
    assert judged(f"<article><h1>Story</h1>{STORY}</article>{wall.body}", wall.title, wall.head) == "ok"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("The room 404 murders", "<p>A short note on a new book that was published on Tuesday.</p>"),
        ("Weather", "<p>Sunny.</p>"),
        ("The bridge reopens - 404 Media", "<p>A short note on the bridge, which reopened on Tuesday.</p>"),
        ("Un momento con la ingeniera", "<p>Una nota breve sobre el puente.</p>"),
        ("Account suspended over a joke", "<p>A short note on a joke, and what it cost.</p>"),
        ("Access to water | The Paper", "<p>A short note on wells.</p>"),
        ("How captchas work", "<p>A captcha asks whether you are a human; the idea is from 1997.</p>"),
        ("Newsletter", '<p>Subscribe to our newsletter.</p><div class="g-recaptcha"></div>'),
        (
            "Protected",
            "<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script><p>A short but good page.</p>",
        ),
    ],
)
def test_a_short_good_page_is_citeable(title: str, body: str) -> None:
    assert judged(body, title) == "ok"


def test_what_could_not_be_read_says_why() -> None:
    def of(content: NotExtracted | DecodeFailure) -> str:
        verdict = read_status(200, Outcome.CAPTURED, content)
        return f"{verdict.status} {verdict.reason}"

    unsupported = NotExtracted(status=ReaderStatus.UNSUPPORTED_TYPE, reason="media-type.application/pdf")
    assert of(unsupported) == "unsupported_type media-type.application/pdf"
    assert of(DecodeFailure(DecodeProblem.TRUNCATED, "gzip", "")) == "truncated content-coding.truncated"
    assert of(DecodeFailure(DecodeProblem.RATIO, "br", "")) == "extract_failed content-coding.ratio"


def test_a_text_that_is_mostly_undecodable_is_not_citeable() -> None:
    page = ("<p>" + "Год " * 200).encode("windows-1251")
    found = extract_payload(page, ExtractionRequest(content_type="text/html; charset=utf-8", retrieved_on="2026-11-29"))
    assert isinstance(found, Extracted)
    assert read_status(200, Outcome.CAPTURED, found).reason == "charset.undecodable"
