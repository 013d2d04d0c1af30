"""Repair takes away what may not stand, tells what it did, and touches nothing else."""

from __future__ import annotations

import asyncio

import pytest

from schemas.canonical import canonical_sha256
from schemas.citations.answer import (
    claims_document,
    known_ids,
    mechanical_document,
    parsed_document,
    read_answer,
)
from workers.cite.prompt import RULES, render_prompt
from workers.cite.repair import repair_prompt, without_model
from workers.flows.repair import Checked, repair_answer


def fixed(answer: str, source_map, *, every_sentence: bool = False) -> str:
    return without_model(read_answer(answer), source_map, every_sentence=every_sentence)


@pytest.mark.parametrize(
    ("answer", "repaired"),
    [
        ("It closed [1.1][9.4].", "It closed [1.1]."),
        ("It closed [1.1, 9.4].", "It closed [1.1]."),
        ("It closed [9.4]. It opened [1.1].", "It opened [1.1]."),
        ("It closed [1.1]. It opened [9.4].", "It closed [1.1]. "),
        ("It closed 【9.4】。它打开了【2.1】。", "它打开了【2.1】。"),
        ("See [the page](https://s1.example/a) [1.1].", "See the page [1.1]."),
        ("See <https://s1.example/a> [1.1].", "See [1.1]."),
        ("One [1.1]. See https://a.example/x for more. Two [1.2].", "One [1.1]. Two [1.2]."),
        ("One [1.1]. https://a.example/x says so.", "One [1.1]. "),
        ("One [1.1]. The [page](https://a.example/x) says so. Two [1.2].", "One [1.1]. Two [1.2]."),
        ("See https://a.example/x for more.\n\nOne [1.1].", "\nOne [1.1]."),
        ("One [1.1].\n\nTwo.\n\nThree [1.2].\n", "One [1.1].\n\n\nThree [1.2].\n"),
        ("- One [1.1].\n- Two [9.9].\n- Three [3.1].\n", "- One [1.1].\n- Three [3.1].\n"),
        ("One [1.1].\n\n```\nx[9.9] https://a.example\n```\n", "One [1.1].\n\n```\nx[9.9] https://a.example\n```\n"),
        ("One [1.1].\n\nA note[^1] says so.\n\n[^1]: Two [1.2].\n", "One [1.1].\n\n\n"),
        ("One [1.1][^a].\n\n[^a]: See two.\n[^b]: By [1.2].\n", "One [1.1][^a].\n\n[^a]: See two.\n[^b]: By [1.2].\n"),
        ("One[^a] [1.1].\n\n[^a]: Two [9.9].\n", "One [1.1].\n\n"),
        (
            "One[^a] [1.1].\n\n[^a]: See two[^b].\n\n[^b]: Three [1.2].\n\n[^c]: Four [1.1].\n",
            "One [1.1].\n\n\n\n[^c]: Four [1.1].\n",
        ),
        ("# Head\n\nOne [1.1].\r\n\r\n[9]: https://a.example/\r\n", "# Head\n\nOne [1.1].\r\n\r\n"),
    ],
)
def test_what_may_not_stand_goes_and_every_other_byte_stays(source_map, answer: str, repaired: str) -> None:
    """R117, R119, C01, C11: a good citation beside a bad one survives."""
    assert fixed(answer, source_map) == repaired


def test_a_sentence_without_citation_goes_only_where_each_one_needs_one(source_map) -> None:
    answer = "One [1.1]. Experts agree. Two [1.2]."
    assert fixed(answer, source_map) == answer
    assert fixed(answer, source_map, every_sentence=True) == "One [1.1]. Two [1.2]."


def test_repair_never_attaches_a_citation(source_map) -> None:
    """X21."""
    repaired = fixed("The barrier has 14 gates. Nobody was hurt [9.1].", source_map)
    assert read_answer(repaired).citations == ()


async def strict_check(text: str) -> Checked:
    """Enough of a checker for the loop: every citation is known, and there is one."""
    parsed = read_answer(text)
    bad = [name for name in parsed.chunk_ids if name not in ("1.1", "1.2", "2.1", "3.1")]
    errors = [f"answer.invalid-citation: {name}" for name in bad] or ([] if parsed.citations else ["answer.empty"])
    return Checked(not errors, tuple(errors))


def repair(answer: str, source_map, *models: str, **options):
    said = iter(models)
    asked: list[str] = []

    async def ask(prompt: str) -> str:
        asked.append(prompt)
        return next(said)

    done = asyncio.run(repair_answer(answer, source_map, strict_check, ask=ask if models else None, **options))
    assert done.evidence_sha256 == canonical_sha256(source_map), "evidence before is evidence after"
    return done, asked


BAD = "The barrier has 14 gates [1.1]. It closed at dawn [9.4]."


def test_a_model_is_asked_with_the_same_chunks_and_the_errors(source_map) -> None:
    """R119, R120: nothing is searched for again."""
    done, asked = repair(BAD, source_map, "The barrier has 14 gates [1.1]. It closed at dawn [1.2].")
    assert done.text == "The barrier has 14 gates [1.1]. It closed at dawn [1.2]."
    assert [one.by for one in done.attempts] == ["model"]
    (prompt,) = asked
    assert "answer.invalid-citation: 9.4" in prompt
    assert all(chunk.text in prompt for source in source_map.sources for chunk in source.chunks)
    assert BAD in prompt


def test_a_model_that_adds_claims_or_invents_ids_is_refused_and_the_plain_way_taken(source_map) -> None:
    """R121, C03: bounded, and fails closed."""
    worse = BAD + " The moon is made of cheese and of nothing else [1.1]."
    done, asked = repair(BAD, source_map, worse, worse.replace("9.4", "1.2"))
    assert len(asked) == 2
    assert [bool(one.refused) for one in done.attempts] == [True, True, False]
    assert done.attempts[-1].by == "fallback@1"
    assert done.text == "The barrier has 14 gates [1.1]. "


