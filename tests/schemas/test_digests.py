"""Digests as WARC files and HTTP fields spell them (R055)."""

import base64
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.digests import (
    DigestError,
    WarcAlgorithm,
    WarcDigest,
    format_digest_field,
    parse_digest_field,
    parse_warc_label,
    warc_label,
)

DATA = b"citevault"
SHA256 = hashlib.sha256(DATA)
SHA1 = hashlib.sha1(DATA, usedforsecurity=False)
MD5 = hashlib.md5(DATA, usedforsecurity=False)


def test_our_label_is_read_back() -> None:
    assert parse_warc_label(warc_label(SHA256.hexdigest())) == WarcDigest(WarcAlgorithm.SHA256, SHA256.digest())


@pytest.mark.parametrize(
    ("label", "algorithm", "digest"),
    [
        (f"sha256:{SHA256.hexdigest().upper()}", WarcAlgorithm.SHA256, SHA256.digest()),
        (f"SHA256:{SHA256.hexdigest()}", WarcAlgorithm.SHA256, SHA256.digest()),
        (f"sha256:{base64.b32encode(SHA256.digest()).decode()}", WarcAlgorithm.SHA256, SHA256.digest()),
        (f"sha1:{base64.b32encode(SHA1.digest()).decode()}", WarcAlgorithm.SHA1, SHA1.digest()),
        (f"sha1:{base64.b32encode(SHA1.digest()).decode().lower()}", WarcAlgorithm.SHA1, SHA1.digest()),
        (f"sha1:{SHA1.hexdigest()}", WarcAlgorithm.SHA1, SHA1.digest()),
        (f"md5:{MD5.hexdigest()}", WarcAlgorithm.MD5, MD5.digest()),
        (f"md5:{base64.b32encode(MD5.digest()).decode()}", WarcAlgorithm.MD5, MD5.digest()),
        (f" sha1:{SHA1.hexdigest()} ", WarcAlgorithm.SHA1, SHA1.digest()),
    ],
)
def test_labels_of_other_writers_are_read(label: str, algorithm: WarcAlgorithm, digest: bytes) -> None:
    assert parse_warc_label(label) == WarcDigest(algorithm, digest)


@pytest.mark.parametrize(
    "label",
    [
        "",
        SHA256.hexdigest(),
        f"sha-256:{SHA256.hexdigest()}",
        f"sha512:{SHA256.hexdigest()}",
        f"sha256:{SHA256.hexdigest()[:-1]}",
        f"sha256:{SHA256.hexdigest()[:-1]}g",
        f"sha256:{base64.b32encode(SHA256.digest()).decode().rstrip('=')}",
        f"sha256:{base64.b64encode(SHA256.digest()).decode()}",
        f"sha1:{SHA256.hexdigest()}",
        "sha1:" + "1" * 32,
        "sha1:",
        "sha256:" + "A" * 51 + "B" + "====",
    ],
)
def test_a_label_that_is_none_is_an_error_that_repeats_nothing(label: str) -> None:
    result = parse_warc_label(label)
    assert isinstance(result, DigestError)
    assert SHA256.hexdigest()[:16] not in result.message


@given(st.text())
def test_no_label_raises(label: str) -> None:
    assert isinstance(parse_warc_label(label), (WarcDigest, DigestError))


@given(st.binary(min_size=32, max_size=32))
def test_a_digest_field_is_read_back(digest: bytes) -> None:
    assert parse_digest_field(format_digest_field(digest.hex())) == {"sha-256": digest}


def test_several_algorithms_and_parameters_are_read() -> None:
    value = f'{format_digest_field(SHA256.hexdigest())};a;b="x,y" ,\tunixsum=:AQI=:; c=1.5, id-sha-256=::'
    assert parse_digest_field(value) == {"sha-256": SHA256.digest(), "unixsum": b"\x01\x02", "id-sha-256": b""}


@pytest.mark.parametrize(
    "value",
    [
        "sha-256",
        "sha-256=1",
        "sha-256=abc",
        "sha-256=:AQI=:",
        "sha-256=:A:",
        "sha-256=:AQI=: x",
        "sha-256 =:AQI=:",
        "unixsum=:AQI=:,",
        "unixsum=:AQI=:,,",
        "unixsum=:AQI=:;",
        "SHA-256=:AQI=:",
        "unixsum=:A=QI:",
        "unixsum=:" + "A" * 9000 + ":",
    ],
)
def test_a_field_that_cannot_be_used_is_an_error(value: str) -> None:
    assert isinstance(parse_digest_field(value), DigestError)


@given(st.text(alphabet='sha-256=:;,"AQ ()?\\%@', max_size=60))
def test_no_field_raises(value: str) -> None:
    assert isinstance(parse_digest_field(value), (dict, DigestError))


def test_every_digest_printed_in_rfc_9530_is_read(conformance_data: Path) -> None:
    """All examples of the RFC and of the Unencoded-Digest draft, those with one `=` too many included."""
    examples = json.loads((conformance_data / "http/digest/rfc9530_examples.json").read_text("utf-8"))
    read = 0
    for example in examples:
        for printed in example["digests"]:
            lines = [line for line in example["message"].splitlines() if line.startswith(f"{printed['field']}:")]
            parsed = parse_digest_field(lines[0].split(":", 1)[1].strip().removesuffix("\\r\\n"))
            assert isinstance(parsed, dict), example["message"]
            value = printed["value"].rstrip("=")
            assert parsed[printed["alg"]] == base64.b64decode(value + "=" * (-len(value) % 4))
            read += 1
    assert read >= 15


def test_byte_sequences_agree_with_the_structured_field_suite(conformance_data: Path) -> None:
    """Its byte sequences, put behind a name. Where the suite leaves it open (`can_fail`), either answer is right."""
    cases = json.loads((conformance_data / "http/structured-fields/binary.json").read_text("utf-8"))
    for case in cases:
        parsed = parse_digest_field("a=" + ", ".join(case["raw"]))
        if case.get("must_fail"):
            assert isinstance(parsed, DigestError), case["name"]
        elif not case.get("can_fail"):
            assert parsed == {"a": base64.b32decode(case["expected"][0]["value"])}, case["name"]
