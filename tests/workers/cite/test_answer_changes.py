"""What became of an answer is told sentence by sentence, and of each citation and address that is gone."""

from __future__ import annotations

from collections import Counter

from schemas.citations.answer import known_ids
from workers.cite.answer_changes import ADDRESS, LEFT_OUT, UNKNOWN, _sentences, changes_between


def test_what_became_of_each_sentence_is_told() -> None:
    before = "The barrier has 14 gates [1.1]. It closed at dawn on Monday [1.2]. Experts agree [9.9]."
    after = "The barrier has 14 gates [1.1]. It closed at dawn on Sunday [1.2]. A new one was built [1.1]."
    told = [(one.kind, one.critical) for one in changes_between(before, after, ["closed at dawn"])]
    assert told == [("kept", False), ("changed", True), ("removed", False), ("added", False)]


def test_losing_its_citation_is_a_change_of_a_sentence() -> None:
    (one,) = changes_between("It closed at dawn [1.2].", "It closed at dawn.")
    assert one.kind == "changed"


def test_a_citation_that_was_cut_out_is_told_with_its_place_and_reason(source_map) -> None:
    """C09: never silently, also where another citation keeps the sentence."""
    before = "One [1.1].\n\nIt closed [1.2][9.4], see https://a.example/x. It opened [9.9]. It fell [1.1, 2.1]."
    after = "One [1.1].\n\nIt closed [1.2], see. It fell [1.1]."
    told = changes_between(before, after, known=known_ids(source_map))
    assert [(one.kind, one.line, one.why, [(cut.what, cut.why) for cut in one.cuts]) for one in told] == [
        ("kept", 1, None, []),
        ("changed", 3, None, [("[9.4]", UNKNOWN), ("https://a.example/x", ADDRESS)]),
        ("removed", 3, "none of its citations is in the map", [("[9.9]", UNKNOWN)]),
        ("kept", 3, None, [("[2.1]", LEFT_OUT)]),
    ]
    assert (told[3].stood, told[3].stands) == ("It fell [1.1, 2.1].", "It fell [1.1].")


def test_an_address_that_is_gone_makes_no_other_sentence(source_map) -> None:
    before, after = "See https://a.example/x/y?z=1 or [it](https://b.example/) [1.1].", "See or it [1.1]."
    (one,) = changes_between(before, after, known=known_ids(source_map))
    assert (one.kind, [cut.why for cut in one.cuts]) == ("changed", [ADDRESS, ADDRESS])


def test_a_sentence_that_nothing_speaks_for_says_so() -> None:
    (one,) = changes_between("Experts agree.", "")
    assert (one.kind, one.why) == ("removed", "no citation speaks of it")


def test_a_note_that_goes_with_its_mark_says_so() -> None:
    _, mark, note = changes_between("One [1.1].\n\nIt[^1] is so.\n\n[^1]: Two ships [1.2].\n", "One [1.1].\n\n\n")
    assert (mark.why, note.why) == ("no citation speaks of it", "nothing leads to its footnote any more")


def test_what_became_of_a_long_answer_is_told_in_time() -> None:
    """R121: neither a sentence that is gone nor one that moved is compared with every other."""
    lines = [f"Gate{n} pier{n} wall{n} quay{n} shut{n}, as https://x{n}.example says.\n\n" for n in range(2_000)]
    changes = changes_between("".join(lines), "".join(lines[1::2]))
    assert Counter(one.kind for one in changes) == {"removed": 1_000, "kept": 1_000}
    assert [one.urls for one in _sentences(lines[7])] == [("https://x7.example",)]
    moved = changes_between("".join(lines[:50]), "".join(reversed(lines[:50])))
    assert {one.kind for one in moved} == {"kept"}
