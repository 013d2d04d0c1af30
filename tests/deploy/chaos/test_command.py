"""Which seeds are meant, and the table that ends a run."""

from __future__ import annotations

from deploy.chaos.__main__ import seeds_of
from deploy.chaos.kills import Dealt, Given, Result
from deploy.chaos.plan import Target
from deploy.chaos.report import table_of_kills
from deploy.chaos.verdict import Finding


def test_one_number_is_how_many_and_several_are_the_seeds_themselves() -> None:
    assert seeds_of([3], 1) == [1, 2, 3]
    assert seeds_of([2], 7) == [7, 8]
    assert seeds_of([1, 4, 9], 1) == [1, 4, 9]


def test_the_table_has_a_line_a_seed_with_kills_and_findings() -> None:
    whole = Result(
        Given(1), seconds=61.2, dealt=[Dealt(2.0, Target.REDIS.value, 7), Dealt(4.5, "redis is emptied", None)]
    )
    broken = Result(Given(2), findings=[Finding("url.lost", "one"), Finding("url.lost", "two")])
    head, *lines = [line.split() for line in table_of_kills([whole, broken]).splitlines()]
    assert head[:4] == ["seed", "URLs", "seconds", "kills"]
    assert [line[:4] for line in lines] == [["1", "2000", "61", "1"], ["2", "2000", "0", "0"]]
    assert [line[-1] for line in lines] == ["none", "url.lost"]
