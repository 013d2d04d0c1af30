"""The data contract of the seed documents, as record types hold it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from schemas import keys
from schemas.ids import source_id
from schemas.reading import DocumentError, read_document
from schemas.records.claim import Claim, Evidence, Judgement, Support, Verdict
from schemas.records.cluster import Fingerprint
from schemas.records.draft import Draft, DraftEvidence
from schemas.records.job import SearchHit, Seed
from schemas.records.manifest import SAID_TWICE, Leaf
from schemas.records.snapshot import Snapshot
from schemas.records.source import Source, Tier

FOUR_URLS = ("requested_url", "final_url", "declared_canonical", "normalized_url")


def required(kind: type[BaseModel]) -> set[str]:
    """Fields that must stand in the file."""
    return {field.alias or name for name, field in kind.model_fields.items() if field.is_required()}


def test_hit_source_snapshot_claim_and_evidence_are_five_types() -> None:
    """R002."""
    kinds: set[type[BaseModel]] = {SearchHit, Source, Snapshot, Claim, Evidence}
    assert len({frozenset(kind.model_fields) for kind in kinds}) == 5


def test_each_snapshot_has_one_source_and_each_edge_one_claim_and_one_snapshot() -> None:
    """R003: the references stand on the side of the many, so nothing bounds how many there are."""
    assert "source_id" in required(Snapshot)
    assert {"claim_id", "snapshot_id", "source_id"} <= required(Evidence)
    assert not {"snapshot_ids", "evidence_ids", "evidence"} & (set(Source.model_fields) | set(Claim.model_fields))


def test_a_source_says_who_stands_behind_it_and_where_it_belongs() -> None:
    """R005."""
    assert {"normalized_url", "author", "publisher", "tier", "cluster_id"} <= set(Source.model_fields)


def test_a_snapshot_binds_bytes_text_and_answer_to_one_moment() -> None:
    """R006, R032: with the four URLs side by side, always present."""
    assert {"content_sha256", "text_sha256", "http_status", "content_type", "retrieved_at"} <= required(Snapshot)
    assert set(FOUR_URLS) <= required(Snapshot)
    assert set(FOUR_URLS) <= required(Leaf)


def test_claim_and_edge_have_the_fields_of_the_contract() -> None:
    """R007, R008, R009, R010, R011: an edge names its claim, its span, and how it bears on it."""
    assert {"id", "text", "importance", "status"} <= required(Claim)
    wanted = {"id", "claim_id", "source_id", "snapshot_id", "support", "quote", "quote_start", "quote_end"}
    assert wanted | {"independence_group", "checked_at", "checker_version"} <= required(Evidence)
    assert "locator" in Evidence.model_fields


def test_support_has_the_four_values_and_a_verdict_is_another_thing() -> None:
    """R073, R076, X16: a claim's status is of the derived vocabulary, an edge's support of the asserted one."""
    assert {value.value for value in Support} == {"full", "partial", "no_support", "contradicts"}
    assert {value.value for value in Verdict} == {
        "conflicted", "supported", "single-source", "partial", "unsupported", "uncited",
    }  # fmt: skip
    assert Claim.model_fields["status"].annotation is Verdict
    assert Evidence.model_fields["support"].annotation is Support


def test_tiers_are_the_four_categories() -> None:
    """R063, X30: the table that the translation lost."""
    assert {tier.value for tier in Tier} == {"official", "primary", "secondary", "aggregator"}


def test_a_digest_says_of_what_and_none_is_called_hash() -> None:
    """R052, R053, R054, R055, X25: payload, text and near-duplicate fingerprint have names of their own."""
    named = set(Snapshot.model_fields) | set(Leaf.model_fields) | set(Fingerprint.model_fields)
    assert {"raw_sha256", "content_sha256", "repr_sha256", "decoded_sha256", "text_sha256", "minhash_sha256"} <= named
    assert not {"hash", "digest", "sha256"} & named


def test_a_record_says_which_transformation_made_its_text() -> None:
    """R056."""
    assert {"extractor", "normalizer", "url_policy"} <= required(Snapshot)
    assert {"extractor", "normalizer", "fingerprint_params", "policies"} <= required(Leaf)


def test_another_extractor_writes_beside_the_old_output_never_over_it() -> None:
    """R057."""
    segment = "20261129T120000Z-01KB7Q8ZJ4M8V3T0N5R6W9XAAA"
    old, new = "trafilatura@2.3.1+00000000", "trafilatura@2.4.0+11111111"
    assert keys.snapshots(old, segment) != keys.snapshots(new, segment)
    assert keys.conversion(old, segment, "a1") != keys.conversion(new, segment, "a1")


@pytest.mark.parametrize("kind", [Evidence, DraftEvidence])
def test_an_edge_cannot_hold_a_snippet_or_a_search_hit(kind: type[BaseModel]) -> None:
    """R079: it is bound to a snapshot, or to a page whose snapshot is looked up; a snippet is no field of it."""
    assert not {"snippet", "rank", "provider", "query", "hit", "score"} & set(kind.model_fields)
    claims = [{"id": "c-01", "text": "It rained.", "importance": "ordinary"}]
    edge = {"claim_id": "c-01", "url": "https://a.example/", "quote": "It rained all day", "support": "full"}
    assert isinstance(read_document(json.dumps({"claims": claims, "evidence": [edge]}).encode(), Draft), Draft)
    edge["snippet"] = "It rained"
    refused = read_document(json.dumps({"claims": claims, "evidence": [edge]}).encode(), Draft)
    assert isinstance(refused, DocumentError)
    assert refused.pointer == "/evidence/0/snippet"


@given(st.integers(0, 1000), st.integers(0, 1000), st.text(max_size=20), st.text(max_size=20))
def test_rank_and_provider_never_decide_which_resource_it_is(one: int, other: int, query: str, provider: str) -> None:
    """R018: identity is a function of the URL alone, whatever a provider says of it."""

    def seed(rank: int) -> Seed:
        url = "https://docs.example.com/a"
        hit = SearchHit(url=url, rank=rank, query=query, provider=provider)
        return Seed(line=1, requested_url=url, normalized_url=url, hits=(hit,))

    assert source_id(seed(one).normalized_url) == source_id(seed(other).normalized_url)


def test_a_judgement_carries_its_checker_its_reason_and_the_digest_of_what_it_saw() -> None:
    """R097: so a second opinion is appended, and one on other inputs is known as stale."""
    assert {"support", "checker_version", "rationale", "inputs_sha256", "judged_at"} <= required(Judgement)


def test_coverage_is_a_figure_beside_the_verdicts() -> None:
    """R096: an average hides no claim, since each has a verdict of its own."""
    from schemas.records.finding import ClaimVerdict, Report

    assert {"verdicts", "coverage_ppm", "findings"} <= set(Report.model_fields)
    assert {"claim_id", "verdict", "groups", "required"} <= required(ClaimVerdict)


def test_what_leaf_and_snapshot_both_say_is_listed_but_for_their_kind_and_records() -> None:
    both = [name for name in Leaf.model_fields if name in Snapshot.model_fields]
    assert [name for name in both if name not in ("schema_id", "records")] == list(SAID_TWICE)
