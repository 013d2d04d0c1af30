"""Bundles built from a draft over an archive that went through the real stages."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from fastwarc.warc import ArchiveIterator

from schemas import keys
from schemas.canonical import canonical_bytes, canonical_sha256
from schemas.description import description_sha256
from schemas.dsse import Envelope, pae
from schemas.merkle import leaf_hash, verify_inclusion
from schemas.reading import read_document
from schemas.records.bundle import Bundle
from schemas.records.claim import MatchLevel, Support, Verdict
from schemas.records.draft import Draft
from schemas.records.independence import IndependenceReason
from workers.cite.context import CONTEXT
from workers.flows.bundle import BuiltBundle

SURGE = "a surge of 3.2 metres at the outer gate"
GAUGE = "the outer gauge showed 3.2 metres above the mean"
DISPUTE = "the surge was 2.4 metres at most"
NAMES = {"bundle.json", "texts", "archive", "manifest", "keys"}


def files_of(directory):
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def two_sources(draft, news, **more):
    return draft(
        [("c-001", "critical")],
        [("c-001", news[0].url, SURGE, "full"), ("c-001", news[2].url, GAUGE, "full")],
        **more,
    )


def build(on_archive, pages, report, **options):
    async def scenario(archive):
        await archive.archive(*pages)
        return await archive.build(report, **options)

    built = on_archive(scenario)
    assert isinstance(built, BuiltBundle), [str(problem) for problem in built]
    return built


def test_the_seeds_gate_accepts_a_bundle_and_refuses_it_after_one_changed_character(on_archive, news, draft, seed_gate):
    """R089, R090, R091, R092, R093, R094, R095, X26."""
    built = build(on_archive, news, two_sources(draft, news))
    assert {entry.name for entry in built.directory.iterdir()} == NAMES
    assert built.bundle.claims[0].status is Verdict.SUPPORTED
    accepted = seed_gate(built.directory)
    assert (accepted.returncode, accepted.stdout) == (0, "citation bundle: ok\n"), accepted.stderr
    text = built.directory / (built.bundle.snapshots[0].text_path or "")
    text.write_bytes(text.read_bytes().replace(b"3.2", b"3.3", 1))
    refused = seed_gate(built.directory)
    assert refused.returncode == 1
    assert "digest mismatch" in refused.stderr


def test_the_validator_accepts_it_deeply_and_refuses_a_changed_copy(on_archive, news, draft, author, repository):
    """R019: what was claimed, by which source, what that said then, and that it still passes when checked again; one
    of its quotes leaves something out (C21), and its leaves promise what the pages say of themselves (R081)."""
    document = two_sources(draft, news).model_dump(mode="json", by_alias=True, exclude_none=True)
    document["evidence"][0].pop("quote")
    document["evidence"][0]["quotes"] = ["Engineers measured a surge of 3.2 metres", "since the gate was built"]
    report = Draft.model_validate_json(canonical_bytes(document))
    built = build(on_archive, news, report, sign=author)
    edge = built.bundle.evidence[0]
    assert [part.quote for part in edge.parts] == document["evidence"][0]["quotes"]
    assert edge.shown_quote == "Engineers measured a surge of 3.2 metres [\u2026] since the gate was built"
    assert (edge.parts[0].start, edge.parts[1].end) == (edge.quote_start, edge.quote_end)
    for snapshot in built.bundle.snapshots:
        promised = snapshot.inclusion.leaf.description_sha256
        assert promised == description_sha256(snapshot, snapshot.headings, snapshot.pages)
    accepted = validated(built, repository, "--profile", "strict")
    assert accepted.returncode == 0, accepted.stdout + accepted.stderr
    text = built.directory / (built.bundle.snapshots[0].text_path or "")
    text.write_bytes(text.read_bytes().replace(b"3.2", b"3.3", 1))
    assert validated(built, repository, "--profile", "strict").returncode == 1


def validated(built, repository, *options):
    """The checker, as a program of its own, in everything it can look at."""
    folder = built.directory.parent
    code = "import sys; from validator.cli import main; sys.exit(main())"
    trust = ["--trust", str(folder / "key.pub.pem"), "--trust", str(folder / "author.pub.pem")]
    return subprocess.run(
        [sys.executable, "-c", code, "bundle", str(built.directory), "--deep", *options, *trust],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_of_a_page_that_may_only_be_quoted_no_copy_is_handed_on(on_archive, news, draft, author, repository):
    """R080, R087, X24: quote, context, digests, time and proof stay; text and payload do not, and that is told."""
    report = draft([("c-001", "ordinary"), ("c-002", "critical")], [])
    edges = [("c-001", news[2], GAUGE), ("c-002", news[2], GAUGE), ("c-002", news[0], SURGE)]
    evidence = [{"claim_id": c, "url": page.url, "quote": quote, "support": "full"} for c, page, quote in edges]
    document = report.model_dump(mode="json", by_alias=True, exclude_none=True) | {"evidence": evidence}
    report = Draft.model_validate_json(canonical_bytes(document))

    async def scenario(archive):
        await archive.archive(*news)
        none = await archive.build(report, quote_only=["https://never.example/"])
        return none, await archive.build(report, sign=author, quote_only=[news[2].url])

    none, built = on_archive(scenario)
    assert [problem.code for problem in none] == ["draft.withholds-nothing"]
    (kept,) = [snapshot for snapshot in built.bundle.snapshots if snapshot.retention == "quote_only"]
    assert (kept.final_url, kept.text_path, kept.title) == (news[2].url, None, "Readings")
    assert {member.type for member in kept.warc.members} <= {"warcinfo", "request", "metadata"}
    plain = gzip.decompress((built.directory / "archive/records.warc.gz").read_bytes())
    assert b"error is below two centimetres" not in plain
    assert b"the outer gauge showed" not in plain
    assert not (built.directory / f"texts/{kept.id}.txt").exists()
    assert [claim.status.value for claim in built.bundle.claims] == ["supported", "single-source"]
    told = validated(built, repository, "--format", "json")
    report = json.loads(told.stdout)
    errors = {f["code"] for f in report["findings"] if f["severity"] == "error"}
    assert (told.returncode, errors) == (1, {"claim.not-supported"})  # a critical claim does not rest on it
    assert {"bundle.not-replayable", "warc.withheld"} <= {f["code"] for f in report["findings"]}
    assert report["checked"]["descriptions"] == len(built.bundle.snapshots)
    assert "/evidence/*/quote" in report["unchecked"]


def test_the_document_reads_back_strictly_and_every_span_gives_its_quote(on_archive, news, draft):
    """R001, R012, R078."""
    built = build(on_archive, news, two_sources(draft, news))
    data = (built.directory / "bundle.json").read_bytes()
    bundle = read_document(data, Bundle)
    assert bundle == built.bundle
    assert data == canonical_bytes(built.bundle)
    assert built.bundle_sha256 == hashlib.sha256(data).hexdigest()
    texts = {}
    for snapshot in bundle.snapshots:
        stored = (built.directory / snapshot.text_path).read_bytes()
        assert hashlib.sha256(stored).hexdigest() == snapshot.text_sha256
        texts[snapshot.id] = stored.decode("utf-8")
    for edge in bundle.evidence:
        text = texts[edge.snapshot_id]
        assert text[edge.quote_start : edge.quote_end] == edge.quote
        assert text[: edge.quote_start].endswith(edge.prefix)
        assert text[edge.quote_end :].startswith(edge.suffix)
        assert len(edge.prefix) == len(edge.suffix) == CONTEXT
        assert edge.match_level is MatchLevel.EXACT
        assert edge.locator.paragraph is not None


def test_judgements_are_bound_to_exactly_their_inputs(on_archive, news, draft):
    """X33, R097."""
    bundle = build(on_archive, news, two_sources(draft, news)).bundle
    digests = {snapshot.id: snapshot.text_sha256 for snapshot in bundle.snapshots}
    by_id = {judgement.id: judgement for judgement in bundle.judgements}
    for edge in bundle.evidence:
        judgement = by_id[edge.judgement_id]
        assert (judgement.evidence_id, judgement.support) == (edge.id, edge.support)
        assert judgement.checker_version == edge.checker_version == "draft@1"
        assert judgement.inputs_sha256 == canonical_sha256(
            {
                "claim_text": "Claim c-001.",
                "quote": edge.quote,
                "prefix": edge.prefix,
                "suffix": edge.suffix,
                "text_sha256": digests[edge.snapshot_id],
            }
        )


def test_records_are_the_archives_own_bytes_and_a_second_reader_takes_them(on_archive, news, draft):
    """R083."""

    async def scenario(archive):
        await archive.archive(*news)
        built = await archive.build(two_sources(draft, news))
        stored = [await archive.store.get(key) async for key in archive.store.list("warc/")]
        stored += [
            await archive.store.get(key) async for key in archive.store.list("text/") if key.endswith(".warc.gz")
        ]
        return built, stored

    built, stored = on_archive(scenario)
    warc = (built.directory / "archive/records.warc.gz").read_bytes()
    for snapshot in built.bundle.snapshots:
        kinds = [member.type for member in snapshot.warc.members]
        assert kinds == ["warcinfo", "request", "response", "warcinfo", "conversion"]
        for member in snapshot.warc.members:
            data = warc[member.offset : member.offset + member.length]
            assert any(data in file for file in stored)
            assert member.record_id.encode() in gzip.decompress(data)
    found = []
    for record in ArchiveIterator(io.BytesIO(warc), parse_http=False):
        assert record.verify_block_digest()
        found.append(record.record_id.strip("<>"))
    named = {member.record_id for snapshot in built.bundle.snapshots for member in snapshot.warc.members}
    assert set(found) == named
    assert len(found) == len(named)


def test_each_snapshot_is_proved_to_be_in_the_signed_log(on_archive, news, draft):
    built = build(on_archive, news, two_sources(draft, news))
    head = built.bundle.head
    stored = (built.directory / f"manifest/{head.sequence:010d}.json").read_bytes()
    assert stored == canonical_bytes(head)
    for snapshot in built.bundle.snapshots:
        proof = snapshot.inclusion
        hashes = [bytes.fromhex(item) for item in proof.hashes]
        leaf = leaf_hash(canonical_bytes(proof.leaf))
        assert proof.leaf.snapshot_id == snapshot.id
        assert verify_inclusion(leaf, proof.leaf_index, head.tree_size, hashes, bytes.fromhex(head.root_sha256))
    (signed,) = (built.directory / "manifest").glob("*.dsse.json")
    digest = hashlib.sha256(stored).hexdigest()
    assert f"manifests/{signed.name}" == keys.manifest_envelope(head.sequence, digest)
    envelope = read_document(signed.read_bytes(), Envelope)
    (signature,) = envelope.signatures
    key = load_pem_public_key((built.directory / f"keys/{signature.keyid}.pem").read_bytes())
    key.verify(signature.sig_bytes(), pae(envelope.payload_type, envelope.payload_bytes()))
    assert digest.encode() in envelope.payload_bytes()


def test_the_author_may_sign_what_the_bundle_asserts(on_archive, news, draft, author):
    built = build(on_archive, news, two_sources(draft, news), sign=author)
    assert built.signed
    envelope = read_document((built.directory / "bundle.dsse.json").read_bytes(), Envelope)
    key = load_pem_public_key((built.directory / f"keys/{author.keyid}.pem").read_bytes())
    key.verify(envelope.signatures[0].sig_bytes(), pae(envelope.payload_type, envelope.payload_bytes()))
    assert built.bundle_sha256.encode() in envelope.payload_bytes()
    assert (built.directory / f"keys/{author.keyid}.pem").read_text() == author.public_pem()


def test_equal_inputs_and_time_give_equal_bytes(on_archive, news, draft, author):
    async def scenario(archive):
        await archive.archive(*news)
        report = two_sources(draft, news)
        return [await archive.build(report, name, sign=author) for name in ("one", "two")]

    one, two = on_archive(scenario)
    assert files_of(one.directory) == files_of(two.directory)


def test_a_revisit_brings_its_original(on_archive, news, page, draft):
    again = page(news[0].url, news[0].paragraphs, news[0].title, 30)

    async def scenario(archive):
        await archive.archive(*news)
        (line,) = await archive.archive(again)
        return line, await archive.build(two_sources(draft, news))

    line, built = on_archive(scenario)
    (snapshot,) = [item for item in built.bundle.snapshots if item.id == line.snapshot.id]
    assert [member.type for member in snapshot.warc.members] == [
        "warcinfo",
        "response",
        "warcinfo",
        "request",
        "revisit",
        "warcinfo",
        "conversion",
    ]
    assert snapshot.records.payload in {member.record_id for member in snapshot.warc.members}


def test_copies_of_one_story_count_as_one(on_archive, news, draft):
    """R062, R070, R071: two hosts, one story."""
    report = draft(
        [("c-001", "critical"), ("c-002", "ordinary")],
        [
            ("c-001", news[0].url, SURGE, "full"),
            ("c-001", news[1].url, SURGE, "full"),
            ("c-002", news[1].url, SURGE, "full"),
        ],
    )
    bundle = build(on_archive, news, report).bundle
    assert [claim.status for claim in bundle.claims] == [Verdict.SINGLE_SOURCE, Verdict.SUPPORTED]
    (group,) = bundle.independence
    assert group.reason is IndependenceReason.CLUSTER
    assert len(group.source_ids) == 2
    (cluster,) = bundle.clusters
    assert len(cluster.members) == 2
    assert cluster.edges[0].confirmed
    assert len(bundle.evidence) == 3  # C15: sources are deduplicated, evidence never
    assert {edge.independence_group for edge in bundle.evidence} == {group.group}


def test_an_older_version_of_a_copy_is_no_second_source(on_archive, news, page, draft):
    """X31: what unites the two is not cited, so it is taken in."""
    before = page(news[1].url, ["The portal will report on the Harrow tidal barrier here from Monday on."], "Soon", 0)

    async def scenario(archive):
        (old,) = await archive.archive(before)
        await archive.archive(*news)
        report = draft(
            [("c-001", "critical")],
            [
                ("c-001", news[0].url, SURGE, "full"),
                ("c-001", old.snapshot.id, "The portal will report on the Harrow tidal barrier", "full"),
            ],
        )
        return await archive.build(report)

    built = on_archive(scenario)
    assert isinstance(built, BuiltBundle), built
    assert built.bundle.claims[0].status is Verdict.SINGLE_SOURCE
    assert len(built.bundle.snapshots) == 3
    assert len(built.bundle.independence) == 1
    cited = {edge.snapshot_id for edge in built.bundle.evidence}
    (extra,) = [snapshot for snapshot in built.bundle.snapshots if snapshot.id not in cited]
    assert extra.final_url == news[1].url
    assert (built.directory / extra.text_path).is_file()


def test_a_contradiction_shows_and_only_an_arbitration_downgrades_it(on_archive, news, draft):
    """X14, R075."""
    claims = [("c-001", "critical")]
    edges = [
        ("c-001", news[0].url, SURGE, "full"),
        ("c-001", news[2].url, GAUGE, "full"),
        ("c-001", news[3].url, DISPUTE, "contradicts"),
    ]
    arbitration = {
        "id": "a-1",
        "claim_id": "c-001",
        "evidence_ids": ["ev-003"],
        "by": "An editor",
        "at": "2026-11-29T11:30:00Z",
        "why": "The pilots withdrew their statement on Tuesday.",
        "resolution": "set_aside",
    }

    async def scenario(archive):
        await archive.archive(*news)
        return [
            await archive.build(draft(claims, edges), "open"),
            await archive.build(draft(claims, edges, arbitrations=[arbitration]), "settled"),
        ]

    opened, settled = on_archive(scenario)
    assert opened.bundle.claims[0].status is Verdict.CONFLICTED
    assert settled.bundle.claims[0].status is Verdict.SUPPORTED
    assert settled.bundle.evidence[2].support is Support.CONTRADICTS  # still there to be shown
    assert settled.bundle.arbitrations[0].by == "An editor"


def test_every_policy_that_shaped_a_record_is_there_whole(on_archive, news, draft):
    """X7."""
    bundle = build(on_archive, news, two_sources(draft, news)).bundle
    policies = {policy.id: policy for policy in bundle.policies}
    wanted = {name for item in bundle.snapshots for name in (item.extractor, item.normalizer, item.url_policy)}
    wanted |= {source.tier.policy for source in bundle.sources}
    wanted |= {name for cluster in bundle.clusters for name in (cluster.params, cluster.rules)}
    wanted |= {name for item in bundle.snapshots for name in item.inclusion.leaf.policies}
    assert wanted <= policies.keys()
    assert {policy.kind for policy in bundle.policies} == {
        "url",
        "tier",
        "fingerprint",
        "confirmation",
        "normalizer",
        "extractor",
        "suffixes",
    }
    for policy in bundle.policies:
        assert policy.sha256 == canonical_sha256(policy.value)
        assert policy.sha256.startswith(policy.id.partition("+")[2])


def test_any_spelling_of_a_request_finds_the_page(on_archive, page, draft):
    """R015: three claims on one page, spelled raw, as sent, and with tracking parameters: three edges, one document."""
    wire = "https://cafes.example/men%C3%BC?q=a%20b"
    menu = page(wire, ["The menu of the day has three courses and a glass of cider from the valley."])
    spellings = [
        wire,
        "https://cafes.example/menü?q=a b",
        "HTTPS://cafes.example:443/menü?utm_source=mail&q=a b#today",
    ]
    report = draft(
        [(f"c-00{number}", "ordinary") for number in (1, 2, 3)],
        [(f"c-00{n}", url, "three courses and a glass of cider", "full") for n, url in enumerate(spellings, 1)],
    )
    bundle = build(on_archive, [menu], report).bundle
    assert len({edge.snapshot_id for edge in bundle.evidence}) == 1
    assert len(bundle.evidence) == 3


def test_a_page_is_found_as_requested_and_as_final(on_archive, page, draft):
    moved = page(
        "https://new.example/page",
        ["The museum moved to the old customs house at the harbour in the spring of this year."],
        requested="https://old.example/page",
    )
    quote = "moved to the old customs house"
    report = draft(
        [("c-001", "ordinary"), ("c-002", "ordinary")],
        [("c-001", moved.url, quote, "full"), ("c-002", moved.requested, quote, "full")],
    )
    bundle = build(on_archive, [moved], report).bundle
    (source,) = bundle.sources
    assert source.host == "new.example"


def test_what_is_not_published_yet_is_published_first(on_archive, news, draft):
    async def scenario(archive):
        await archive.archive(*news)
        before = archive.index.state.sequence
        built = await archive.build(two_sources(draft, news))
        return before, built, await archive.ledger.at("published")

    before, built, published = on_archive(scenario)
    assert before == 0
    assert built.bundle.head.sequence == 1
    assert built.bundle.head.tree_size == len(news)
    assert len(published) == 1


def test_a_redirected_page_is_found_under_every_spelling_of_what_was_requested(on_archive, page, draft):
    moved = page(
        "https://new.example/page",
        ["The museum moved to the old customs house at the harbour in the spring of this year."],
        requested="https://old.example/café",
    )
    spellings = [moved.requested, "https://old.example/caf%C3%A9"]
    report = draft(
        [("c-001", "ordinary"), ("c-002", "ordinary")],
        [(f"c-00{n}", url, "moved to the old customs house", "full") for n, url in enumerate(spellings, 1)],
    )
    bundle = build(on_archive, [moved], report).bundle
    assert len(bundle.snapshots) == 1
