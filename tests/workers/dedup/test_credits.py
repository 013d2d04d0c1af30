"""Credits to agencies, in the forms of many languages (R070)."""

from __future__ import annotations

import pytest

from workers.dedup.agencies import agency_names
from workers.dedup.credits import credits_of

STORY = "The barrier at the mouth of the river closed on Tuesday, and no harm was done, said the office for water."


@pytest.mark.parametrize(
    ("opening", "agency"),
    [
        ("BERLIN (Reuters) - The minister said on Monday that", "reuters"),
        ("WASHINGTON (AP) — The president", "ap"),
        ("Paris, 3 mai (AFP) – Le ministre", "afp"),
        ("HONG KONG, May 3 (Xinhua) -- The city", "xinhua"),
        ("ROMA (ANSA), 3 maggio", "ansa"),
        ("Wien – APA – Der Minister", "apa"),
        ("(서울=연합뉴스) 김철수 기자 = 정부는", "yonhap"),
        ("［東京　３日　ロイター］ - 日本政府は", "reuters"),
        ("【共同】政府は", "kyodo"),
        ("МОСКВА, 3 мая. /ТАСС/. Правительство", "tass"),
        ("新华社北京5月3日电 记者", "xinhua"),
        ("SAN FRANCISCO, May 3, 2026 /PRNewswire/ -- Acme", "prnewswire"),
        ("Musterstadt (ots) - Die Firma", "ots"),
    ],
)
def test_a_dateline_credits_an_agency(opening: str, agency: str) -> None:
    assert [(credit.agency, credit.how) for credit in credits_of(f"{opening} {STORY}\n")] == [(agency, "dateline")]


@pytest.mark.parametrize(
    ("line", "agencies"),
    [
        ("Quelle: dpa", ["dpa"]),
        ("Mit Material von dpa und AFP", ["afp", "dpa"]),
        ("dpa-infocom, dpa:260503-99-123456/2", ["dpa"]),
        ("© 2026 AFP", ["afp"]),
        ("Avec AFP", ["afp"]),
        ("Con información de EFE", ["efe"]),
        ("Fonte: Lusa", ["lusa"]),
        ("Источник: ТАСС", ["tass"]),
        ("Джерело: Укрінформ", ["ukrinform"]),
        ("来源：新华网", ["xinhua"]),
        ("المصدر: رويترز", ["reuters"]),
        ("The Associated Press contributed to this report.", ["ap"]),
        ("Kyodo, Jiji", ["jiji", "kyodo"]),
        ("SOURCE: GlobeNewswire", ["globenewswire"]),
    ],
)
def test_a_line_of_credit_credits_all_that_it_names(line: str, agencies: list[str]) -> None:
    text = "\n".join([STORY] * 8 + [line]) + "\n"
    assert [credit.agency for credit in credits_of(text)] == agencies


@pytest.mark.parametrize(
    "line",
    [
        "A spokesman told Reuters on Monday that the gates were down.",
        "according to the AP the storm went on for days",
        "Photo: AFP",
        "Foto: dpa/Picture Alliance",
        "图 新华社",
        "A study (TT) shows that gates are costly.",
        "He ate an ap and a pap.",
        "TTXVNX",
    ],
)
def test_a_mention_and_a_picture_are_no_credit(line: str) -> None:
    assert credits_of(f"{line}\n" + "\n".join([STORY] * 8) + "\n") == ()
    assert credits_of("\n".join([STORY] * 8) + f"\n{line}\n") == ()


def test_a_byline_and_an_agencys_own_page_credit_it() -> None:
    assert [(c.agency, c.how) for c in credits_of(STORY, author="AFP/dpa")] == [("afp", "byline"), ("dpa", "byline")]
    assert [c.agency for c in credits_of(STORY, publisher="Reuters")] == ["reuters"]
    own = credits_of(STORY, normalized_url="https://www.reuters.com/world/x")
    assert [(c.agency, c.how) for c in own] == [("reuters", "its own page")]


def test_the_list_of_agencies_names_each_once() -> None:
    names = agency_names()
    assert len(names.by_name) > 150
    assert {agency.kind for agency in names.by_name.values()} == {"wire", "release"}
    assert names.credit_words.isdisjoint(names.picture_words)


def test_a_long_text_is_looked_at_in_its_beginning_and_its_end_only() -> None:
    text = "\n".join([STORY] * 20 + ["Quelle: dpa"] + [STORY] * 20) + "\n"
    assert credits_of(text) == ()
