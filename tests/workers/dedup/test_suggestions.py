"""Sources that may be one: syndicated stories, rewrites of a release, one author, a declared canonical (R070)."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date

import pytest

from workers.dedup.credits import credits_of
from workers.dedup.quantities import quantities
from workers.dedup.suggestions import Story, authors_of, sentences_of, suggestions

RELEASE = (
    "The new works at Leer will build four thousand pumps a year from autumn on, said the company on Tuesday. "
    "It is to cost 12.5 million euros, of which the state pays a third, and to give work to 400 people. "
    "Nothing like it has been built in the north since the old yard was closed in 1988, said its chief executive."
)


def story(name: str, text: str, **fields: object) -> Story:
    url = f"https://{name}.example/"
    given: dict[str, object] = {
        "source_id": f"src-{name}",
        "url": url,
        "group": f"site:{name}.example",
        "credits": credits_of(text, normalized_url=url),
        "quantities": quantities(text),
        "sentences": sentences_of(text),
        **fields,
    }
    return Story(**given)  # type: ignore[arg-type]


def told(*stories: Story) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.kind, one.subject, one.source_ids) for one in suggestions(stories)]


def test_rewrites_of_one_agency_story_are_suggested() -> None:
    one = story("a", "BERLIN (dpa) - Pumps for Leer.\nThe yard gets 400 people, 12.5 million and 4000 pumps.\n")
    other = story("b", "Leer baut auf.\n400 Leute, 12.5 Millionen, 4000 Pumpen im Jahr.\nQuelle: dpa\n")
    assert told(one, other) == [("agency", "dpa", ("src-a", "src-b"))]


def test_two_stories_of_one_agency_on_two_things_are_not() -> None:
    one = story("a", "BERLIN (dpa) - Pumps for Leer.\nThe yard gets 400 people.\n", title="Pumps")
    other = story("b", "Wetter bleibt mild.\nQuelle: dpa\n", title="Wetter")
    assert told(one, other) == []


def test_an_agencys_stories_of_other_days_are_not_one() -> None:
    day, later = date(2026, 5, 3), date(2026, 5, 20)
    one = story("a", "(Reuters) - Oil rises.\n", title="Oil rises again", published=day)
    other = story("b", "(Reuters) - Oil rises.\n", title="Oil rises again", published=later)
    assert told(one, other) == []


def test_rewrites_of_one_release_are_suggested_by_their_sentences() -> None:
    first, second, third = RELEASE.split(". ", 2)
    one = story("a", f"{RELEASE} We asked around: nobody knew of it before.\n")
    other = story("b", f"Good news from Leer. {third} {second}. More in the paper of tomorrow.\n")
    assert told(one, other) == [("shared-sentences", "", ("src-a", "src-b"))]
    quoting = story("c", f"A quotation only: {first}.\n")
    assert told(one, quoting) == []


def test_a_sentence_of_very_many_pages_tells_nothing() -> None:
    pages = [
        story(f"p{number}", f"Page {number} is about something else altogether. {RELEASE}\n") for number in range(30)
    ]
    assert told(*pages) == []


def test_release_wires_are_told_from_agencies() -> None:
    text = f"LEER, May 3, 2026 /PRNewswire/ -- {RELEASE}\n"
    kinds = {kind for kind, _, _ in told(story("a", text), story("b", text))}
    assert kinds == {"release", "shared-sentences"}


def test_one_author_in_one_outlet_and_teams_are_suggested() -> None:
    one = story("a", "x", authors=authors_of("Ann Lee"), publisher="The Daily")
    same = story("b", "y", authors=authors_of("LEE, Ann"), publisher="the daily")
    elsewhere = story("c", "z", authors=authors_of("Ann Lee"), publisher="Other Paper")
    assert told(one, same, elsewhere) == [("author", "ann lee", ("src-a", "src-b"))]
    paper = story("d", "u", authors=authors_of("Ann Lee; Bo Chan; Cy Dow"))
    blog = story("e", "v", authors=authors_of("Bo Chan and Ann Lee"))
    assert told(paper, blog) == [("author", "ann lee + bo chan", ("src-d", "src-e"))]


def test_a_canonical_that_names_another_source_is_a_suggestion() -> None:
    """R033: a hint, for a person; it unites nothing."""
    original = story("a", "x")
    copy = story("b", "y", canonical="https://a.example/")
    assert told(original, copy) == [("canonical", "https://a.example/", ("src-a", "src-b"))]


def test_what_counts_as_one_already_is_not_told() -> None:
    one, other = (story(name, RELEASE + "\n", group="cluster:cl-1") for name in "ab")
    assert told(one, other) == []


def test_what_a_person_has_decided_is_not_asked_again() -> None:
    """X34: set apart for good, or put into two groups; but what nobody has looked at may belong to a group."""
    one, other, third = (story(name, RELEASE + "\n") for name in "abc")
    assert told(replace(one, set_apart=True, manual=True), other) == []
    assert told(replace(one, manual=True), replace(other, manual=True)) == []
    assert told(replace(one, manual=True), third) == [("shared-sentences", "", ("src-a", "src-c"))]


@pytest.mark.parametrize("seed", range(5))
def test_suggestions_do_not_depend_on_order(seed: int) -> None:
    stories = [
        story(name, f"(AFP) - {RELEASE}\n", title="Pumps for Leer", authors=authors_of("Ann Lee")) for name in "abcd"
    ]
    shuffled = stories.copy()
    random.Random(seed).shuffle(shuffled)
    assert suggestions(shuffled) == suggestions(stories)


def test_scripts_without_spaces_are_read_too() -> None:
    text = (
        "政府は三日、北部の港に新しい工場を建てる計画を発表した。費用は十二億円で、四百人が働くことになると会社は説明した。"
        "古い造船所が閉まってから、この町にこれほど大きな工場が建つのは初めてのことになる。"
    )
    assert told(story("a", text + "\n"), story("b", "速報。" + text + "\n")) == [
        ("shared-sentences", "", ("src-a", "src-b"))
    ]