def test_a_critical_claim_goes_only_where_that_is_allowed(source_map) -> None:
    """X21: reported, and never by default."""
    done, _ = repair(BAD, source_map, critical=["closed at dawn"])
    assert done.text is None
    assert [(one.kind, one.critical) for one in done.changes][-1] == ("removed", True)
    allowed, _ = repair(BAD, source_map, critical=["closed at dawn"], allow_critical=True)
    assert allowed.text == "The barrier has 14 gates [1.1]. "


def test_a_clean_answer_is_given_back_as_it_is(source_map) -> None:
    done, asked = repair("The barrier has 14 gates [1.1].", source_map, "never asked")
    assert (done.text, asked, done.attempts) == ("The barrier has 14 gates [1.1].", [], ())


def test_a_prompt_has_five_rules_and_the_selected_chunks_alone(source_map) -> None:
    """R108, R123: no id stands in the rules that a model could copy."""
    prompt = render_prompt(source_map, "What of it?", {"1.2", "2.1"})
    assert len(RULES) == 5
    assert read_answer("\n\n".join(RULES)).citations == ()
    assert [one.ids for one in read_answer(prompt).citations if one.chunk_ids] == [("1.2",), ("2.1",)]
    assert "Source [1]: Source 1\nURL: https://s1.example/a\n\nChunk [1.2]\nIt closed at dawn" in prompt
    assert "Source [3]" not in prompt
    assert repair_prompt(source_map, "An answer.", []).endswith("\n")


def test_the_parsers_word_and_the_mechanical_result_have_the_seeds_shape(source_map) -> None:
    """R110, R111, R112, R113, R114: spans are right where the seed's were not (X12)."""
    text = "It closed [1.2], it opened [9.4]. See https://a.example/x. All of [2]."
    parsed = read_answer(text)
    document = parsed_document(parsed)
    assert document["detected_chunk_citations"] == ["1.2", "9.4"]
    assert document["detected_source_citations"] == ["2"]
    assert document["detected_urls"] == ["https://a.example/x"]
    spans = document["citation_spans"]
    assert isinstance(spans, list)
    assert all(text[one["start"] : one["end"]] == one["citation"] for one in spans)  # type: ignore[index,call-overload]
    assert mechanical_document(parsed, source_map) == {
        "valid_citations": ["2", "1.2"],
        "invalid_citations": ["9.4"],
        "uncited_sources": [3],
        "warnings": ["[2] names a source, not a chunk"],
    }
    rows = claims_document(parsed, source_map)
    assert [row["status"] for row in rows] == ["invalid", "uncited", "cited"]  # type: ignore[index,call-overload]
    assert known_ids(source_map) == {"1", "2", "3", "1.1", "1.2", "2.1", "3.1"}


@pytest.mark.parametrize("title", ["# The gate\n\n", "# The gate\n", "The gate\n========\n\n", "## The gate [1.1]\n\n"])
def test_a_heading_is_no_claim(source_map, title: str) -> None:
    """R114."""
    rows = claims_document(read_answer(f"{title}It closed [1.2]."), source_map)
    assert [(row["claim"], row["status"]) for row in rows] == [  # type: ignore[index,call-overload]
        ("It closed [1.2].", "cited")
    ]


def test_a_long_answer_is_repaired_in_time(source_map) -> None:
    """R120: each sentence is looked at once, with the blocks and ids that concern it."""
    text = "".join(f"Gate {number} [{'1.1' if number % 2 else '9.1'}].\n\n" for number in range(10_000))
    assert without_model(read_answer(text), source_map, every_sentence=True).count("[1.1]") == 5_000


def test_what_looks_like_a_citation_is_named_in_the_reason(source_map) -> None:
    """R114: whoever reads the rows alone learns why a sentence that seems cited is not."""
    rows = claims_document(
        read_answer("It has (1.1, 1.2) gates. It closed [1.2].\n\nIt rose [1.2][1.2-1.1]."), source_map
    )
    assert [(row["status"], row["reason"]) for row in rows] == [  # type: ignore[index,call-overload]
        ("uncited", "no citation speaks of it; (1.1, 1.2) is no citation, wanted: square brackets, as in [1.2]"),
        ("cited", "every id is in the map"),
        (
            "cited",
            "every id is in the map; [1.2-1.1] is no citation, wanted: "
            "a range from the lower number to the higher, as in [1.2-1.4]",
        ),
    ]


def test_the_first_row_of_a_table_is_no_claim(source_map) -> None:
    rows = claims_document(read_answer("| Gate | State |\n|---|---|\n| North | It closed [1.2] |\n"), source_map)
    assert "Gate" not in "".join(str(row["claim"]) for row in rows)  # type: ignore[index,call-overload]
    assert [row["status"] for row in rows] == ["cited"]  # type: ignore[index,call-overload]


@pytest.mark.parametrize("written", ["**It rose.**", "_It rose._", "***It rose.***", "“**It rose.**”"])
def test_emphasis_is_a_part_of_the_sentence_that_it_marks(written: str, source_map) -> None:
    """C13: what is uncited does not ride on the citation of the next sentence, nor lose one mark of two."""
    parsed = read_answer(f"{written} It closed [1.2].")
    assert [parsed.text[one.start : one.end] for one in parsed.sentences] == [written, "It closed [1.2]."]
    assert without_model(parsed, source_map, every_sentence=True) == "It closed [1.2]."
    whole = read_answer("**1.** It closed [1.2]. **Dr.** Ada [1.1]. _Prof._ Li [1.1].")
    assert all(one.citations for one in whole.sentences)
