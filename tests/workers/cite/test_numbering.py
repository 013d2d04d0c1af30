"""Citation numbers: given once, in the order of first use, never again, through merges and other policies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.ids import source_id
from schemas.records.number import CitedSnapshot, MergeNumbers, NumberChange, NumberLog, SeparateNumber
from schemas.urls.conservative import normalize
from schemas.urls.error import UrlError
from workers.cite.migration import migration
from workers.cite.numbering import NumberLogError, Numbers, Wish, changes_for
from workers.flows.numbers import url_under

FIRST, SECOND = "citation-index@1+c2393a80", "citation-index@2+a0000000"
WHY = "They are one page under two addresses."


def cited(url: str, version: int = 0) -> CitedSnapshot:
    found = normalize(url)
    assert not isinstance(found, UrlError)
    source = source_id(found.url)
    stamp = f"20260822T0315{version:02d}Z"
    name = f"snap-{source.removeprefix('src-')[:12]}-{stamp}-0000000{version % 10}"
    return CitedSnapshot(snapshot_id=name, source_id=source, normalized_url=found.url, fragment=found.fragment)


def wish(url: str, section: str = "intro", *, version: int = 0, title: str | None = "A title") -> Wish:
    return Wish(cited(url, version), section, title, "web")


def grow(numbers: Numbers, changes: list[NumberChange] | tuple[NumberChange, ...], policy: str = FIRST) -> None:
    numbers.apply(
        NumberLog(
            schema="citevault/number-log@1",
            report=numbers.report,
            sequence=numbers.sequence + 1,
            at="2026-08-22T03:15:00Z",
            by="a writer",
            policy=policy,
            changes=tuple(changes),
        )
    )


def cite(numbers: Numbers, *wishes: Wish) -> list[int]:
    changes, answers = changes_for(numbers, wishes, url_under(FIRST))
    if changes:
        grow(numbers, changes)
    return answers


def test_numbers_start_at_1_in_the_order_of_first_use_and_stay() -> None:
    """R036, R038, R039."""
    numbers = Numbers("report")
    assert cite(numbers, wish("https://a.example/"), wish("https://b.example/")) == [1, 2]
    assert cite(numbers, wish("https://c.example/"), wish("https://a.example/?utm_source=x")) == [3, 1]
    assert numbers.next_number == 4
    assert numbers.by_url["https://a.example/"] == 1


def test_a_url_that_is_seen_again_only_gains_its_section() -> None:
    """R037, R040, R041, R051."""
    numbers = Numbers("report")
    cite(numbers, wish("https://a.example/"))
    cite(numbers, Wish(cited("https://a.example/"), "results", "Another title", "library"))
    cite(numbers, wish("https://a.example/", "intro"), wish("https://a.example/", "results"))
    entry = numbers.entries[1]
    assert (entry.number, entry.title, entry.source_channel) == (1, "A title", "web")
    assert (entry.first_seen_section, entry.used_in_sections) == ("intro", ["intro", "results"])
    assert numbers.sequence == 2, "what holds already is not written again"


def test_versions_of_a_work_share_a_number_and_keep_their_snapshots() -> None:
    """X5, R047: the number merges, the evidence pins."""
    numbers = Numbers("report")
    both = wish("https://arxiv.org/abs/2401.12345v1"), wish("https://arxiv.org/abs/2401.12345v2", version=1)
    assert cite(numbers, *both) == [1, 1]
    assert [item.normalized_url[-2:] for item in numbers.cited(1)] == ["v1", "v2"]


def test_an_odd_address_is_never_dropped() -> None:
    """C09: a comma in the path, a tracking parameter."""
    numbers = Numbers("report")
    assert cite(numbers, wish("https://a.example/x,y(z)?utm_source=q"), wish("https://a.example/x,y(z)")) == [1, 1]
    assert numbers.by_url == {"https://a.example/x,y(z)": 1}


def test_different_urls_have_different_numbers() -> None:
    """R049."""
    numbers = Numbers("report")
    assert cite(numbers, wish("https://a.example/?id=1"), wish("https://a.example/?id=2")) == [1, 2]


def test_a_merge_leaves_an_alias_and_its_number_is_never_given_again() -> None:
    """R050, X6."""
    numbers = Numbers("report")
    cite(numbers, *(wish(f"https://{name}.example/") for name in "abc"))
    grow(numbers, [MergeNumbers(kind="merge", number=3, into=1, why=WHY)])
    assert (numbers.standing(3), numbers.shown()) == (1, [1, 2])
    assert cite(numbers, wish("https://c.example/"), wish("https://d.example/")) == [1, 4]
    assert [item.normalized_url for item in numbers.cited(1)] == ["https://a.example/", "https://c.example/"]
    assert [log.changes[0].kind for log in numbers.history] == ["merge"]
    grow(numbers, [SeparateNumber(kind="separate", number=3, why=WHY)])
    assert cite(numbers, wish("https://c.example/")) == [3]


@pytest.mark.parametrize(("number", "into"), [(1, 1), (1, 2), (3, 9), (9, 1)])
def test_a_merge_goes_downwards_among_numbers_that_are_there(number: int, into: int) -> None:
    numbers = Numbers("report")
    cite(numbers, wish("https://a.example/"), wish("https://b.example/"))
    with pytest.raises(NumberLogError):
        grow(numbers, [MergeNumbers(kind="merge", number=number, into=into, why=WHY)])


def test_a_log_with_a_gap_or_a_number_out_of_turn_is_refused() -> None:
    numbers = Numbers("report")
    changes, _ = changes_for(numbers, [wish("https://a.example/")], url_under(FIRST))
    grow(numbers, changes)
    with pytest.raises(NumberLogError):
        grow(numbers, changes)
    other = Numbers("report")
    other.sequence = 4
    with pytest.raises(NumberLogError):
        numbers.apply(NumberLog.model_construct(report="report", sequence=7, changes=(), policy=FIRST))


def test_another_policy_says_what_it_would_merge_and_split_before_anything_is_done() -> None:
    """X1, X6: and numbers a new only what falls apart."""
    numbers = Numbers("report")
    cite(
        numbers,
        wish("https://web.archive.org/web/2020/https://x.example/a"),
        wish("https://web.archive.org/web/2020/https:/x.example/a", "results", version=1),
        wish("https://b.example/?x=1"),
        wish("https://c.example/"),
    )
    assert numbers.shown() == [1, 2, 3]

    def coarse(item: CitedSnapshot) -> str:
        kept = "archive.org" in item.normalized_url
        return item.normalized_url if kept else "https://one.example/"

    found = migration(numbers, coarse, SECOND, WHY)
    assert found.splits == ((1, 4, "https://web.archive.org/web/2020/https:/x.example/a"),)
    assert found.merges == ((3, 2, "https://one.example/"),)
    grow(numbers, found.changes, SECOND)
    assert (numbers.policy, numbers.shown()) == (SECOND, [1, 2, 4])
    assert numbers.entries[4].used_in_sections == ["results"]
    assert numbers.number_of("https://one.example/") == 2
    assert migration(numbers, coarse, SECOND, WHY).merges == ()
    assert migration(numbers, coarse, SECOND, WHY).splits == ()


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=6), max_size=12))
def test_one_url_has_one_number_and_numbers_have_no_gaps(calls: list[list[tuple[int, int]]]) -> None:
    """However calls are grouped: the number is that of the first use in the whole sequence."""
    numbers, alone = Numbers("report"), Numbers("report")
    for call in calls:
        wishes = [wish(f"https://{page}.example/", f"s{section}") for page, section in call]
        assert cite(numbers, *wishes) == [cite(alone, one)[0] for one in wishes]
    assert numbers.by_url == alone.by_url
    assert sorted(numbers.entries) == list(range(1, numbers.next_number))
    assert {n: e.used_in_sections for n, e in numbers.entries.items()} == {
        n: e.used_in_sections for n, e in alone.entries.items()
    }
