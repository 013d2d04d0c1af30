"""The worked example of `schemas/README.md` is right, value by value, and the text names what exists."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from schemas import export, ids, keys
from schemas.canonical import canonical_bytes, canonical_sha256, sha256_hex
from schemas.dsse import Statement, key_id, pae, statement_bytes
from schemas.merkle import leaf_hash, verify_inclusion
from schemas.reading import read_document
from schemas.records.manifest import MANIFEST_PREDICATE, PAYLOAD_TYPE, Leaf, ManifestHead, ManifestPredicate
from schemas.text_v1 import normalize


@pytest.fixture(scope="module")
def readme(repository: Path) -> str:
    return (repository / "schemas/README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def example(repository: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((repository / "schemas/example.json").read_text("utf-8"))
    return values


def test_the_contents_name_each_section(readme: str) -> None:
    sections = re.findall(r"^## ([0-9]+)\. ", readme, re.M)
    assert re.findall(r"\]\(#([0-9]+)-", readme[: readme.index("\n## ")]) == sections


def test_the_ids_follow_from_url_time_and_record(example: dict[str, Any]) -> None:
    """R016, X28: nothing is counted, so nothing can be lost or collide."""
    assert ids.source_id(example["normalized_url"]) == example["source_id"]
    made = ids.snapshot_id(example["source_id"], example["retrieved_at"], example["record_id"])
    assert made == example["snapshot_id"]


def test_the_text_and_its_map_follow_from_the_extracted_string(example: dict[str, Any]) -> None:
    result = normalize(example["extracted"])
    assert result.text == example["text"]
    assert json.loads(result.offsets.to_json()) == example["offset_map"]
    assert sha256_hex(result.text.encode()) == example["text_sha256"]


def test_the_quote_stands_where_the_edge_says(example: dict[str, Any]) -> None:
    """R012, R013: a half-open span of the stored text."""
    edge, text = example["quote"], example["text"]
    start, end = edge["quote_start"], edge["quote_end"]
    assert text[start:end] == edge["quote"]
    assert text[max(0, start - 32) : start] == edge["prefix"]
    assert text[end : end + 32] == edge["suffix"]
    assert list(normalize(example["extracted"]).offsets.span_to_input(start, end)) == edge["input_span"]
    assert canonical_sha256(example["judgement_inputs"]) == example["inputs_sha256"]


def test_the_records_digests_follow_from_the_block(example: dict[str, Any]) -> None:
    block = example["response_block"].encode()
    assert sha256_hex(block) == example["block_sha256"]
    assert sha256_hex(block.split(b"\r\n\r\n", 1)[1]) == example["content_sha256"]


def test_the_leaf_is_in_the_tree(example: dict[str, Any]) -> None:
    leaf = read_document(json.dumps(example["leaf"]).encode(), Leaf)
    assert isinstance(leaf, Leaf)
    written = canonical_bytes(leaf)
    assert len(written) == example["leaf_bytes"]
    assert leaf_hash(written).hex() == example["leaf_hash"]
    assert example["inclusion"] == [example["other_leaf_hash"]]
    head, path = example["head"], [bytes.fromhex(item) for item in example["inclusion"]]
    top = bytes.fromhex(head["root_sha256"])
    assert verify_inclusion(leaf_hash(written), example["leaf_index"], head["tree_size"], path, top)


def test_the_head_is_signed(example: dict[str, Any]) -> None:
    head = read_document(json.dumps(example["head"]).encode(), ManifestHead)
    assert isinstance(head, ManifestHead)
    digest = sha256_hex(canonical_bytes(head))
    assert digest == example["head_sha256"]
    assert keys.manifest_envelope(head.sequence, digest) == example["envelope_key"]
    predicate = ManifestPredicate(
        sequence=head.sequence,
        tree_size=head.tree_size,
        root_sha256=head.root_sha256,
        previous_sha256=head.previous_sha256,
        created_at=head.created_at,
    )
    payload = statement_bytes(keys.manifest_head(head.sequence), digest, MANIFEST_PREDICATE, predicate)
    assert payload.decode() == example["statement"]
    assert isinstance(read_document(payload, Statement), Statement)
    spki = base64.b64decode(example["public_key_spki"])
    assert key_id(spki) == example["keyid"]
    key = serialization.load_der_public_key(spki)
    assert isinstance(key, Ed25519PublicKey)
    key.verify(base64.b64decode(example["signature"]), pae(PAYLOAD_TYPE, payload))


def test_the_text_tells_the_values_of_the_example(readme: str, example: dict[str, Any]) -> None:
    for name in (
        "source_id",
        "snapshot_id",
        "text_sha256",
        "inputs_sha256",
        "block_sha256",
        "content_sha256",
        "leaf_hash",
        "head_sha256",
        "envelope_key",
        "keyid",
    ):
        assert f"`{example[name]}`" in readme, name
    assert json.dumps(example["offset_map"], separators=(",", ":")) in readme


def test_every_schema_id_that_the_text_names_exists(readme: str) -> None:
    others = {"citevault/url-policy@1", "citevault/cluster-segment@1"}
    named = set(re.findall(r"`(citevault/[a-z-]+@[0-9]+)`", readme))
    assert named <= set(export.documents()) | others


def test_links_within_the_text_lead_somewhere(readme: str) -> None:
    anchors = set()
    for title in re.findall(r"^#+ (.+)$", readme, re.MULTILINE):
        anchors.add(re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-"))
    assert set(re.findall(r"\]\(#([^)]+)\)", readme)) <= anchors
    assert "PLACEHOLDER" not in readme
