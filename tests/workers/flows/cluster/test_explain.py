"""Why two captures are, or are not, one story: from what was written down."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import pytest

from schemas.records.snapshot import SnapshotLine
from workers.errors import PermanentError
from workers.flows.cluster_explain import ExplainPorts, Explanation, explain
from workers.flows.cluster_verdicts import history_of
from workers.flows.documents import read_lines_object

if TYPE_CHECKING:
    from tests.workers.flows.cluster.conftest import Archive, Page

    OnArchive = Callable[[Callable[[Archive], Awaitable[None]]], None]

PROSE = Callable[[int, int], list[str]]


async def why(archive: Archive, one: Page, other: Page) -> Explanation:
    lines: dict[str, SnapshotLine] = {}
    for message in archive.messages:
        for line in await read_lines_object(archive.ports.store, message.snapshots_key, SnapshotLine):
            lines[line.snapshot.final_url] = line
    ports = ExplainPorts(archive.ports.store, archive.ports.catalog, archive.ports.clusters)
    return await explain(lines[one.url], lines[other.url], ports)


def test_a_copy_is_explained_by_its_rule_its_figures_and_what_it_says_otherwise(
    on_archive: OnArchive, web: list[Page]
) -> None:
    """R058."""

    async def scenario(archive: Archive) -> None:
        done = await archive.cluster(web)
        found = await why(archive, web[0], web[3])
        assert found.answer == "one-story"
        assert found.reasons[0].startswith("rule overlap: at least 70 %")
        assert found.verdict is not None
        assert found.verdict.key == done.clusters_key
        assert (found.verdict.sequence, found.verdict.verdict.confirmed) == (1, True)
        assert [run.other for run in found.differences] == ["edit20", "edit150"]
        assert found.looked_now is None
        assert found.one.cluster_id == found.other.cluster_id is not None

    on_archive(scenario)


def test_a_refusal_is_found_again_with_its_reason(on_archive: OnArchive, web: list[Page]) -> None:
    """Template pages: Redis knows nothing of the pair, the log does; whichever page came later."""

    async def scenario(archive: Archive) -> None:
        await archive.cluster(web[7:8])
        await archive.cluster(web[6:7])
        found = await why(archive, web[7], web[6])
        assert found.answer == "apart"
        assert found.reasons == (
            "rule same-site-other-title: two pages of one site under two titles: what they share is its template",
        )
        assert found.verdict is not None
        assert found.verdict.sequence == 2

    on_archive(scenario)


def test_one_text_at_two_addresses_needs_no_rule(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        await archive.cluster(web)
        found = await why(archive, web[0], web[1])
        assert (found.answer, found.verdict, found.differences) == ("one-text", None, ())

    on_archive(scenario)


def test_what_nobody_suspected_is_looked_at_for_the_answer(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        await archive.cluster(web)
        found = await why(archive, web[0], web[5])
        assert (found.answer, found.verdict) == ("apart", None)
        assert "nobody suspected them" in found.reasons[0]
        assert found.looked_now is not None
        assert found.looked_now.rule == "low-overlap"
        short = await why(archive, web[0], web[8])
        assert "fewer than 20" in short.reasons[0]

    on_archive(scenario)


def test_a_chain_is_told_why_it_is_not_one_story(on_archive: OnArchive, page: type[Page], prose: PROSE) -> None:
    """C43: c and d were confirmed against each other, and yet each follows a leader of its own."""
    words = prose(1, 300)
    edits = [range(0), range(10, 300, 36), [*range(10, 300, 36), *range(22, 300, 36)], range(10, 300, 12)]

    def version(number: int) -> Page:
        text = " ".join(f"edit{at}" if at in edits[number] else word for at, word in enumerate(words)) + "\n"
        return page(f"https://{'abcd'[number]}.example/", text, None, number)

    pages = [version(number) for number in range(4)]

    async def scenario(archive: Archive) -> None:
        await archive.cluster(pages)
        stories = await archive.partition()
        assert len(stories) == 2
        told = [
            await why(archive, one, other)
            for one, other in itertools.pairwise(pages)
            if not any({one.sha256, other.sha256} <= texts for texts in stories)
        ]
        (broken,) = [found for found in told if found.verdict is not None and found.verdict.verdict.confirmed]
        assert broken.answer == "apart"
        assert "nobody joins through a chain" in broken.reasons[0]

    on_archive(scenario)


def test_a_text_that_is_gone_is_an_error_that_names_it(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        await archive.cluster(web)
        lines = await read_lines_object(archive.ports.store, archive.messages[0].snapshots_key, SnapshotLine)
        ports = ExplainPorts(archive.ports.store, archive.ports.catalog, archive.ports.clusters)
        gone = lines[0].model_copy(update={"conversion": None})
        with pytest.raises(PermanentError, match="no text to compare"):
            await explain(gone, lines[1], ports)

    on_archive(scenario)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("https://news.example/dam", "the other page; another site; highly similar"),
        ("https://news.example/", "neither of the two; not archived, so nobody could compare it; another site"),
    ],
)
def test_a_declared_canonical_is_shown_with_what_it_would_need(
    declared: str, said: str, on_archive: OnArchive, web: list[Page]
) -> None:
    """R033, R034, R035: retrievable, of a related site, highly similar; and still it decides nothing."""

    async def scenario(archive: Archive) -> None:
        await archive.cluster(web)
        lines = await read_lines_object(archive.ports.store, archive.messages[0].snapshots_key, SnapshotLine)
        news, portal = (next(line for line in lines if line.snapshot.final_url == web[at].url) for at in (0, 3))
        snapshot = portal.snapshot.model_copy(update={"declared_canonical": declared})
        ports = ExplainPorts(archive.ports.store, archive.ports.catalog, archive.ports.clusters)
        found = await explain(news, portal.model_copy(update={"snapshot": snapshot}), ports)
        assert found.other.canonical is not None
        assert said in found.other.canonical
        assert found.other.canonical.endswith("a hint that decides nothing")
        assert found.one.canonical is None

    on_archive(scenario)


def test_the_history_of_a_cluster_tells_births_and_merges(on_archive: OnArchive, web: list[Page]) -> None:
    async def scenario(archive: Archive) -> None:
        for place in (0, 3, 4):
            await archive.cluster([web[place]])
        cluster = await archive.ports.clusters.cluster_of(web[0].sha256)
        assert cluster is not None
        told = [
            (sequence, decision.kind)
            async for sequence, decision in history_of(
                frozenset({cluster}), store=archive.ports.store, params=archive.ports.params
            )
        ]
        assert told[0] == (1, "birth")
        assert {kind for _, kind in told[1:]} == {"join"}
        assert [sequence for sequence, _ in told] == sorted(sequence for sequence, _ in told)

    on_archive(scenario)
