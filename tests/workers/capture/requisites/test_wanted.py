"""What is needed most comes first, of whichever host may be asked, as far as a page's share goes."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.requisite import RequisiteKind as Kind
from workers.capture.requisites.found import Found
from workers.capture.requisites.wanted import Needs, RequisiteLimits, Wanted


def wanted(name: str, kind: Kind = Kind.IMAGE, host: str = "a.example") -> Wanted:
    return Wanted(Found(f"https://{host}/{name}", kind, "img/@src"), host, "https://a.example/")


def waiting(**seconds: float) -> Callable[[str], float]:
    return lambda host: seconds.get(host.partition(".")[0], 0.0)


def names(needs: Needs, ready: Callable[[str], float]) -> list[str]:
    found = []
    while (each := needs.take(ready)) is not None:
        found.append(each.found.url.rpartition("/")[2])
    return found


def test_sheets_come_before_images_and_films_come_last() -> None:
    needs = Needs(RequisiteLimits())
    for name, kind in [("film", Kind.MEDIA), ("picture", Kind.IMAGE), ("font", Kind.FONT), ("sheet", Kind.STYLE)]:
        needs.add(wanted(name, kind))
    assert names(needs, waiting()) == ["sheet", "picture", "font", "film"]


def test_of_one_kind_the_order_of_the_page_counts() -> None:
    needs = Needs(RequisiteLimits())
    for number in range(5):
        needs.add(wanted(str(number)))
    assert names(needs, waiting()) == ["0", "1", "2", "3", "4"]


def test_the_pause_of_one_host_is_the_turn_of_another() -> None:
    needs = Needs(RequisiteLimits())
    needs.add(wanted("sheet", Kind.STYLE, "slow.example"))
    needs.add(wanted("picture", Kind.IMAGE, "fast.example"))
    assert names(needs, waiting(slow=3.0)) == ["picture", "sheet"]


def test_where_all_hosts_rest_the_first_to_be_ready_is_next() -> None:
    needs = Needs(RequisiteLimits())
    needs.add(wanted("sheet", Kind.STYLE, "slow.example"))
    needs.add(wanted("picture", Kind.IMAGE, "fast.example"))
    assert names(needs, waiting(slow=3.0, fast=1.0)) == ["picture", "sheet"]


def test_what_is_spent_is_spent() -> None:
    needs = Needs(RequisiteLimits(most=2, most_bytes=100))
    assert needs.refusal(1.0) is None
    needs.spend(60)
    assert needs.bytes_left == 40
    needs.spend(10)
    assert "2 requisites at most" in (needs.refusal(1.0) or "")


def test_bytes_and_time_have_an_end_too() -> None:
    needs = Needs(RequisiteLimits(most_bytes=100))
    assert "time" in (needs.refusal(0.0) or "")
    needs.spend(100)
    assert "100 bytes of requisites at most" in (needs.refusal(1.0) or "")
    assert needs.bytes_left == 0


def test_a_short_batch_keeps_a_quarter_of_its_time_back() -> None:
    assert RequisiteLimits().within(300.0).reserve_seconds == 60.0
    assert RequisiteLimits().within(40.0).reserve_seconds == 10.0


@given(
    st.lists(st.tuples(st.sampled_from(list(Kind)), st.sampled_from("abc")), max_size=30),
    st.dictionaries(st.sampled_from("abc"), st.floats(0, 5), max_size=3),
)
def test_each_is_given_once_and_none_is_kept(added: list[tuple[Kind, str]], pauses: dict[str, float]) -> None:
    needs = Needs(RequisiteLimits())
    for number, (kind, host) in enumerate(added):
        needs.add(wanted(str(number), kind, f"{host}.example"))
    given_out = names(needs, waiting(**pauses))
    assert sorted(given_out, key=int) == [str(number) for number in range(len(added))]
