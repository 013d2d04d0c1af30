"""Groups recomputed from the records: by laws, and against a slow closure that cannot be wrong in the same way."""

from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.cluster import Cluster, ClusterMember
from schemas.records.independence import IndependenceGroup
from schemas.records.independence import IndependenceReason as Why
from schemas.records.source import Source, Tier, TierVerdict
from validator.found import Found
from validator.independence import Group, check_independence, recompute
from validator.input import BundleInput
from validator.sites import BY_HOST, Sites
from workers.dedup.independence import IndependenceError, ManualGroup, SourceFacts, independence_groups

SNAPSHOT = "snap-0123456789ab-20260822T031500Z-01234567"


def source(number: int, host: str, cluster: str | None) -> Source:
    return Source(
        id=f"src-{number:016x}",
        normalized_url=f"https://{host}/{number}",
        host=host,
        tier=TierVerdict(tier=Tier.SECONDARY, policy="tiers@1", reason="default"),
        cluster_id=cluster,
    )


def cluster(number: int, members: list[str]) -> Cluster:
    return Cluster(
        id=f"cl-{number:016x}",
        params="p",
        rules="r",
        leader_text_sha256="0" * 64,
        members=tuple(ClusterMember(snapshot_id=SNAPSHOT, source_id=m, text_sha256="0" * 64) for m in members),
        representative_source_id=members[0],
        representative_reason="earliest",
    )


def groups(
    sources: list[Source], clusters: list[Cluster], manual: dict[str, str] | None = None, sites: Sites = BY_HOST
) -> dict[str, Group]:
    return recompute({s.id: s for s in sources}, clusters, manual or {}, sites)


def test_copies_on_three_hosts_are_one_group() -> None:
    """R071: ten addresses are not ten sources."""
    sources = [source(i, f"h{i}.example", "cl-" + "0" * 16) for i in range(3)]
    found = groups(sources, [cluster(0, [s.id for s in sources])])
    assert set(found.values()) == {Group("cluster:cl-" + "0" * 16, Why.CLUSTER)}


def test_a_site_and_a_cluster_unite_across_each_other() -> None:
    a, b, c = (
        source(1, "www.x.example", "cl-" + "0" * 16),
        source(2, "x.example", "cl-" + "1" * 16),
        source(3, "y.example", "cl-" + "1" * 16),
    )
    found = groups([a, b, c], [cluster(0, [a.id]), cluster(1, [b.id, c.id])])
    assert set(found.values()) == {Group("cluster:cl-" + f"{1:016x}", Why.CLUSTER)}


def test_hosts_of_one_registrable_domain_are_one_where_the_bundle_has_the_list() -> None:
    """R071; `independence@1` had no list, and its bundles keep their groups."""
    apart = [source(i, host, f"cl-{i:016x}") for i, host in enumerate(["a.x.example", "b.x.example", "y.co.example"])]
    clusters = [cluster(i, [one.id]) for i, one in enumerate(apart)]
    assert len(set(groups(apart, clusters).values())) == 3
    listed = groups(apart, clusters, sites=Sites(frozenset({"example", "co.example"})))
    assert set(listed.values()) == {Group("site:x.example", Why.SITE), Group("site:y.co.example", Why.OWN)}


def test_all_unknown_sources_count_as_one() -> None:
    """X31."""
    found = groups([source(i, f"h{i}.example", None) for i in range(4)], [])
    assert set(found.values()) == {Group("unknown", Why.UNKNOWN)}


def test_a_source_without_a_verdict_goes_with_its_site() -> None:
    known, unknown = source(1, "x.example", "cl-" + "0" * 16), source(2, "x.example", None)
    found = groups([known, unknown], [cluster(0, [known.id])])
    assert set(found.values()) == {Group("site:x.example", Why.SITE)}


def test_only_a_manual_record_splits() -> None:
    """X34."""
    a, b, c = (source(i, f"h{i}.example", "cl-" + "0" * 16) for i in range(3))
    found = groups([a, b, c], [cluster(0, [a.id, b.id, c.id])], {b.id: "manual:agency"})
    assert found[b.id] == Group("manual:agency", Why.MANUAL)
    assert found[a.id] == found[c.id] == Group("cluster:cl-" + "0" * 16, Why.CLUSTER)


def test_a_manual_record_of_several_tears_nobody_off_his_copies() -> None:
    """R071, X34: it only unites, also where but one of its sources is there."""
    page, copy, other = (source(i, f"h{i}.example", f"cl-{i // 2:016x}") for i in range(3))
    clusters = [cluster(0, [page.id, copy.id]), cluster(1, [other.id])]
    found = groups([page, copy, other], clusters, {page.id: "manual:m", other.id: "manual:m"})
    assert set(found.values()) == {Group("manual:m", Why.MANUAL)}
    assert not any(group.set_apart for group in found.values())
    without = groups([page, copy], clusters[:1], {page.id: "manual:m", other.id: "manual:m"})
    assert set(without.values()) == {Group("cluster:cl-" + "0" * 16, Why.CLUSTER)}


def test_a_manual_record_makes_no_group_of_unknown_sources() -> None:
    """X31: all that nothing is known of count as one, whoever unites some of them."""
    sources = [source(i, f"h{i}.example", None) for i in range(3)]
    found = groups(sources, [], {sources[0].id: "manual:m", sources[1].id: "manual:m"})
    assert set(found.values()) == {Group("unknown", Why.UNKNOWN)}


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.org/a", "example.org"),
        ("https://www.www.example.org/a", "www.example.org"),
        ("http://example.org:8080/", "example.org:8080"),
        ("http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"),
        ("http://www/", "www"),
    ],
)
def test_the_site_is_the_host_without_one_leading_www(url: str, site: str) -> None:
    assert BY_HOST.of(url) == site


