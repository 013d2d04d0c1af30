from __future__ import annotations

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from schemas.canonical import canonical_sha256
from workers.publish.bundle import Policy, bundle_policies
from workers.publish.bundle_warc import WarcLayout
from workers.publish.public_key import pem_of, spki_of

ONE, TWO = (f"urn:uuid:00000000-0000-4000-8000-{number:012d}" for number in (1, 2))


def test_a_record_lies_in_the_file_once():
    layout = WarcLayout()
    first = layout.append(ONE, "request", 10)
    second = layout.append(TWO, "response", 5)
    assert (first.offset, second.offset, layout.size) == (0, 10, 15)
    assert layout.find(ONE) == first
    with pytest.raises(ValueError, match="already"):
        layout.append(ONE, "request", 10)


def test_policies_are_sorted_and_carry_the_digest_that_their_id_begins():
    value = {"drop": ["a"]}
    name = f"conservative@1+{canonical_sha256(value)[:8]}"
    known = {name: Policy("url", value), "text-v1": Policy("normalizer", {"id": "text-v1"})}
    found = bundle_policies(["text-v1", name, name], known)
    assert [policy.id for policy in found] == [name, "text-v1"]
    assert found[0].sha256 == canonical_sha256(value)
    with pytest.raises(ValueError, match="has the digest"):
        bundle_policies(["url@1+00000000"], {"url@1+00000000": Policy("url", value)})
    with pytest.raises(KeyError):
        bundle_policies(["other@1"], known)


def test_a_public_key_is_written_as_everybody_writes_it():
    key = Ed25519PrivateKey.generate().public_key()
    der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    pem = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    assert pem_of(der) == pem
    assert spki_of(pem) == der


@pytest.mark.parametrize("text", ["", "no key", "-----BEGIN PUBLIC KEY-----\n!!!\n-----END PUBLIC KEY-----\n"])
def test_what_is_no_pem_is_none(text: str):
    assert spki_of(text) is None
