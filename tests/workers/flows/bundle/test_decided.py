"""What people decided, as a bundle shows it."""

from __future__ import annotations

from schemas.canonical import sha256_hex
from schemas.records.claim import Verdict
from schemas.records.decision import EdgeName, GroupSources, SetAside
from schemas.records.independence import IndependenceReason
from workers.flows.decisions import append_decision

NOW = "2026-11-29T11:00:00Z"
WHY = "Both pages quote one press release."
SURGE = "a surge of 3.2 metres at the outer gate"
GAUGE = "the outer gauge showed 3.2 metres above the mean"
DISPUTE = "the surge was 2.4 metres at most"


def test_a_manual_group_makes_two_sources_one(on_archive, news, draft):
    """R070."""
    report = draft(
        [("c-001", "critical")],
        [("c-001", news[0].url, SURGE, "full"), ("c-001", news[2].url, GAUGE, "full")],
    )

    async def scenario(archive):
        lines = await archive.archive(*news)
        sources = (lines[0].snapshot.source_id, lines[2].snapshot.source_id)
        before = await archive.build(report, "before")
        decision = GroupSources(name="press-release", source_ids=sources)
        await append_decision(archive.store, decision, by="Ada", why=WHY, now=NOW)
        return before, await archive.build(report, "after")

    before, after = on_archive(scenario)
    assert before.bundle.claims[0].status is Verdict.SUPPORTED
    assert after.bundle.claims[0].status is Verdict.SINGLE_SOURCE
    (group,) = after.bundle.independence
    assert (group.group, group.reason, group.by, group.why) == (
        "manual:press-release",
        IndependenceReason.MANUAL,
        "Ada",
        WHY,
    )


def test_merging_a_page_with_another_brings_its_copy_along(on_archive, news, draft):
    """R071, X34: a page and its near-copy count as one, whatever one of them is merged with."""
    report = draft(
        [("c-001", "critical")],
        [
            ("c-001", news[0].url, SURGE, "full"),
            ("c-001", news[1].url, SURGE, "full"),
        ],
    )
    other = draft(
        [("c-001", "critical")],
        [
            ("c-001", news[0].url, SURGE, "full"),
            ("c-001", news[1].url, SURGE, "full"),
            ("c-001", news[2].url, GAUGE, "full"),
        ],
    )

    async def scenario(archive):
        lines = await archive.archive(*news)
        sources = (lines[0].snapshot.source_id, lines[2].snapshot.source_id)
        await append_decision(archive.store, GroupSources(name="odd", source_ids=sources), by="Ada", why=WHY, now=NOW)
        return await archive.build(report, "copies"), await archive.build(other, "all")

    copies, everything = on_archive(scenario)
    assert [group.reason for group in copies.bundle.independence] == [IndependenceReason.CLUSTER]
    assert [group.group for group in everything.bundle.independence] == ["manual:odd"]
    for built in (copies, everything):
        assert built.bundle.claims[0].status is Verdict.SINGLE_SOURCE


def test_only_a_manual_record_splits_a_cluster(on_archive, news, draft):
    """X31, X34."""
    report = draft(
        [("c-001", "critical")],
        [("c-001", news[0].url, SURGE, "full"), ("c-001", news[1].url, SURGE, "full")],
    )

    async def scenario(archive):
        lines = await archive.archive(*news)
        decision = GroupSources(name="portal", source_ids=(lines[1].snapshot.source_id,))
        await append_decision(archive.store, decision, by="Ada", why="Its reporter was there herself.", now=NOW)
        return await archive.build(report)

    bundle = on_archive(scenario).bundle
    assert {group.group for group in bundle.independence} == {"manual:portal", "site:daily.example"}
    assert bundle.claims[0].status is Verdict.SUPPORTED
    assert len(bundle.clusters) == 1  # the cluster is shown all the same


def test_a_logged_arbitration_stands_in_every_later_bundle_of_the_report(on_archive, news, draft):
    """X14."""
    claims = [("c-001", "ordinary")]
    edges = [("c-001", news[0].url, SURGE, "full"), ("c-001", news[3].url, DISPUTE, "contradicts")]

    async def scenario(archive):
        lines = await archive.archive(*news)
        decision = SetAside(
            report="report",
            claim_id="c-001",
            claim_sha256=sha256_hex(b"Claim c-001."),
            evidence=(EdgeName(snapshot_id=lines[3].snapshot.id, quote_sha256=sha256_hex(DISPUTE.encode())),),
        )
        await append_decision(archive.store, decision, by="Ada", why="The statement was withdrawn.", now=NOW)
        return [
            await archive.build(draft(claims, edges), "same"),
            await archive.build(draft(claims, edges[::-1]), "reordered"),
            await archive.build(draft(claims, edges, id="other-report"), "other"),
        ]

    same, reordered, other = on_archive(scenario)
    assert [built.bundle.claims[0].status for built in (same, reordered, other)] == [
        Verdict.SUPPORTED,
        Verdict.SUPPORTED,
        Verdict.CONFLICTED,
    ]
    assert same.bundle.arbitrations[0].evidence_ids == ("ev-002",)
    assert reordered.bundle.arbitrations[0].evidence_ids == ("ev-001",)
    assert same.bundle.arbitrations[0].id == "decision-1"
