"""Canonical JSON against the RFC's own example and against the library that it must agree with."""

import hashlib
import json

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from schemas.canonical import (
    MAX_DEPTH,
    CanonicalError,
    CanonicalProblem,
    canonical_bytes,
    canonical_sha256,
    sha256_hex,
)
from schemas.reading import read_json
from schemas.records.claim import Claim, Importance, Verdict

INTEGERS = st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1)
VALUES = st.recursive(
    st.none() | st.booleans() | INTEGERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_the_bytes_are_those_of_the_reference_library(value: object) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(VALUES)
def test_canonical_bytes_read_back_as_the_same_value(value: object) -> None:
    written = canonical_bytes(value)  # type: ignore[arg-type]
    assert read_json(written) == value
    assert canonical_bytes(json.loads(written)) == written


def test_names_are_sorted_by_utf_16_code_units() -> None:
    """RFC 8785, 3.2.3: the sample of that section."""
    value: dict[str, JsonValue] = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7}
    assert list(json.loads(canonical_bytes(value))) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_strings_are_escaped_as_rfc_8785_says() -> None:
    """RFC 8785, 3.2.2.2: short forms, lower-case hex, everything else as it is."""
    text = '\u20ac$\u000f\nA\'B"\\\\"/\u007f\u2028'
    assert canonical_bytes(text).decode() == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f\u2028"'


@pytest.mark.parametrize(
    ("value", "problem", "pointer"),
    [
        ({"a": [1, 0.5]}, CanonicalProblem.FLOAT, "/a/1"),
        (float("nan"), CanonicalProblem.FLOAT, ""),
        ({"a": {"b": 2**53}}, CanonicalProblem.INTEGER_RANGE, "/a/b"),
        (-(2**53), CanonicalProblem.INTEGER_RANGE, ""),
        (["ok", "\ud800"], CanonicalProblem.SURROGATE, "/1"),
        ({"ok": {"\udc00": 1}}, CanonicalProblem.SURROGATE, "/ok"),
        ({"é": "\ud800"}, CanonicalProblem.SURROGATE, "/é"),
        ({"a": {1: 2}}, CanonicalProblem.KEY, "/a"),
        ({"a": b"bytes"}, CanonicalProblem.TYPE, "/a"),
        ({"a": {1, 2}}, CanonicalProblem.TYPE, "/a"),
    ],
)
def test_what_has_no_canonical_form_is_refused_with_its_place(
    value: object, problem: CanonicalProblem, pointer: str
) -> None:
    with pytest.raises(CanonicalError) as caught:
        canonical_bytes(value)  # type: ignore[arg-type]
    assert (caught.value.problem, caught.value.pointer) == (problem, pointer)


def test_nesting_is_bounded() -> None:
    value: object = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    assert canonical_bytes(value) == b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH  # type: ignore[arg-type]
    with pytest.raises(CanonicalError) as caught:
        canonical_bytes([value])  # type: ignore[list-item]
    assert caught.value.problem is CanonicalProblem.DEPTH


def test_a_record_is_written_with_its_nulls_and_extensions() -> None:
    claim = Claim.model_validate_json(
        '{"id":"c-01","text":"é","importance":"critical","status":"supported","x_note":["b",{"a":null}]}'
    )
    assert (claim.importance, claim.status) == (Importance.CRITICAL, Verdict.SUPPORTED)
    assert canonical_bytes(claim).decode() == (
        '{"claim_type":"other","id":"c-01","importance":"critical","place":null,"status":"supported","text":"é",'
        '"x_note":["b",{"a":null}]}'
    )


def test_digests_are_lower_case_hex_of_the_bytes() -> None:
    assert sha256_hex(b"") == hashlib.sha256(b"").hexdigest()
    assert canonical_sha256({"b": 1, "a": 2}) == sha256_hex(b'{"a":2,"b":1}')
