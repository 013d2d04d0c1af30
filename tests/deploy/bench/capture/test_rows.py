"""Rows of the table: what is compared with what, and against which floor."""

from __future__ import annotations

import pytest

from deploy.bench.capture import rows
from deploy.bench.capture.rows import AIOHTTP, BARE, OURS, SCRAPY, WGET, Round
from deploy.bench.capture.run import Run
from deploy.bench.result import Result


def round_of(ours: float, wget: float, *, size: int = 110) -> Round:
    """Ours and all peers at these seconds for 1,000 pages."""
    seconds = {OURS: ours, WGET: wget, SCRAPY: 2 * wget, AIOHTTP: wget, BARE: wget / 8}
    return {who: Run(who, 1000, taken, 2 * taken, size if who == OURS else 100) for who, taken in seconds.items()}


def by_name(results: list[Result]) -> dict[str, Result]:
    return {result.name.removeprefix("capture: "): result for result in results}


def test_a_ratio_is_the_median_of_neighbours_not_the_ratio_of_medians() -> None:
    noisy = [round_of(1, 3), round_of(2, 8), round_of(9, 45)]
    row = by_name(rows.speed_rows(noisy, 39_000))["pages/s against 2x wget --warc-file"]
    assert row.ratio == 4
    assert (row.value, row.peer_value) == (500, 125)


def test_every_row_of_the_table_has_its_floor_and_goal() -> None:
    found = by_name(rows.speed_rows([round_of(1, 4)], 39_000))
    limits = {name: (row.floor, row.goal) for name, row in found.items()}
    assert limits == {
        "pages/s against 2x wget --warc-file": (3, 6),
        "pages/s against 2x Scrapy + warcio": (6, 12),
        "pages/s against 2-process aiohttp + warcio": (2.5, 5),
        "pages/s, share of bare 2-process aiohttp fetch": (0.25, 0.45),
        "pages per CPU-second of own processes against 2x wget": (2.5, 5),
        "WARC size, of wget's": (1.15, None),
        "gigabit links filled on two cores": (0.8, 1.5),
    }
    assert all(row.holds for row in found.values() if "gigabit" not in row.name)


def test_a_gigabit_is_of_bytes_of_pages_a_second() -> None:
    (row,) = rows.speed_rows([{OURS: Run(OURS, 3200, 1.0, 1.0, 1)}], 39_000)
    assert row.value == pytest.approx(3200 * 39_000 * 8 / 1e9)
    assert row.holds


@pytest.mark.parametrize(("size", "holds"), [(115, True), (116, False)])
def test_a_file_larger_than_allowed_does_not_hold(size: int, holds: bool) -> None:
    row = by_name(rows.speed_rows([round_of(1, 4, size=size)], 39_000))["WARC size, of wget's"]
    assert row.holds is holds


def test_size_matched_speed_says_whether_the_size_matched() -> None:
    speed, size = rows.matched_rows([round_of(1, 2, size=101)])
    assert (speed.ratio, speed.floor, speed.goal) == (2, 1.4, 2)
    assert (size.value, size.holds) == (1.01, True)


def test_memory_is_flat_where_later_runs_add_nothing() -> None:
    peak, growth = rows.memory_rows([100 << 20, 101 << 20, 130 << 20], 5000)
    assert (peak.value, peak.holds) == (130, True)
    assert (growth.value, growth.holds) == (30, False)
    assert len(rows.memory_rows([100 << 20], 5000)) == 1
