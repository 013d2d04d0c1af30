"""Groups recomputed from the records: by laws, and against a slow closure that cannot be wrong in the same way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.cluster import Cluster, ClusterMember
from schemas.records.independence import IndependenceReason as Why
from schemas.records.source import Source, Tier, TierVerdict
from validator.independence import Group, recompute, site_of

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


def groups(sources: list[Source], clusters: list[Cluster], manual: dict[str, str] | None = None) -> dict[str, Group]:
    return recompute({s.id: s for s in sources}, clusters, manual or {})


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
    assert site_of(url) == site


WORLDS = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([None, 0, 1, 2, 3]), st.booleans()), min_size=1, max_size=9
)


@given(WORLDS, st.randoms())
def test_groups_are_the_closure_of_shared_clusters_and_sites(
    world: list[tuple[int, int | None, bool]], random: object
) -> None:
    sources = [source(i, f"h{h}.example", None if c is None else f"cl-{c:016x}") for i, (h, c, _) in enumerate(world)]
    manual = {s.id: "manual:m" for s, (_, _, m) in zip(sources, world, strict=True) if m}
    clusters = [
        cluster(number, own)
        for number in range(4)
        if (own := [s.id for s in sources if s.cluster_id == f"cl-{number:016x}"])
    ]
    found = groups(sources, clusters, manual)
    shuffled = list(reversed(sources))
    assert groups(shuffled, clusters[::-1], manual) == found, "order plays no part"
    free = [s for s in sources if s.id not in manual]
    near = {
        s.id: {
            t.id
            for t in free
            if site_of(t.normalized_url) == site_of(s.normalized_url)
            or (s.cluster_id is not None and t.cluster_id == s.cluster_id)
        }
        for s in free
    }
    for s in free:
        reached = {s.id}
        while (more := set().union(*(near[r] for r in reached))) != reached:
            reached = more
        together = {t.id for t in free if found[t.id] == found[s.id]}
        if found[s.id].reason is Why.UNKNOWN:
            assert all(t.cluster_id is None for t in free if t.id in together)
        else:
            assert together == reached
