"""Quote and position selectors as other systems test them (Apache Annotator, Hypothesis, the fragment polyfill)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from schemas.records.claim import MatchLevel
from schemas.text_v1.units import OffsetUnit, from_code_points
from workers.cite.folding import Step
from workers.cite.haystack import Haystack
from workers.cite.locate import NotFound, Span, locate_quote

EXCEPTIONS = {
    "empty quote, with prefix": "an empty quote is no evidence: it is refused as too short",
    "text inside <head>": "the suite counts in the title, which is no part of the body's text; found there as well",
}
Json = Any  # a row of a suite


def rows(data: Path, name: str) -> list[Json]:
    return list(json.loads((data / "citations" / name).read_text("utf-8")))


def text_of(html: str) -> str:
    return str(lxml.html.document_fromstring(html).text_content())


def starts(html: str, ranges: list[Json]) -> list[tuple[int, int]]:
    """Ranges of the suite (text node, UTF-16) as UTF-16 offsets of the whole text."""
    tree = lxml.html.document_fromstring(html)
    found = []
    for item in ranges:
        at = {}
        for end in ("start", "end"):
            path, want = item[f"{end}ContainerXPath"], item[f"{end}Offset"]
            (node,) = tree.xpath(path.replace("()[1]", "()") + ("[1]" if "[" in path else ""))
            before = 0
            for other in tree.xpath("//text()"):
                if other.getparent() is node.getparent() and other.is_tail == node.is_tail and str(other) == str(node):
                    break
                before += len(str(other).encode("utf-16-le")) // 2
            at[end] = before + want
        found.append((at["start"], at["end"]))
    return found


def test_quotes_with_context_are_found_where_apache_annotator_finds_them(conformance_data: Path) -> None:
    checked = 0
    for row in rows(conformance_data, "apache-annotator/text_quote_match.json"):
        selector = row["selector"]
        text = text_of(row["html"])
        if row["name"] in EXCEPTIONS:
            assert selector["exact"] == "" or selector["exact"] in text
            continue
        hay = Haystack(text)
        places, more = hay.places(selector["exact"], Step(MatchLevel.EXACT))
        kept = [p for p in places if hay.surrounded(p, selector.get("prefix", ""), selector.get("suffix", ""))]
        in_units = [tuple(from_code_points(text, at, OffsetUnit.UTF16) for at in place) for place in kept]
        assert in_units == starts(row["html"], row["expected"]), row["name"]
        assert not more
        checked += 1
    assert checked == 12 - len(EXCEPTIONS)


def test_positions_are_code_points_and_ranges_are_code_units(conformance_data: Path) -> None:
    """C17."""
    table = rows(conformance_data, "apache-annotator/text_position_match.json")
    for row in table:
        text, selector = text_of(row["html"]), row["selector"]
        span = tuple(from_code_points(text, selector[end], OffsetUnit.UTF16) for end in ("start", "end"))
        assert [span] == starts(row["html"], row["expected"]), row["name"]
    assert len(table) == 3


@pytest.mark.parametrize("page", ["minimal", "wikipedia-regression-testing"])
def test_stored_quotes_anchor_in_the_page_where_hypothesis_anchored_them(conformance_data: Path, page: str) -> None:
    folder = conformance_data / "citations/hypothesis"
    body = lxml.html.document_fromstring((folder / f"{page}.html").read_text("utf-8")).find("body")
    assert body is not None
    text = str(body.text_content())
    for row in json.loads((folder / f"{page}.json").read_text("utf-8"))["rows"]:
        by_type = {item["type"]: item for item in row["target"][0]["selector"]}
        quote, position = by_type["TextQuoteSelector"], by_type["TextPositionSelector"]
        hay = Haystack(text)
        places, _ = hay.places(quote["exact"], Step(MatchLevel.EXACT))
        kept = [p for p in places if hay.surrounded(p, quote["prefix"], quote["suffix"])]
        assert len(kept) == 1
        assert text[slice(*kept[0])] == quote["exact"]
        shift = kept[0][0] - position["start"]  # a parser may drop white space around the body
        assert abs(shift) <= 10
        assert kept[0][1] - position["end"] == shift


def test_approximate_matches_of_hypothesis_are_shown_and_never_taken(conformance_data: Path) -> None:
    """C31: their client anchors to what is alike; here that is a diagnosis."""
    suite = json.loads((conformance_data / "citations/hypothesis/match_quote.json").read_text("utf-8"))
    seen = set()
    for case in suite["cases"]:
        text = suite["texts"][case["text"]]
        seen.add(case["kind"])
        if case["kind"] == "best_context":
            found = locate_quote(text, case["quote"], case.get("prefix"), case.get("suffix"))
            if case.get("prefix", case.get("suffix")) in text and isinstance(found, Span):
                assert text[found.start :].startswith(case["expected"])
            else:
                assert not isinstance(found, Span), "context that stands nowhere is not ignored"
        elif case["kind"] == "approximate":
            nearest = locate_quote(text, case["quote"])
            assert isinstance(nearest, NotFound)
            assert case["match"].split(" ", 1)[1] in text[nearest.nearest[0].start : nearest.nearest[0].end]
        elif case["kind"] == "score_descends":
            alike = []
            for quote in case["quotes"]:
                near = locate_quote(text, quote)
                alike.append(1_000_000 if isinstance(near, Span) else near.nearest[0].similarity_ppm)
            assert alike[0] == max(alike)
            assert alike[-1] == min(alike)
        elif case["kind"] == "none":
            assert locate_quote(text, case["quote"]) == NotFound(())
        else:
            assert isinstance(locate_quote(text, case["quote"], case["prefix"]), NotFound)
    assert seen == {"best_context", "approximate", "score_descends", "none", "long_prefix"}
