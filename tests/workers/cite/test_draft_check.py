from __future__ import annotations

import json

import pytest
from pydantic import JsonValue

from schemas.canonical import canonical_bytes
from schemas.records.draft import Draft
from workers.cite.draft_check import check_draft, evidence_id, judgement_id

CLAIM: JsonValue = {"id": "c-001", "text": "It closed.", "importance": "critical"}
EDGE: dict[str, JsonValue] = {
    "claim_id": "c-001",
    "url": "https://a.example/",
    "quote": "closed at dawn",
    "support": "contradicts",
}
ARBITRATION: dict[str, JsonValue] = {
    "id": "a-1",
    "claim_id": "c-001",
    "evidence_ids": ["ev-001"],
    "by": "An editor",
    "at": "2026-11-29T12:00:00Z",
    "why": "The page was withdrawn by its author.",
    "resolution": "set_aside",
}


def read(**fields: JsonValue) -> Draft:
    return Draft.model_validate_json(canonical_bytes({"claims": [CLAIM], "evidence": [EDGE], **fields}))


def test_a_good_draft_has_no_problem():
    assert check_draft(read(arbitrations=[ARBITRATION])) == []
    assert (evidence_id(0), judgement_id(1233)) == ("ev-001", "j-1234")


@pytest.mark.parametrize(
    ("fields", "code", "where"),
    [
        ({"claims": [CLAIM, CLAIM]}, "draft.duplicate-claim", "/claims/1/id"),
        ({"claims": [CLAIM, {**CLAIM, "id": "c-002", "text": "it  CLOSED"}]}, "draft.claim-twice", "/claims/1/text"),
        ({"evidence": []}, "draft.empty", "/evidence"),
        ({"evidence": [EDGE, {**EDGE, "claim_id": "c-002"}]}, "draft.unknown-claim", "/evidence/1/claim_id"),
        ({"arbitrations": [{**ARBITRATION, "evidence_ids": ["ev-002"]}]}, "draft.bad-arbitration", "/arbitrations/0"),
        ({"arbitrations": [ARBITRATION, ARBITRATION]}, "draft.bad-arbitration", "/arbitrations/1"),
        ({"arbitrations": [{**ARBITRATION, "id": "decision-1"}]}, "draft.bad-arbitration", "/arbitrations/0"),
        ({"arbitrations": [{**ARBITRATION, "by": "\u200b"}]}, "draft.bad-arbitration", "/arbitrations/0"),
        ({"arbitrations": [{**ARBITRATION, "why": "\u2060" * 12}]}, "draft.bad-arbitration", "/arbitrations/0"),
        (
            {"evidence": [{**EDGE, "support": "full"}], "arbitrations": [ARBITRATION]},
            "draft.bad-arbitration",
            "/arbitrations/0",
        ),
    ],
)
def test_each_fault_has_its_place(fields: dict[str, JsonValue], code: str, where: str):
    """X32, X14."""
    (problem,) = check_draft(read(**fields))
    assert (problem.code, problem.pointer) == (code, where)
    assert problem.next_step
    assert str(problem).startswith(problem.message)


def test_a_place_that_ends_before_it_starts_is_told() -> None:
    place = {"document": "report.md", "start": 20, "end": 5}
    claim = {"id": "c-01", "text": "It rained.", "importance": "ordinary", "place": place}
    edge = {"claim_id": "c-01", "url": "https://a.example/", "quote": "It rained all day", "support": "full"}
    draft = Draft.model_validate_json(json.dumps({"claims": [claim], "evidence": [edge]}))
    assert [(problem.code, problem.pointer) for problem in check_draft(draft)] == [
        ("draft.bad-place", "/claims/0/place")
    ]
