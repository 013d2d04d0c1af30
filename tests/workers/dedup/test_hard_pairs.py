"""Pairs on which others err: forms, frames, changed figures, pages of one article, live pages, translations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.records.cluster import EdgeVerdict
from schemas.records.snapshot import Snapshot
from workers.dedup import confirm
from workers.dedup.confirm import RULE_WORDS, judge
from workers.dedup.sighting import Sighting, sighting_of

Prose = Callable[[int, int], list[str]]
Look = Callable[..., Sighting]

STORY = (
    "The barrier at the mouth of the Ems closed for the first time this winter on Tuesday evening, when a storm from "
    "the north-west pushed the water in the estuary to a level that had not been seen since 2013. Engineers said that "
    "all seven gates had come down within half an hour, and that the dikes behind them were never in danger. "
    "The state office for water put the costs of the season at 4.2 million euros, a third more than a year before, "
    "and said that unemployment in the three districts, at 3 % in March, had no part in its plans. Farmers on the "
    "islands had asked for a second barrier since the flood of 1962; a study that the ministry ordered in spring found "
    "that it would cost twenty times what it could save. Critics of the study point out that it counts houses only, "
    "and neither harbours nor the meadows on which birds rest in autumn. A decision is not expected before summer. "
    "Until then the old wall at Knock will be raised by a hand's breadth, as it was after every storm of the last "
    "century, with clay that is brought by ship from a pit near Leer."
)
NOTICE = (
    "This page may contain statements about the future. They rest on what the management expects today, and on "
    "assumptions that may turn out to be wrong; results may differ from them materially. Nobody undertakes to bring "
    "them up to date. The information on this page is no offer to sell and no invitation to buy securities in any "
    "country in which such an offer would be against the law. Securities may not be offered or sold without "
    "registration or an exemption from it. All rights in names and marks belong to those who own them. Reproduction, "
    "in whole or in part, needs consent in writing. We use cookies to count our visitors and to remember what they "
    "like; by going on you agree to that. Complaints are heard by the court at the seat of the company, and the law "
    "of that country applies, without its rules on conflicts of laws. If a part of these terms is void, the others "
    "stand, and what comes closest to its purpose takes its place."
)


@pytest.fixture
def look(new_snapshot: Callable[..., Snapshot]) -> Look:
    def make(text: str, url: str, **fields: object) -> Sighting:
        return sighting_of(text + "\n", new_snapshot(text + "\n", url, **fields), ())

    return make


def ruling(one: Sighting, other: Sighting) -> tuple[str, bool]:
    verdict = judge(one, other)
    return verdict.rule, verdict.confirmed


def tells_other_figures(verdict: EdgeVerdict) -> bool:
    return verdict.figures.numbers_ppm is not None and verdict.figures.numbers_ppm < 1_000_000


def test_a_mirror_with_another_figure_is_one_story_and_its_verdict_says_so(look: Look) -> None:
    """C23: apart they would count as two sources; merged without a word, one figure would pass for the other."""
    here = look(STORY, "https://news.example/ems", title="Barrier closes")
    there = look(STORY.replace("3 %", "5 %"), "https://mirror.example/1", title="Barrier closes")
    verdict = judge(here, there)
    assert verdict.confirmed
    assert tells_other_figures(verdict)
    assert verdict.figures.shingle_jaccard_ppm < 1_000_000


@pytest.mark.parametrize(("was", "became"), [("4.2", "4,2"), ("4.2 million", "4-2 million"), ("3 %", "<3 %")])
def test_words_that_are_the_same_may_still_tell_another_figure(was: str, became: str, look: Look) -> None:
    verdict = judge(look(STORY, "https://a.example/"), look(STORY.replace(was, became), "https://b.example/"))
    assert (verdict.rule, verdict.confirmed) == ("same-words", True)
    assert tells_other_figures(verdict)


def test_a_copy_that_tells_the_same_figures_says_so_too(look: Look) -> None:
    verdict = judge(look(STORY, "https://a.example/"), look("Breaking. " + STORY, "https://b.example/"))
    assert verdict.figures.numbers_ppm == 1_000_000


def forecast(numbers: list[int], words: list[str]) -> str:
    parts = [
        STORY[:400],
        *(f"On {word} we expect {number} degrees." for word, number in zip(words, numbers, strict=True)),
    ]
    return " ".join(parts)


def test_daily_pages_of_one_form_stay_apart(look: Look) -> None:
    """C43: one site, one title, the same words every day, other numbers."""
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    then = look(forecast([3, 5, 8, 9, 11], days), "https://w.example/2026-05-03", title="The weather on the coast")
    now = look(forecast([13, 15, 18, 19, 21], days), "https://w.example/2026-05-04", title="The weather on the coast")
    assert ruling(then, now) == ("same-site-other-numbers", False)


def test_a_form_of_two_sites_is_not_one_story(look: Look) -> None:
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    here = look(forecast([3, 5, 8, 9, 11], days), "https://a.example/", title="The weather on the coast")
    there = look(forecast([13, 15, 18, 19, 21], days), "https://b.example/", title="The weather on the coast")
    verdict = judge(here, there)
    assert 500_000 <= verdict.figures.shingle_jaccard_ppm < 900_000
    assert (verdict.rule, verdict.confirmed) == ("form-other-numbers", False)


def test_template_pages_without_titles_stay_apart(look: Look, prose: Prose) -> None:
    frame = " ".join(prose(5, 500))
    lamp, chair = (" ".join(prose(seed, 40)) + " " + frame for seed in (1, 2))
    one, other = look(lamp, "https://shop.example/lamp"), look(chair, "https://shop.example/chair")
    assert ruling(one, other) == ("same-site-other-opening", False)


def test_a_legal_notice_that_two_sites_share_does_not_make_their_stories_one(look: Look) -> None:
    terms = NOTICE + " " + " ".join(reversed(NOTICE.split()))
    moves = "Acme moves its works to Leer. Four hundred people will build pumps there from autumn on, said its chief."
    record = "Bolt & Co. reports a record year. Sales of screws rose in every country, and the dividend is doubled too."
    acme = look(f"{moves} {terms}", "https://acme.example/news/1", title="Acme moves to Leer")
    bolt = look(f"{record} {terms}", "https://bolt.example/press/7", title="Record year for Bolt")
    verdict = judge(acme, bolt)
    assert verdict.figures.shingle_jaccard_ppm > 700_000
    assert (verdict.rule, verdict.confirmed) == ("shared-frame", False)


def test_a_copy_under_a_title_and_a_beginning_of_its_own_is_still_the_story(look: Look) -> None:
    """R054: what the title says stands in the text that both have."""
    first, rest = STORY.split(". ", 1)
    copied = (
        "You will not believe what happened in the north this week, and what comes next for all who live there. " + rest
    )
    here = look(STORY, "https://news.example/ems", title="Barrier closes for the first time")
    there = look(copied, "https://farm.example/9", title="Farmers angry about dikes")
    verdict = judge(here, there)
    assert verdict.figures.opening_ppm is not None
    assert verdict.figures.opening_ppm < 200_000
    assert (verdict.rule, verdict.confirmed) == ("overlap", True)
    assert first not in copied


def test_pages_of_one_article_are_told_from_each_other_and_known_in_the_whole(look: Look, prose: Prose) -> None:
    first, second = " ".join(prose(1, 300)), " ".join(prose(2, 200))
    site = "https://magazine.example/long-read"
    one = look(first, site, title="The long read")
    two = look(second, site + "?page=2", title="The long read")
    whole = look(first + " " + second, site + "?view=all", title="The long read")
    assert ruling(one, two) == ("low-overlap", False)
    assert ruling(one, whole) == ("overlap-and-title", True)


def test_a_live_page_that_has_grown_far_is_another_text_of_one_source(look: Look, prose: Prose) -> None:
    words = prose(1, 900)
    url = "https://news.example/live"
    noon, later, night = (look(" ".join(words[:count]), url, title="Storm: live") for count in (300, 400, 900))
    assert ruling(noon, later) == ("overlap", True)
    assert ruling(noon, night) == ("low-overlap", False)
    assert noon.source_id == night.source_id


def test_a_translation_is_another_text(look: Look) -> None:
    """It is found by no overlap; a person groups it."""
    english = look(STORY, "https://news.example/ems", title="Barrier closes")
    german = look(
        "Das Sperrwerk an der Mündung der Ems schloss am Dienstagabend zum ersten Mal in diesem Winter, als ein Sturm "
        "aus Nordwest das Wasser in der Mündung auf einen Stand drückte, den man seit 2013 nicht gesehen hatte. " * 3,
        "https://nachrichten.example/ems",
        title="Sperrwerk schließt",
    )
    assert ruling(english, german) == ("low-overlap", False)


def test_every_rule_that_decides_is_told_in_a_sentence() -> None:
    """Whoever asks why gets words; none is told that no rule gives."""
    source = inspect.getsource(confirm)
    deciding = source[source.index("def _decide") :]
    assert set(re.findall(r'return "([a-z-]+)"', deciding)) == RULE_WORDS.keys()


def test_a_retitled_copy_is_known_where_words_change_their_endings(look: Look, prose: Prose) -> None:
    """The title's words stand in the text in other forms."""
    rest = " ".join(prose(1, 200))
    body = f"Вода прорвала плотину ночью, и жители долины покинули дома. {rest}"
    one = look(" ".join(prose(2, 30)) + " " + body, "https://a.example/", title="Плотина прорвана")
    other = look(" ".join(prose(3, 30)) + " " + body, "https://b.example/", title="Жителям пришлось бежать")
    verdict = judge(one, other)
    assert verdict.figures.title_in_shared_ppm is not None
    assert (verdict.rule, verdict.confirmed) == ("overlap", True)


WORDS = st.lists(
    st.sampled_from(["the", "gate", "dam", "3", "5", "of", "river", "closed", "12", "on", "storm", "and"]),
    min_size=1,
    max_size=60,
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "title": st.sampled_from(["Dam breaks", "Storm 3", "Storm 5", "The dam"]),
        "author": st.sampled_from(["Ann Lee", "LEE, Ann", "Bo Chan"]),
        "published_at": st.sampled_from(["2026-08-01", "2020-01-01"]),
    },
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(WORDS, WORDS, FIELDS, FIELDS, st.booleans())
def test_every_verdict_is_the_same_for_both_orders_and_names_a_rule(
    look: Look, one: list[str], other: list[str], first: dict[str, str], second: dict[str, str], one_site: bool
) -> None:
    here = look(" ".join(one * 3), "https://a.example/1", **first)
    there = look(" ".join(other * 3), "https://a.example/2" if one_site else "https://b.example/", **second)
    verdict = judge(here, there)
    assert verdict == judge(there, here)
    assert verdict.rule in RULE_WORDS
    assert not (verdict.confirmed and verdict.figures.shingle_jaccard_ppm < 500_000)
