"""From opened pages to a checked answer: `source-map`, `prompt`, `answer check`, `answer repair`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from models_plugin import KEY, ModelServer, completion

from schemas.citations.answer import read_answer
from schemas.reading import read_document
from schemas.records.source_map import SourceMap

pytestmark = pytest.mark.real
ANSWER = """# What the sources say

The barrier has 14 gates [1.1]. It closed at dawn on Monday [1.2][9.4]. The surge was 4.2 metres [1.2].

It cost two billion, says a page that nobody opened [3.4]. See https://unopened.example/x for more.

- 水门在星期一关闭。【2.1】风暴潮高3.2米［2.1］。
- Nobody was hurt, see [the report](https://s3.example/a) [3.1].
- Experts agree.

```python
gates = arr[1.1]  # https://code.example/ stays
```

Sources:

[9]: https://s1.example/a
"""
REPAIRED = """# What the sources say

The barrier has 14 gates [1.1]. It closed at dawn on Monday [1.2]. The surge was 4.2 metres [1.2].


- 水门在星期一关闭。【2.1】风暴潮高3.2米［2.1］。
- Nobody was hurt, see the report [3.1].

```python
gates = arr[1.1]  # https://code.example/ stays
```


"""


@pytest.fixture
def files(tmp_path: Path, map_document) -> tuple[str, str]:
    """A model's answer with everything wrong that R123 lists, and its map."""
    (tmp_path / "answer.md").write_text(ANSWER, encoding="utf-8")
    (tmp_path / "map.json").write_text(json.dumps(map_document()), encoding="utf-8")
    return str(tmp_path / "answer.md"), str(tmp_path / "map.json")


def test_a_source_map_holds_what_was_opened_in_chunks_of_the_stored_text(citevault, filled, tmp_path) -> None:
    """R101, R102, R103, R104, R105, R106, R122, R125, X9, X11: each chunk is its span of the text."""
    out = tmp_path / "map.json"
    pages = [
        filled.web.url("authority", "/barrier"),
        filled.web.url("courier", "/news/withdrawn"),
        "https://never.example/",
        filled.web.url("courier", "/news/tidal-barrier"),
        filled.web.url("authority", "/barrier"),
    ]
    said = citevault("source-map", "build", *pages, "--query", "How many gates?", "--run", "run-7", "-o", str(out))
    assert (said.code, said.stdout) == (0, b"")
    document = read_document(out.read_bytes(), SourceMap)
    assert isinstance(document, SourceMap), document
    assert [(one.source_id, one.search_rank) for one in document.sources] == [(1, 1), (2, 4)]
    assert [one.url for one in document.unopened] == pages[1:3], "R101: not opened or not read is not citeable"
    for source in document.sources:
        text = citevault("show", source.snapshot_id, "--text").out
        assert source.opened
        assert all(text[chunk.char_start : chunk.char_end] == chunk.text for chunk in source.chunks)
        assert [chunk.chunk_id for chunk in source.chunks] == [
            f"{source.source_id}.{place}" for place in range(1, len(source.chunks) + 1)
        ]
    shown = citevault("prompt", str(out)).out
    assert "Question: How many gates?" in shown
    assert "Chunk [1.1]" in shown
    assert citevault("source-map", "build", "https://never.example/").code == 1


def test_an_answer_is_parsed_judged_and_repaired_side_by_side(unconfigured, files, tmp_path) -> None:
    """R110-R114, R117, R121, R123, R124: invented ids, unopened pages, raw URLs, code, a list at the bottom, CJK."""
    answer, source_map = files
    said = unconfigured("answer", "check", answer, "--map", source_map, "--json")
    assert said.code == 1
    seen = said.json
    assert seen["parsed"]["detected_chunk_citations"] == ["1.1", "1.2", "9.4", "3.4", "2.1", "3.1"]
    assert seen["mechanical"]["invalid_citations"] == ["9.4", "3.4"]
    assert [one["code"] for one in seen["report"]["findings"]] == [
        "answer.invalid-citation",
        "answer.invalid-citation",
        "answer.unopened-url",
        "answer.raw-url",
        "answer.raw-url",
        "answer.uncited-claim",
        "answer.uncited-paragraph",
        "answer.uncited-paragraph",
        "answer.figure-not-in-chunk",
    ]
    assert {row["status"] for row in seen["claims"]} == {"cited", "invalid", "uncited"}
    assert "answer.invalid-citation" in unconfigured("answer", "check", answer, "--map", source_map).out
    out = tmp_path / "repaired.md"
    said = unconfigured("answer", "repair", answer, "--map", source_map, "-o", str(out), "--json")
    assert said.code == 0
    assert said.json["accepted"]
    assert [one["by"] for one in said.json["attempts"]] == ["fallback@1"]
    counted = seen["report"]["checked"]["sentences"]
    assert f"5 of {counted} sentences kept" in unconfigured("answer", "repair", answer, "--map", source_map).err
    assert out.read_text("utf-8") == REPAIRED
    assert unconfigured("answer", "check", str(out), "--map", source_map).code == 0
    assert Path(answer).read_text("utf-8") == ANSWER


def test_a_long_answer_that_is_all_wrong_has_a_long_report(unconfigured, files, tmp_path) -> None:
    """R112: a report of more bytes than an answer may have is read whole."""
    answer = tmp_path / "long.md"
    line = "A [9.9], as https://x.example/{} says. (1.1) B [1.2-1.1].\n\nC.\n\n".format("a" * 190)
    answer.write_text(line * 1_500, encoding="utf-8")
    said = unconfigured("answer", "check", str(answer), "--map", files[1], "--json")
    assert said.code == 1, said.err
    assert said.json["report"]["checked"]["findings not listed"] > 500


def test_a_sentence_whose_address_is_cut_goes_and_one_that_stays_uncited_is_told(unconfigured, files, tmp_path) -> None:
    """R119, C09: nothing is left that is neither cited nor reported."""
    _, source_map = files
    answer = tmp_path / "address.md"
    answer.write_text("It has 14 gates [1.1]. See https://example.com/x for more. Experts agree.\n", encoding="utf-8")
    said = unconfigured("answer", "repair", str(answer), "--map", source_map)
    assert (said.code, said.out) == (0, "It has 14 gates [1.1]. Experts agree.\n")
    assert (
        "line 1: sentence removed: an address was all that spoke of it\n"
        "  cut https://example.com/x: an address is no citation\n"
        "  before: See https://example.com/x for more.\n"
        "line 1: sentence kept, without a citation\n  before: Experts agree.\n" in said.err
    )
    assert "2 of 3 sentences kept, 1 without a citation; " in said.err


def test_a_program_may_repair_and_is_held_to_the_same_rules(unconfigured, files, tmp_path) -> None:
    """R119, R121: the model writes, the code decides."""
    answer, source_map = files
    good = tmp_path / "good.py"
    good.write_text("import sys\nsys.stdin.read()\nprint('The barrier has 14 gates [1.1].')\n")
    said = unconfigured("answer", "repair", answer, "--map", source_map, "--model-command", f"{sys.executable} {good}")
    assert (said.code, said.out) == (0, "The barrier has 14 gates [1.1].\n")
    liar = tmp_path / "liar.py"
    liar.write_text("print('The moon is made of green cheese, and of nothing else [1.1].')\n")
    said = unconfigured("answer", "repair", answer, "--map", source_map, "--model-command", f"{sys.executable} {liar}")
    assert (said.code, said.out) == (0, REPAIRED)
    assert "a claim was added" in said.err
    assert (
        "line 3: sentence kept\n  cut [9.4]: the map has no such id\n"
        "  before: It closed at dawn on Monday [1.2][9.4].\n  after:  It closed at dawn on Monday [1.2].\n" in said.err
    )
    assert "line 5: sentence removed: none of its citations is in the map\n  cut [3.4]: " in said.err
    assert read_answer(said.out).chunk_ids == ["1.1", "1.2", "2.1", "3.1"]


def test_a_model_at_an_endpoint_may_repair_and_what_it_says_is_checked(
    unconfigured, files, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R119, R120, R121: the endpoint of judges, its key in one header; a claim that it adds is refused."""
    answer, source_map = files
    arguments = ("answer", "repair", answer, "--map", source_map, "--model", "writer-7b")
    unset = unconfigured(*arguments)
    assert (unset.code, "CITEVAULT_JUDGE_URL" in unset.err) == (2, True)
    monkeypatch.setenv("CITEVAULT_JUDGE_URL", model.url)
    monkeypatch.setenv("CITEVAULT_JUDGE_API_KEY", KEY)
    model.answering = lambda question, before: (200, {}, completion("The barrier has 14 gates [1.1].\n"))
    said = unconfigured(*arguments)
    assert (said.code, said.out) == (0, "The barrier has 14 gates [1.1].\n")
    assert (model.asked[0]["model"], model.asked[0]["temperature"], model.keys[0]) == ("writer-7b", 0, f"Bearer {KEY}")
    assert "Chunk [1.1]" in model.asked[0]["messages"][0]["content"]
    model.answering = lambda question, before: (200, {}, completion("The moon is green cheese, and no more [1.1].\n"))
    said = unconfigured(*arguments)
    assert (said.code, said.out) == (0, REPAIRED)
    model.answering = lambda question, before: (200, {}, completion("It was", finish_reason="length"))
    cut = unconfigured(*arguments)
    assert (cut.code in (2, 3), "no whole text" in cut.err) == (True, True)
    assert KEY not in said.err + cut.err


def test_a_critical_sentence_is_not_taken_out_unless_that_is_allowed(unconfigured, files) -> None:
    """X21."""
    answer, source_map = files
    arguments = ["answer", "repair", answer, "--map", source_map, "--critical", "It cost two billion"]
    said = unconfigured(*arguments)
    assert (said.code, said.stdout) == (1, b"")
    assert "a critical claim was removed" in said.err
    assert unconfigured(*arguments, "--allow-critical").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("answer", "check", "none.md", "--map", "none.json"),
        ("answer", "repair", "ANSWER", "--map", "MAP", "--critical", "no such words"),
        ("answer", "repair", "ANSWER", "--map", "MAP", "--model-command", "/no/such/program"),
        ("answer", "check", "ANSWER", "--map", "ANSWER"),
        ("prompt", "MAP", "--chunk", "9.9"),
        ("prompt", "ANSWER"),
    ],
)
def test_bad_input_is_told(unconfigured, files, arguments) -> None:
    names = dict(zip(("ANSWER", "MAP"), files, strict=True))
    said = unconfigured(*(names.get(argument, argument) for argument in arguments))
    assert (said.code, said.stdout) == (2, b"")
    assert said.err


def test_an_answer_that_is_too_long_is_told_how_to_be_checked(unconfigured, files, tmp_path) -> None:
    """R124: a bound, and what to do where it is met."""
    long = tmp_path / "long.md"
    long.write_text("The barrier has 14 gates [1.1].\n\n" * 70_000)
    for command in ("check", "repair"):
        said = unconfigured("answer", command, str(long), "--map", files[1])
        assert (said.code, said.out, "split it at a heading" in said.err) == (2, "", True), said.err
