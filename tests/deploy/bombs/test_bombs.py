"""Bombs cost at most their limits and only themselves, at a fiftieth of their size; `python -m deploy.bombs` has all of
it. Each ends in a reader status that cannot be cited, or in a text whose extractor says that it is the second."""

from __future__ import annotations

import asyncio

import pytest

from deploy.bombs import __main__ as command
from deploy.bombs.run import Bomb, bombs, run
from workers.extract.limits import SandboxLimits
from workers.extract.options import VISIBLE_EXTRACTOR, pdf_extractor_id

SCALE = 0.02
LIMITS = SandboxLimits(cpu_milliseconds=2_000)
BOMBS = bombs(SCALE)


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS, ids=[bomb.name for bomb in BOMBS])
def test_a_bomb_costs_at_most_its_limits_and_the_next_page_is_read(bomb: Bomb) -> None:
    (found,) = asyncio.run(run([bomb], LIMITS))
    assert found.goes_on
    assert found.seconds < 30
    assert found.child_mib * 1024 * 1024 <= LIMITS.memory_bytes
    if found.reader_status == "extract_failed":
        assert found.reason is not None
        assert found.extractor is None
    elif "PDF" in bomb.name:
        assert found.extractor == pdf_extractor_id()


def test_a_full_decompression_bomb_is_refused_by_its_ratio_or_size() -> None:
    full = [bomb for bomb in bombs() if bomb.codings]
    assert len(full) == 4
    for found in asyncio.run(run(full, LIMITS)):
        assert found.reason in ("content-coding.too-large", "content-coding.ratio")
        assert found.seconds < 10


def test_text_below_what_no_tree_holds_is_read_by_the_second_extractor() -> None:
    (deep,) = [bomb for bomb in bombs() if bomb.name == "text below 100,000 divs"]
    (found,) = asyncio.run(run([deep], LIMITS))
    assert (found.reader_status, found.extractor) == ("ok", VISIBLE_EXTRACTOR)


def test_the_command_says_what_each_cost(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--scale", "0.001", "--only", "loop"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("ok ") for line in lines)