WORLDS = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([None, 0, 1, 2, 3]), st.booleans()), min_size=1, max_size=9
)


@given(WORLDS, st.randoms())
def test_groups_are_the_closure_of_shared_clusters_and_sites(
    world: list[tuple[int, int | None, bool]], random: object
) -> None:
    sources = [source(i, f"h{h}.example", None if c is None else f"cl-{c:016x}") for i, (h, c, _) in enumerate(world)]
    manual = {s.id: "manual:m" for s, (_, _, m) in zip(sources, world, strict=True) if m}
    alone = manual if len(manual) == 1 else {}
    clusters = [
        cluster(number, own)
        for number in range(4)
        if (own := [s.id for s in sources if s.cluster_id == f"cl-{number:016x}"])
    ]
    found = groups(sources, clusters, manual)
    shuffled = list(reversed(sources))
    assert groups(shuffled, clusters[::-1], manual) == found, "order plays no part"
    free = [s for s in sources if s.id not in alone]
    near = {
        s.id: {
            t.id
            for t in free
            if BY_HOST.of(t.normalized_url) == BY_HOST.of(s.normalized_url)
            or (s.cluster_id is not None and t.cluster_id == s.cluster_id)
        }
        for s in free
    }
    judged = {s.id for s in free if s.cluster_id is not None}
    pool = {s.id for s in free if judged.isdisjoint(reached(s.id, near))}
    decided = manual.keys() - alone.keys()
    for s in free:
        near[s.id] |= (pool if s.id in pool else set()) | (decided if s.id in decided else set())
    for s in free:
        together = {t.id for t in free if found[t.id] == found[s.id]}
        assert together == reached(s.id, near)
        assert (found[s.id].reason is Why.UNKNOWN) == judged.isdisjoint(together)


def reached(start: str, near: dict[str, set[str]]) -> set[str]:
    out = {start}
    while (more := set().union(*(near[one] for one in out))) != out:
        out = more
    return out


def written(sources: list[Source], by_hand: list[ManualGroup]) -> tuple[IndependenceGroup, ...]:
    """The records that an archive puts into a bundle of these sources."""
    facts = [SourceFacts(s.id, s.normalized_url, frozenset([s.cluster_id] if s.cluster_id else [])) for s in sources]
    records = independence_groups(facts, by_hand)
    assert not isinstance(records, IndependenceError)
    return records


def checked(
    sources: list[Source], clusters: list[Cluster], records: tuple[IndependenceGroup, ...]
) -> tuple[dict[str, Group], list[str]]:
    """What the validator makes of these records: the groups that count, and the findings' codes."""
    suffixes = SimpleNamespace(kind="suffixes", value={"rules": ["example", "co.example"]})
    bundle = SimpleNamespace(clusters=clusters, independence=records, evidence=(), policies=[suffixes])
    found = Found()
    groups = check_independence(
        cast(BundleInput, SimpleNamespace(sources={s.id: s for s in sources}, bundle=bundle)), found
    )
    return groups, [finding.code for finding in found.findings]


def manual_group(name: str, *sources: Source) -> ManualGroup:
    return ManualGroup(name, tuple(s.id for s in sources), "Ada", "2026-11-29T11:00:00Z", "one press release")


def test_merging_a_page_with_another_does_not_make_a_second_source_of_its_copy() -> None:
    """R071, X34: written and checked as one group; a bundle that tears the copy off is refused."""
    page, copy, other = (source(i, f"h{i}.example", f"cl-{i // 2:016x}") for i in range(3))
    sources, clusters = [page, copy, other], [cluster(0, [page.id, copy.id]), cluster(1, [other.id])]
    (record,) = written(sources, [manual_group("odd", page, other)])
    assert (record.group, record.by, record.why) == ("manual:odd", "Ada", "one press release")
    assert record.source_ids == tuple(sorted(s.id for s in sources))
    groups, codes = checked(sources, clusters, (record,))
    assert (set(groups.values()), codes) == ({Group("manual:odd", Why.MANUAL)}, [])
    torn = record.model_copy(update={"source_ids": (page.id, other.id)})
    own = written([copy], [])
    groups, codes = checked(sources, clusters, (torn, *own))
    assert set(groups.values()) == {Group("manual:odd", Why.MANUAL)}, "what counts is what is recomputed"
    assert codes == ["independence.groups-differ"] * 2


@given(WORLDS, st.lists(st.sets(st.integers(0, 8), min_size=1, max_size=4), max_size=3))
def test_the_validator_makes_the_same_groups_of_what_an_archive_writes(
    world: list[tuple[int, int | None, bool]], named: list[set[int]]
) -> None:
    sources = [source(i, f"h{h}.example", None if c is None else f"cl-{c:016x}") for i, (h, c, _) in enumerate(world)]
    clusters = [
        cluster(number, own)
        for number in range(4)
        if (own := [s.id for s in sources if s.cluster_id == f"cl-{number:016x}"])
    ]
    everybody = sources + [source(i, f"h{i}.example", None) for i in range(len(sources), 9)]
    taken: set[int] = set()
    by_hand = []
    for number, places in enumerate(named):
        if places - taken:
            by_hand.append(manual_group(f"m{number}", *(everybody[i] for i in sorted(places - taken))))
        taken |= places
    records = written(sources, by_hand)
    groups, codes = checked(sources, clusters, records)
    assert codes == []
    assert {s: g.name for s, g in groups.items()} == {s: r.group for r in records for s in r.source_ids}
