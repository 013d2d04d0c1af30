"""For each finding code of an answer the smallest answer, or map, that has exactly it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from schemas.findings import FindingKind as K
from validator.cli import main

GOOD = "The barrier has 14 gates [1.1]. It closed at dawn [1.2].\n\n水门在黎明关闭。【2.1】\n\nNobody was hurt [3.1].\n"
Edit = Callable[[Any], object]


@dataclass
class Case:
    kind: K
    answer: str
    edit: Edit = lambda _: None
    exit_code: int = 1
    profile: str = "claim"


CASES = [
    Case(K.ANSWER_INVALID_CITATION, GOOD + "It opened again [3.1][9.4].\n"),
    Case(K.ANSWER_SOURCE_CITED, GOOD + "It opened again [1].\n", exit_code=0),
    Case(K.ANSWER_NO_CITATION, GOOD + "It opened again [3.1][1.2-1.1].\n", exit_code=0),
    Case(K.ANSWER_RAW_URL, GOOD + "It opened again, as https://s1.example/a says [1.1].\n"),
    Case(K.ANSWER_UNOPENED_URL, GOOD + "It opened again, as https://unopened.example/x says [1.1].\n"),
    Case(K.ANSWER_UNCITED_PARAGRAPH, GOOD + "\nExperts agree.\n"),
    Case(K.ANSWER_UNCITED_CLAIM, GOOD + "It opened again [1.1]. Experts agree on that.\n", exit_code=0),
    Case(K.ANSWER_UNCITED_CLAIM, GOOD + "It opened again [1.1]. Experts agree on that.\n", profile="strict"),
    Case(K.ANSWER_FIGURE_NOT_IN_CHUNK, GOOD + "The surge was 4.2 metres [1.2].\n", exit_code=0),
    Case(K.ANSWER_FIGURE_NOT_IN_CHUNK, GOOD + "波の高さは4.2メートルだった[1.2]。\n", exit_code=0),
    Case(K.ANSWER_FIGURE_NOT_IN_CHUNK, GOOD + "水门有１５座［１．１］。\n", exit_code=0),
    Case(K.ANSWER_UNCITED_SOURCE, GOOD.replace("Nobody was hurt [3.1].", "It closed [1.2]."), exit_code=0),
    Case(K.MAP_CHUNK_SPAN, GOOD, lambda m: m["sources"][0]["chunks"][0].update(char_end=921)),
    Case(K.MAP_CHUNK_ID, GOOD, lambda m: m["sources"][0]["chunks"][0].update(source_id=2)),
    Case(K.MAP_DUPLICATE_ID, GOOD, lambda m: m["sources"][0]["chunks"].append(m["sources"][0]["chunks"][0])),
]


@pytest.fixture
def check(tmp_path: Path, map_document, capsysbinary) -> Callable[..., tuple[int, Any]]:
    def run(answer: str, edit: Edit = lambda _: None, profile: str = "claim") -> tuple[int, Any]:
        document = map_document()
        edit(document)
        (tmp_path / "answer.md").write_text(answer, encoding="utf-8")
        (tmp_path / "map.json").write_text(json.dumps(document), encoding="utf-8")
        arguments = ["answer", str(tmp_path / "answer.md"), "--map", str(tmp_path / "map.json"), "--profile", profile]
        code = main([*arguments, "--format", "json"])
        out = capsysbinary.readouterr().out
        return code, json.loads(out) if out else None

    return run


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind.code}-{case.profile}")
def test_each_fault_of_an_answer_is_found_and_nothing_else(case: Case, check) -> None:
    """R107, R113, R115, R117, R118, R123, X11, X12, X22."""
    code, report = check(case.answer, case.edit, case.profile)
    assert [one["code"] for one in report["findings"]] == [case.kind.code]
    assert code == case.exit_code == report["exit_code"]
    assert report["profile"] == case.profile


def test_a_grounded_answer_is_clean_and_says_what_was_looked_at(check) -> None:
    """R109, R112, R116."""
    for more in ("水门有１４座［１．１］。\n", "بوابة ١٤ [١.١].\n"):  # digits are those of any script
        assert check(GOOD + more)[1]["findings"] == []
    code, report = check(GOOD)
    assert (code, report["findings"]) == (0, [])
    assert report["checked"] == {"chunks": 4, "citations": 4, "paragraphs": 3, "sentences": 4}


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("It opened [1.2-1.1].", "a range from the lower number to the higher"),
        ("It opened [1.1–3.1].", "a range within one source"),
        ("It opened [1.1-1.90].", "a range of at most 50"),
        ("It opened [01.1].", "numbers from 1, without a nought before them"),
        ("It opened [1.1.1].", "ids of one source and one chunk"),
        ("水门打开了〔１．１〕。", "square brackets"),
        ("It opened (1.1, 1.2).", "square brackets"),
        ("It opened [1.1).", "square brackets"),
        ("It opened [see 1.1].", "ids and nothing else in the bracket"),
    ],
)
def test_what_looks_like_a_citation_and_is_none_is_told_with_what_is_wrong(check, sentence: str, wanted: str) -> None:
    _, report = check(f"{GOOD}{sentence}\n", profile="paragraph")
    (one,) = report["findings"]
    assert one["code"] == K.ANSWER_NO_CITATION.code
    assert one["expected"].startswith(wanted)


def test_intervals_measures_and_the_labels_of_footnotes_are_no_such_thing(check) -> None:
    """C21."""
    more = "It rose (1.1) by x[0], in [0.5, 1.5], 95% CI [1.3-1.1], 〔注〕, version (7.3.1), and so[^14] [1.1].\n"
    code, report = check(f"{GOOD}{more}\n[^14]: It closed [1.2].\n", profile="strict")
    told = {one["code"]: one["expected"] for one in report["findings"]}
    assert set(told) == {K.ANSWER_FIGURE_NOT_IN_CHUNK.code}
    assert (code, "14" in told[K.ANSWER_FIGURE_NOT_IN_CHUNK.code]) == (0, False)


def test_nothing_is_no_pass(check) -> None:
    for answer in ("", "# Only a heading [1.1]\n", "```\ncode [1.1]\n```\n"):
        code, report = check(answer)
        assert code == 1
        assert report["findings"][0]["code"] == K.ANSWER_EMPTY.code


def test_a_citation_per_paragraph_is_all_that_profile_paragraph_asks(check) -> None:
    """R115, X22."""
    code, report = check(GOOD + "It opened again [1.1]. Experts agree on that.\n", profile="paragraph")
    assert (code, report["findings"]) == (0, [])


def test_citations_of_code_are_none_and_its_bytes_are_left_alone(check) -> None:
    """C11."""
    code, _ = check(GOOD + "\n```python\nx = arr[9.9]  # https://code.example/\n```\n")
    assert code == 0


@pytest.mark.parametrize("map_text", ["{}", "[", '{"schema": "citevault/source-map@9"}'])
def test_what_is_no_map_is_bad_input(tmp_path: Path, map_text: str, capsysbinary) -> None:
    (tmp_path / "answer.md").write_bytes(b"x [1.1]")
    (tmp_path / "map.json").write_text(map_text)
    assert main(["answer", str(tmp_path / "answer.md"), "--map", str(tmp_path / "map.json")]) == 2
    assert b"no source map" in capsysbinary.readouterr().err


def test_an_answer_longer_than_models_write_is_bad_input(tmp_path: Path, capsysbinary) -> None:
    (tmp_path / "answer.md").write_bytes(b"x " * 2**20 + b"x")
    assert main(["answer", str(tmp_path / "answer.md"), "--map", str(tmp_path / "none.json")]) == 2
    told = capsysbinary.readouterr().err
    assert b"larger than 2097152 bytes; split it at a heading, and check each part against the same map" in told


def test_an_answer_that_is_no_text_is_bad_input(tmp_path: Path, capsysbinary) -> None:
    (tmp_path / "answer.md").write_bytes(b"\xff\xfe")
    assert main(["answer", str(tmp_path / "answer.md"), "--map", str(tmp_path / "none.json")]) == 2
    assert b"UTF-8" in capsysbinary.readouterr().err
