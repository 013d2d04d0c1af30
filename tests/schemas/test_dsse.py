"""DSSE envelopes and in-toto statements, read by a second implementation."""

import json

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from securesystemslib.dsse import Envelope as PeerEnvelope
from securesystemslib.signer._key import SSlibKey

from schemas.dsse import Envelope, Statement, decode_base64, envelope_bytes, key_id, pae, statement_bytes
from schemas.reading import DocumentError, DocumentProblem, read_document
from schemas.records.manifest import MANIFEST_PREDICATE, PAYLOAD_TYPE, ManifestPredicate

HEAD_SHA256 = "ab" * 32
PREDICATE = ManifestPredicate(
    sequence=1, tree_size=2, root_sha256="cd" * 32, previous_sha256=None, created_at="2026-11-29T10:00:00Z"
)


def test_the_signed_bytes_are_those_of_the_protocol() -> None:
    """The example of the DSSE protocol document."""
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_lengths_count_bytes_not_characters() -> None:
    assert pae("é", b"\xff\x00") == b"DSSEv1 2 \xc3\xa9 2 \xff\x00"


@given(st.text(max_size=20).filter(lambda s: s.isprintable()), st.binary(max_size=50))
def test_a_second_implementation_signs_the_same_bytes(kind: str, payload: bytes) -> None:
    assert PeerEnvelope(payload, kind, {}).pae() == pae(kind, payload)


def test_a_second_implementation_verifies_our_envelope() -> None:
    key = Ed25519PrivateKey.generate()
    der = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    payload = statement_bytes("manifests/0000000001.json", HEAD_SHA256, MANIFEST_PREDICATE, PREDICATE)
    stored = envelope_bytes(payload, [(key_id(der), key.sign(pae(PAYLOAD_TYPE, payload)))])
    peer = PeerEnvelope.from_dict(json.loads(stored))
    trusted = SSlibKey(key_id(der), "ed25519", "ed25519", {"public": key.public_key().public_bytes_raw().hex()})
    assert list(peer.verify([trusted], threshold=1)) == [key_id(der)]
    assert peer.payload == payload


def test_our_reader_gives_back_what_was_signed() -> None:
    payload = statement_bytes("manifests/0000000001.json", HEAD_SHA256, MANIFEST_PREDICATE, PREDICATE)
    envelope = read_document(envelope_bytes(payload, [("ef" * 32, b"signature")]), Envelope)
    assert isinstance(envelope, Envelope)
    assert envelope.payload_bytes() == payload
    assert envelope.signatures[0].sig_bytes() == b"signature"
    statement = read_document(payload, Statement)
    assert isinstance(statement, Statement)
    assert statement.subject[0].digest.sha256 == HEAD_SHA256
    assert statement.predicate_type == MANIFEST_PREDICATE
    assert ManifestPredicate.model_validate(statement.predicate) == PREDICATE


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        ({"extra": 1}, DocumentProblem.UNKNOWN_FIELD, "/extra"),
        ({"payloadType": "text/plain"}, DocumentProblem.BAD_VALUE, "/payloadType"),
        ({"signatures": []}, DocumentProblem.BAD_VALUE, "/signatures"),
        (
            {"signatures": [{"keyid": "ef" * 32, "sig": "", "cert": "x"}]},
            DocumentProblem.UNKNOWN_FIELD,
            "/signatures/0/cert",
        ),
        ({"payload": "a-b_"}, DocumentProblem.BAD_VALUE, "/payload"),
    ],
)
def test_an_envelope_with_something_else_in_it_is_refused(
    change: dict[str, object], code: DocumentProblem, pointer: str
) -> None:
    """C47: an unknown signature field is not passed over."""
    document = json.loads(envelope_bytes(b"{}", [("ef" * 32, b"s")])) | change
    result = read_document(json.dumps(document).encode(), Envelope)
    assert isinstance(result, DocumentError)
    assert (result.code, result.pointer) == (code, pointer)


@pytest.mark.parametrize("text", ["QQ", "QQ=", "QR==", "=", "Q Q=", "QQ==\n", "-_-_"])
def test_base64_has_one_form(text: str) -> None:
    assert decode_base64(text) is None


@given(st.binary())
def test_base64_is_read_back(data: bytes) -> None:
    encoded = json.loads(envelope_bytes(data, [("ef" * 32, data)]))
    assert decode_base64(encoded["payload"]) == data
