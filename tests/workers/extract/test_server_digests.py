"""R055: what servers say of their content is compared with what came (RFC 9530, RFC 3230)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

import pytest

from workers.extract.server_digests import Received, claims_of, compared, digest_by

BODY = b'{"hello": "world"}\n'
OTHER = b"something else"


def b64(name: str, data: bytes = BODY) -> str:
    return base64.b64encode(hashlib.new(name, data).digest()).decode()


def of(data: bytes | None) -> Callable[[str], bytes | None]:
    known = None if data is None else hashlib.sha256(data).hexdigest()
    return lambda name: digest_by(name, known, None if data is None else lambda: [data[:5], data[5:]])


def verdicts(field: str, value: str, content: bytes | None = BODY) -> list[tuple[str | None, bool | None]]:
    received = Received(of(content), of(content), of(OTHER))
    return [(each.algorithm, each.agrees) for each in compared(claims_of({field: [value]}), received)]  # type: ignore[dict-item]


@pytest.mark.parametrize("field", ["content-digest", "repr-digest"])
def test_digests_of_rfc_9530(field: str) -> None:
    assert verdicts(field, f"sha-256=:{b64('sha256')}:, sha-512=:{b64('sha512')}:") == [
        ("sha-256", True),
        ("sha-512", True),
    ]
    assert verdicts(field, f"sha-256=:{b64('sha256', OTHER)}:") == [("sha-256", False)]


def test_the_digest_of_what_is_left_without_coding() -> None:
    assert verdicts("unencoded-digest", f"sha-256=:{b64('sha256', OTHER)}:") == [("sha-256", True)]


def test_the_older_digest_of_rfc_3230_in_any_case() -> None:
    value = f"SHA-256={b64('sha256')},sha={b64('sha1')}, MD5={b64('md5', OTHER)}"
    assert verdicts("digest", value) == [("sha-256", True), ("sha", True), ("md5", False)]


@pytest.mark.parametrize(
    ("field", "value", "algorithm", "reason"),
    [
        ("content-digest", "sha-256=abc", None, "no algorithm=:base64:"),
        ("content-digest", f"sha3-512=:{b64('sha512')}:", "sha3-512", "not known"),
        ("digest", "UNIXsum=30637", "unixsum", "broken base64"),
        ("digest", "sha-256", None, "no algorithm=base64"),
        ("digest", f"sha-256={b64('md5')}", "sha-256", "another length"),
    ],
)
def test_what_cannot_be_compared_says_why(field: str, value: str, algorithm: str | None, reason: str) -> None:
    (found,) = compared(claims_of({field: [value]}), Received(of(BODY), of(BODY), of(None)))  # type: ignore[dict-item]
    assert (found.algorithm, found.agrees) == (algorithm, None)
    assert reason in (found.reason or "")


def test_a_representation_that_did_not_come_whole_is_not_judged() -> None:
    assert verdicts("repr-digest", f"sha-256=:{b64('sha256')}:", content=None) == [("sha-256", None)]


def test_a_head_full_of_claims_is_cut_off() -> None:
    value = ", ".join(f"x{number}=:AAAA:" for number in range(100))
    assert len(claims_of({"content-digest": [value]})) == 20
