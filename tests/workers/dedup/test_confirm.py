from __future__ import annotations

from collections.abc import Callable

import pytest

from schemas.records.cluster import EdgeVerdict
from schemas.records.snapshot import Snapshot
from workers.dedup.confirm import judge
from workers.dedup.sighting import Sighting, sighting_of

Prose = Callable[[int, int], list[str]]
NewSnapshot = Callable[..., Snapshot]
STORY = "https://news.example/story"
PORTAL = "https://portal.example/p/1"


@pytest.fixture
def look(new_snapshot: NewSnapshot) -> Callable[..., Sighting]:
    def make(words: list[str], url: str, *, outlinks: tuple[str, ...] = (), **fields: object) -> Sighting:
        text = " ".join(words) + "\n"
        return sighting_of(text, new_snapshot(text, url, **fields), outlinks)

    return make


def with_edits(words: list[str], every: int) -> list[str]:
    """One word in so many is another one."""
    return [f"edited{at}" if at % every == every // 2 else word for at, word in enumerate(words)]


def ruling(verdict: EdgeVerdict) -> tuple[str, bool]:
    return verdict.rule, verdict.confirmed


def test_texts_that_differ_in_case_and_punctuation_are_the_same_words(
    look: Callable[..., Sighting], prose: Prose
) -> None:
    words = prose(1, 200)
    shouted = [word.upper() + "," for word in words]
    assert ruling(judge(look(words, STORY), look(shouted, PORTAL))) == ("same-words", True)


def test_a_syndicated_copy_with_small_edits_and_another_title_is_confirmed(
    look: Callable[..., Sighting], prose: Prose
) -> None:
    """R054, R058: retitled and lightly edited."""
    words = prose(1, 400)
    copy = [*prose(2, 15), *with_edits(words, 80)]
    verdict = judge(look(words, STORY, title="Dam breaks"), look(copy, PORTAL, title="Flood in the valley"))
    assert ruling(verdict) == ("overlap", True)
    assert 700_000 <= verdict.figures.shingle_jaccard_ppm < 1_000_000
    assert verdict.figures.title_ppm == 0


def test_less_overlap_needs_something_beside_the_words(look: Callable[..., Sighting], prose: Prose) -> None:
    words = prose(1, 400)
    rewritten = with_edits(words, 20)
    plain = judge(look(words, STORY), look(rewritten, PORTAL))
    assert 500_000 <= plain.figures.shingle_jaccard_ppm < 700_000
    assert ruling(plain) == ("overlap-alone", False)

    titled = judge(look(words, STORY, title="Dam breaks in May"), look(rewritten, PORTAL, title="dam breaks in may"))
    assert ruling(titled) == ("overlap-and-title", True)

    first = {"author": "Ann Lee", "published_at": "2026-08-01"}
    second = {"author": "LEE, Ann", "published_at": "2026-08-03T10:00:00Z"}
    signed = judge(look(words, STORY, **first), look(rewritten, PORTAL, **second))
    assert ruling(signed) == ("overlap-author-and-day", True)
    assert (signed.figures.same_author, signed.figures.days_apart) == (True, 2)


def test_an_excerpt_with_the_same_links_is_confirmed(look: Callable[..., Sighting], prose: Prose) -> None:
    words = prose(1, 400)
    links = ("https://a.example/", "https://b.example/", "https://c.example/")
    verdict = judge(look(words, STORY, outlinks=links), look(words[:250], PORTAL, outlinks=links))
    assert ruling(verdict) == ("contained-and-links", True)
    assert verdict.figures.containment_ppm == 1_000_000
    assert verdict.figures.outlinks_ppm == 1_000_000


def test_two_texts_on_one_subject_stay_apart(look: Callable[..., Sighting], prose: Prose) -> None:
    quote = prose(9, 60)
    one, other = [*prose(1, 200), *quote], [*prose(2, 200), *quote]
    assert ruling(judge(look(one, STORY, title="Dam"), look(other, PORTAL, title="Dam"))) == ("low-overlap", False)


def test_template_pages_of_one_site_stay_apart(look: Callable[..., Sighting], prose: Prose) -> None:
    """C43: the same boilerplate around another content is not the same content."""
    frame = prose(5, 500)
    lamp = look([*prose(1, 20), *frame], "https://shop.example/lamp", title="Blue lamp")
    chair = look([*prose(2, 20), *frame], "https://shop.example/chair", title="Red chair")
    verdict = judge(lamp, chair)
    assert verdict.figures.shingle_jaccard_ppm > 800_000
    assert ruling(verdict) == ("same-site-other-title", False)


def test_titles_that_name_other_numbers_are_other_titles(look: Callable[..., Sighting], prose: Prose) -> None:
    frame = prose(5, 300)
    title = "Minutes of the meeting of the town council on {} May 2026"
    one = look([*prose(1, 9), *frame], "https://town.example/1", title=title.format(3))
    other = look([*prose(2, 9), *frame], "https://town.example/2", title=title.format(10))
    assert ruling(judge(one, other)) == ("same-site-other-title", False)


def test_one_resource_under_a_new_title_is_still_itself(look: Callable[..., Sighting], prose: Prose) -> None:
    words = prose(1, 300)
    before = look(words, STORY, title="Dam may break")
    after = look(with_edits(words, 100), STORY, title="Dam breaks, hundreds flee")
    assert ruling(judge(before, after)) == ("overlap", True)


def test_a_form_used_again_years_later_by_somebody_else_is_another_story(
    look: Callable[..., Sighting], prose: Prose
) -> None:
    words = prose(1, 400)
    then = look(words, STORY, title="Grand opening in Denver", author="Ann Lee", published_at="2019-01-01")
    now = look(
        with_edits(words, 60), PORTAL, title="New office for Boston", author="Bo Chan", published_at="2026-01-01"
    )
    assert ruling(judge(then, now)) == ("other-title-author-and-year", False)


def test_a_canonical_that_every_page_shares_merges_nothing(look: Callable[..., Sighting], prose: Prose) -> None:
    """R033, R034, R035, C45: a canonical alone is never a reason, so no check of its target can be fooled."""
    home = "https://shop.example/"
    lamp = look(prose(1, 100), home + "lamp", title="Lamp", declared_canonical=home)
    chair = look(prose(2, 100), home + "chair", title="Chair", declared_canonical=home)
    assert not judge(lamp, chair).confirmed


@pytest.mark.parametrize(
    "declared",
    [
        "https://news.example/",  # misconfigured: every page names the front page
        "https://portal.example/p/1",  # the other page itself
        "https://bank.example/login",  # malice, or a mistake: a page of strangers
        "https://news.example/gone",  # a target that nobody can retrieve
    ],
)
@pytest.mark.parametrize("copied", [True, False])
def test_no_canonical_changes_a_verdict(
    declared: str, copied: bool, look: Callable[..., Sighting], prose: Prose
) -> None:
    """R033, R034, R035: a copy is one without it, and another text is none with it."""
    other = look(with_edits(prose(1, 200), 100) if copied else prose(2, 200), PORTAL, title="Dam")
    plain = judge(look(prose(1, 200), STORY, title="Dam"), other)
    assert judge(look(prose(1, 200), STORY, title="Dam", declared_canonical=declared), other) == plain
    assert plain.confirmed is copied


def test_the_publishers_name_is_no_part_of_a_title(look: Callable[..., Sighting], prose: Prose) -> None:
    words = prose(1, 50)
    one = look(words, STORY, title="Dam breaks | The Daily Example", publisher="The Daily Example")
    other = look(words, PORTAL, title="Dam breaks")
    assert judge(one, other).figures.title_ppm == 1_000_000


def test_words_and_characters_are_not_compared(look: Callable[..., Sighting]) -> None:
    one = look(["word"] * 30, STORY)
    other = look(["東京で発表された新しい計画" * 5], PORTAL)
    assert ruling(judge(one, other)) == ("not-comparable", False)


def test_a_japanese_copy_with_small_edits_is_confirmed(look: Callable[..., Sighting]) -> None:
    story = "".join(chr(0x4E00 + (at * 7919) % 5000) + ("の" if at % 3 else "は") for at in range(300))
    copy = "速報。\n" + story.replace(story[100:102], "新聞")
    assert judge(look([story], STORY), look([copy], PORTAL)).confirmed


def test_the_verdict_does_not_depend_on_the_order_of_the_pair(look: Callable[..., Sighting], prose: Prose) -> None:
    one = look(prose(1, 100), STORY, title="A b c", author="Ann", published_at="2026-01-01")
    other = look(with_edits(prose(1, 100), 30), PORTAL, title="B c d", author="Bo", published_at="2026-02-01")
    assert judge(one, other) == judge(other, one)
    assert judge(one, other).a < judge(one, other).b


@pytest.mark.parametrize("told", ["2199-01-01", "yesterday", "2026-13-01", "20260801"])
def test_a_date_that_cannot_be_true_or_read_counts_for_nothing(
    told: str, look: Callable[..., Sighting], prose: Prose
) -> None:
    one = look(prose(1, 50), STORY, published_at=told)
    other = look(prose(1, 50), PORTAL, published_at="2026-08-01")
    assert judge(one, other).figures.days_apart is None
