"""Suggestions over an archive: syndicated stories that no cluster unites, until a person decides (R070)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from scheduler.cli.grouping import remark
from schemas.ids import source_id
from schemas.records.decision import GroupSources
from workers.dedup.suffixes import suffix_policy_id
from workers.errors import PermanentError
from workers.flows import suggest as flow
from workers.flows.decisions import append_decision, manual_groups, read_decisions
from workers.flows.group_view import GroupReader
from workers.flows.suggest import SuggestPorts, suggest

if TYPE_CHECKING:
    from tests.workers.flows.cluster.conftest import Archive, Page
    from workers.bootstrap import Archive as Opened

    OnArchive = Callable[[Callable[[Archive], Awaitable[None]]], None]

PROSE = Callable[[int, int], list[str]]


def told(_what: str, _done: int, _all: int) -> None:
    """Nobody listens."""


@pytest.fixture
def syndicated(page: type[Page], prose: PROSE) -> list[Page]:
    """One agency story, rewritten twice; a copy of one of them; and something else."""
    facts = "The works get 400 people, 12.5 million euros and 4000 pumps a year. "
    first = f"LEER (dpa) - {facts}{' '.join(prose(1, 200))}.\n"
    return [
        page("https://north.example/pumps", first, "Pumps for Leer", 1),
        page("https://south.example/pumps", f"{facts}{' '.join(prose(2, 200))}.\nQuelle: dpa\n", "Leer builds", 2),
        page("https://copy.example/1", "Just in. " + first, "Pumps", 3),
        page("https://other.example/", f"{' '.join(prose(3, 200))}.\nQuelle: dpa\n", "Weather", 4),
    ]


def snapshots(archive: Archive, pages: list[Page]) -> Awaitable[list[str]]:
    async def ids() -> list[str]:
        return [name for one in pages for name in await archive.ports.catalog.snapshots_of(one.url)]

    return ids()


def test_a_syndicated_story_is_suggested_and_gone_when_a_person_has_decided(
    on_archive: OnArchive, syndicated: list[Page]
) -> None:
    async def scenario(archive: Archive) -> None:
        await archive.cluster(syndicated)
        store, catalog, clusters = archive.ports.store, archive.ports.catalog, archive.ports.clusters
        ports = SuggestPorts(store, catalog, clusters)
        ids = await snapshots(archive, syndicated)
        found = await suggest(ids, (), ports, told)
        (one,) = found.suggestions
        sources = [source_id(page.url) for page in syndicated]
        assert (one.kind, one.subject, one.source_ids) == ("agency", "dpa", tuple(sorted(sources[:3])))
        assert found.sources == 4
        await append_decision(
            store,
            GroupSources(name="dpa-pumps", source_ids=one.source_ids),
            by="A. Editor",
            why=one.why,
            now="2026-08-22T05:00:00Z",
        )
        manual = manual_groups(await read_decisions(store))
        assert (await suggest(ids, manual, ports, told)).suggestions == ()
        urls = [page.url for page in syndicated]
        groups = await GroupReader(clusters, catalog, manual).together(urls)
        assert [group.group for group in groups] == ["manual:dpa-pumps", "site:other.example"]

    on_archive(scenario)


def test_hosts_of_one_registrable_domain_are_one_and_no_suggestion(
    on_archive: OnArchive, page: type[Page], prose: PROSE
) -> None:
    """R071, by the public suffix list: `co.uk` is nobody's."""
    hosts = ["news.paper.co.uk", "sport.paper.co.uk", "other.co.uk", "a.github.io", "b.github.io"]
    pages = [
        page(f"https://{host}/", " ".join(prose(number, 60)) + "\n", host, number) for number, host in enumerate(hosts)
    ]

    async def scenario(archive: Archive) -> None:
        await archive.cluster(pages)
        ports = SuggestPorts(archive.ports.store, archive.ports.catalog, archive.ports.clusters)
        assert (await suggest(await snapshots(archive, pages), (), ports, told)).suggestions == ()
        reader = GroupReader(archive.ports.clusters, archive.ports.catalog, ())
        urls = [f"https://{host}/" for host in hosts]
        explained = [await reader.explain(url) for url in urls]
        assert [one.domain for one in explained] == ["paper.co.uk", "paper.co.uk", "other.co.uk", *hosts[3:]]
        assert {one.domain_list for one in explained} == {suffix_policy_id()}
        assert {(group.group, len(group.source_ids)) for group in await reader.together(urls)} == {
            ("site:paper.co.uk", 2),
            ("site:other.co.uk", 1),
            ("site:a.github.io", 1),
            ("site:b.github.io", 1),
        }

    on_archive(scenario)


def test_an_address_is_registered_by_nobody(on_archive: OnArchive, page: type[Page], prose: PROSE) -> None:
    hosts = ["192.0.2.7:8001", "192.0.2.7:8002", "[2001:db8::1]:8001", "[2001:db8::1]:8002"]
    pages = [
        page(f"https://{host}/", " ".join(prose(number, 60)) + "\n", host, number) for number, host in enumerate(hosts)
    ]

    async def scenario(archive: Archive) -> None:
        await archive.cluster(pages)
        ports = SuggestPorts(archive.ports.store, archive.ports.catalog, archive.ports.clusters)
        assert (await suggest(await snapshots(archive, pages), (), ports, told)).suggestions == ()

    on_archive(scenario)


def test_a_bundles_author_is_told_which_sources_may_be_one(
    on_archive: OnArchive, syndicated: list[Page], capsys: pytest.CaptureFixture[str]
) -> None:
    """R070: on stderr, with what to do next."""

    async def scenario(archive: Archive) -> None:
        await archive.cluster(syndicated)
        store, catalog, clusters = archive.ports.store, archive.ports.catalog, archive.ports.clusters
        opened = cast("Opened", SimpleNamespace(store=store, catalog=catalog, clusters=clusters))
        await remark(opened, await snapshots(archive, syndicated), "my draft.json")

    on_archive(scenario)
    said = capsys.readouterr()
    assert said.out == ""
    assert "of the sources count apart and may be one: " in said.err
    assert "see `citevault groups suggest --from 'my draft.json'`" in said.err


def test_too_many_sources_are_refused_before_they_are_read(
    on_archive: OnArchive, syndicated: list[Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "MAX_SOURCES", 2)

    async def scenario(archive: Archive) -> None:
        await archive.cluster(syndicated)
        ports = SuggestPorts(archive.ports.store, archive.ports.catalog, archive.ports.clusters)
        with pytest.raises(PermanentError, match="4 sources are more"):
            await suggest(await snapshots(archive, syndicated), (), ports, told)

    on_archive(scenario)
