"""A JSON value to a record: schema id, then every field, strictly."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reading import DocumentError, DocumentProblem, read_document
from schemas.reading.document import schema_id
from schemas.records.claim import Importance
from schemas.records.draft import Draft
from schemas.records.manifest import ManifestHead
from schemas.records.snapshot import Snapshot

P = DocumentProblem

DRAFT: dict[str, Any] = {
    "schema": "citevault/draft@1",
    "id": "report-7",
    "claims": [{"id": "c-01", "text": "Water boils at 100 degrees.", "importance": "critical"}],
    "evidence": [{"claim_id": "c-01", "url": "https://example.com/", "quote": "boils at 100", "support": "full"}],
}
HEAD: dict[str, Any] = {
    "schema": "citevault/manifest@1",
    "sequence": 1,
    "previous_sha256": None,
    "created_at": "2026-11-29T10:00:00.123456Z",
    "tree_size": 3,
    "root_sha256": "ab" * 32,
    "first_leaf": 0,
    "leaves_sha256": "cd" * 32,
}


def draft(**changes: object) -> bytes:
    return json.dumps(DRAFT | changes).encode()


def head(**changes: object) -> bytes:
    return json.dumps(HEAD | changes).encode()


def refused(result: object) -> tuple[DocumentProblem, str]:
    assert isinstance(result, DocumentError), result
    return result.code, result.pointer


def test_a_good_document_is_its_record() -> None:
    record = read_document(draft(), Draft)
    assert isinstance(record, Draft)
    assert record.claims[0].importance is Importance.CRITICAL
    assert isinstance(read_document(head(), ManifestHead), ManifestHead)


def test_an_unknown_version_is_told_from_another_kind() -> None:
    assert refused(read_document(draft(schema="citevault/draft@2", new_field=1), Draft)) == (
        P.UNKNOWN_VERSION,
        "/schema",
    )
    assert refused(read_document(draft(schema="citevault/bundle@1"), Draft)) == (P.WRONG_SCHEMA, "/schema")
    assert refused(read_document(draft(schema="Citevault/draft@1"), Draft)) == (P.WRONG_SCHEMA, "/schema")
    assert refused(read_document(draft(schema=["citevault/draft@1"]), Draft)) == (P.WRONG_SCHEMA, "/schema")


def test_the_schema_may_be_left_out_only_where_the_record_says_so() -> None:
    without = {name: value for name, value in DRAFT.items() if name != "schema"}
    assert isinstance(read_document(json.dumps(without).encode(), Draft), Draft)
    without = {name: value for name, value in HEAD.items() if name != "schema"}
    assert refused(read_document(json.dumps(without).encode(), ManifestHead)) == (P.MISSING_FIELD, "")


def test_a_schema_of_many_characters_is_not_repeated() -> None:
    result = read_document(draft(schema="citevault/draft@1" + "secret" * 10), Draft)
    assert isinstance(result, DocumentError)
    assert "secret" not in str(result)


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        ({"sequence": "1"}, P.WRONG_TYPE, "/sequence"),
        ({"sequence": 1.0}, P.WRONG_TYPE, "/sequence"),
        ({"sequence": True}, P.WRONG_TYPE, "/sequence"),
        ({"sequence": None}, P.WRONG_TYPE, "/sequence"),
        ({"sequence": 0}, P.BAD_VALUE, "/sequence"),
        ({"tree_size": -1}, P.BAD_VALUE, "/tree_size"),
        ({"root_sha256": "AB" * 32}, P.BAD_VALUE, "/root_sha256"),
        ({"root_sha256": "ab" * 32 + "\n"}, P.BAD_VALUE, "/root_sha256"),
        ({"root_sha256": "ab" * 31}, P.BAD_VALUE, "/root_sha256"),
        ({"root_sha256": 7}, P.WRONG_TYPE, "/root_sha256"),
        ({"comment": "hello"}, P.UNKNOWN_FIELD, "/comment"),
        ({"schema_id": "citevault/manifest@1"}, P.UNKNOWN_FIELD, "/schema_id"),
        ({"X_comment": "hello"}, P.UNKNOWN_FIELD, "/X_comment"),
        ({"x_": "hello"}, P.UNKNOWN_FIELD, "/x_"),
    ],
)
def test_a_field_is_held_to_its_type(change: dict[str, object], code: DocumentProblem, pointer: str) -> None:
    assert refused(read_document(head(**change), ManifestHead)) == (code, pointer)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (draft(claims=[]), "There are no claims at /claims: expected at least 1, found none"),
        (
            draft(evidence=[DRAFT["evidence"][0] | {"quotes": []}]),
            "There are no quotes at /evidence/0/quotes: expected at least 2, found none",
        ),
        (
            draft(evidence=[DRAFT["evidence"][0] | {"quotes": ["boils"]}]),
            "A value is not allowed at /evidence/0/quotes: expected at least 2 entries, found an array of 1",
        ),
        (
            b"[]",
            "The document has the wrong type: expected an object with claims, evidence, found an array of 0",
        ),
    ],
)
def test_a_list_without_what_it_needs_says_what_is_missing(document: bytes, told: str) -> None:
    assert str(read_document(document, Draft)) == told


@pytest.mark.parametrize(
    "time",
    [
        "2026-11-29T10:00:00",
        "2026-11-29T10:00:00+00:00",
        "2026-11-29T10:00:00+08:00",
        "2026-11-29 10:00:00Z",
        "2026-11-29T10:00:00z",
        "2026-11-29t10:00:00Z",
        "2026-11-29T10:00Z",
        "2026-11-29T10:00:00.Z",
        "2026-11-29T10:00:00.0000000001Z",
        "2026-13-01T10:00:00Z",
        "2026-11-29T24:00:00Z",
        "2026-11-29T10:00:60Z",
        "20261129T100000Z",
        "2026-11-29T10:00:00Z\n",
    ],
)
def test_a_time_is_rfc_3339_in_utc_with_z(time: str) -> None:
    assert refused(read_document(head(created_at=time), ManifestHead)) == (P.BAD_VALUE, "/created_at")


def test_nanoseconds_are_kept_to_the_letter() -> None:
    """R016, R082: a time is a string, so nothing is rounded away."""
    record = read_document(head(created_at="2026-11-29T10:00:00.123456789Z"), ManifestHead)
    assert isinstance(record, ManifestHead)
    assert record.created_at == "2026-11-29T10:00:00.123456789Z"


def test_extensions_are_kept() -> None:
    record = read_document(head(x_note={"a": [1, 0.5, None]}), ManifestHead)
    assert isinstance(record, ManifestHead)
    assert record.model_dump(by_alias=True)["x_note"] == {"a": [1, 0.5, None]}


@pytest.mark.parametrize("importance", ["Critical", "CRITICAL", "critical ", "", "high", None, 1])
def test_importance_is_never_guessed(importance: object) -> None:
    """X17: a typo is an error and never `ordinary`."""
    claims = [DRAFT["claims"][0] | {"importance": importance}]
    assert refused(read_document(draft(claims=claims), Draft))[1] == "/claims/0/importance"


def test_a_missing_field_is_named_at_the_object_that_lacks_it() -> None:
    claims = [DRAFT["claims"][0], {"id": "c-02", "text": "x"}]
    result = read_document(draft(claims=claims), Draft)
    assert refused(result) == (P.MISSING_FIELD, "/claims/1")
    assert "importance" in str(result)


def test_a_rule_between_fields_points_at_their_object() -> None:
    evidence = [DRAFT["evidence"][0] | {"snapshot_id": "snap-0123456789ab-20261129T100000Z-01234567"}]
    assert refused(read_document(draft(evidence=evidence), Draft)) == (P.BAD_VALUE, "/evidence/0")


def test_no_error_repeats_the_document() -> None:
    secret = "s3cr3t-t0ken"
    claim = DRAFT["claims"][0]
    for changed in (
        draft(claims=[claim | {"importance": secret}]),
        draft(claims=[claim | {"id": secret}]),
        draft(claims=secret),
        draft(claims=[claim | {"place": {"document": 1, "start": secret, "end": 2}}]),
        draft(schema=secret),
        draft(**{secret + "\x1b[31m": 1}),
        draft(evidence=[secret]),
    ):
        result = read_document(changed, Draft)
        assert isinstance(result, DocumentError)
        assert secret not in str(result)


@given(st.sampled_from(sorted(HEAD)), st.none() | st.booleans() | st.integers() | st.text() | st.floats())
def test_no_value_raises(name: str, value: object) -> None:
    document = json.dumps(HEAD | {name: value}, ensure_ascii=True).encode()
    assert isinstance(read_document(document, ManifestHead), (ManifestHead, DocumentError))


@pytest.mark.parametrize("text", ["null", "5", '"x"', "[]", "[{}]", "true"])
def test_a_document_that_is_no_object_is_an_error(text: str) -> None:
    assert refused(read_document(text.encode(), Draft)) == (P.WRONG_TYPE, "")


def test_schema_ids_are_found_through_aliases_and_nullable_fields() -> None:
    assert schema_id(Draft) == "citevault/draft@1"
    assert schema_id(Snapshot) == "citevault/snapshot@1"


def test_version_1_takes_snapshot_id_for_a_snapshots_own_id(snapshot_document: dict[str, Any]) -> None:
    """X13, R081."""
    own = snapshot_document["id"]
    renamed = {name: value for name, value in snapshot_document.items() if name != "id"} | {"snapshot_id": own}
    record = read_document(json.dumps(renamed).encode(), Snapshot)
    assert isinstance(record, Snapshot)
    assert record.id == own
    both = snapshot_document | {"snapshot_id": own}
    assert refused(read_document(json.dumps(both).encode(), Snapshot)) == (P.UNKNOWN_FIELD, "/snapshot_id")
