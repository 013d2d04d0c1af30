"""Bytes to a JSON value: what JSON libraries let pass and we do not (`schemas/README.md, Strict reading`)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reading import DocumentError, DocumentProblem, ReadingLimits, read_json

P = DocumentProblem


def _containers(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(',[{"\\', max_size=3), inner, max_size=3)


REFUSED: list[tuple[bytes, DocumentProblem, str]] = [
    (b"", P.EMPTY, ""),
    (b" \n\t ", P.EMPTY, ""),
    (b"\xef\xbb\xbf{}", P.BOM, ""),
    (b'{"a":"\xff"}', P.NOT_UTF8, ""),
    (b'{"a":"\xed\xa0\x80"}', P.NOT_UTF8, ""),
    ("{}".encode("utf-16"), P.NOT_UTF8, ""),
    (b"{", P.NOT_JSON, ""),
    (b"{} {}", P.NOT_JSON, ""),
    (b"{'a':1}", P.NOT_JSON, ""),
    (b'{"a":1,}', P.NOT_JSON, ""),
    (b'{"a":01}', P.NOT_JSON, ""),
    (b'{"a":+1}', P.NOT_JSON, ""),
    (b'{"a":"\n"}', P.NOT_JSON, ""),
    (b"[1]//", P.NOT_JSON, ""),
    (b"[" * 100_000, P.TOO_DEEP, ""),
    (b'{"a":' * 100_000, P.TOO_DEEP, ""),
    (b"[" * 65 + b"]" * 65, P.TOO_DEEP, "/0" * 64),
    (b'{"a":1,"a":1}', P.DUPLICATE_NAME, ""),
    (b'{"a":1,"\\u0061":2}', P.DUPLICATE_NAME, ""),
    (b'{"b":[0,{"c":{"a":1,"b":2,"a":3}}]}', P.DUPLICATE_NAME, "/b/1/c"),
    (b'{"a":NaN}', P.NOT_FINITE, "/a"),
    (b"[Infinity]", P.NOT_FINITE, "/0"),
    (b"[-Infinity]", P.NOT_FINITE, "/0"),
    (b'{"a":{"b":1e999}}', P.NOT_FINITE, "/a/b"),
    (b"-1e400", P.NOT_FINITE, ""),
    (b'{"a":9007199254740992}', P.NUMBER_RANGE, "/a"),
    (b'{"a":-9007199254740992}', P.NUMBER_RANGE, "/a"),
    (b'{"a":' + b"9" * 5_000 + b"}", P.NUMBER_RANGE, "/a"),
    (b'{"a":0.' + b"1" * 5_000 + b"}", P.NUMBER_RANGE, "/a"),
    (b'{"a/b":"\\ud800"}', P.LONE_SURROGATE, "/a~1b"),
    (b'["\\udc00\\ud800"]', P.LONE_SURROGATE, "/0"),
    (b'{"a":{"\\udfff":1}}', P.LONE_SURROGATE, "/a"),
]


@pytest.mark.parametrize(
    ("data", "code", "pointer"), REFUSED, ids=[f"{c.value}-{n}" for n, (_, c, _) in enumerate(REFUSED)]
)
def test_what_is_refused_is_named_with_its_place(data: bytes, code: DocumentProblem, pointer: str) -> None:
    result = read_json(data)
    assert isinstance(result, DocumentError)
    assert (result.code, result.pointer) == (code, pointer)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"0", 0),
        (b"-0", 0),
        (b' [1, -2.5e3, "\\ud83d\\ude00", "\xc3\xa9", null, true]\n', [1, -2500.0, "\U0001f600", "é", None, True]),
        (b"9007199254740991", 2**53 - 1),
        (b"[" * 64 + b"]" * 64, None),
        (b'{"":{"a":[]}}', {"": {"a": []}}),
    ],
)
def test_good_json_is_its_value(data: bytes, value: object) -> None:
    result = read_json(data)
    assert not isinstance(result, DocumentError)
    if value is not None:
        assert result == value


def test_size_is_looked_at_first() -> None:
    result = read_json(b"\xff" * 11, limits=ReadingLimits(max_bytes=10))
    assert isinstance(result, DocumentError)
    assert result.code is P.TOO_LARGE


@given(st.recursive(st.none() | st.integers(0, 9) | st.text('a,[{"\\', max_size=4), _containers, max_leaves=12))
def test_values_are_counted_outside_of_strings(value: object) -> None:
    """A document of many small values costs a hundred times its size, so it is refused before it is parsed."""
    text = json.dumps(value)
    marks, inside, escaped = 0, False, False
    for character in text:
        if character == '"' and not escaped:
            inside = not inside
        marks += character in ",[{" and not inside
        escaped = character == "\\" and not escaped
    refused = ReadingLimits(max_values=marks - 1)
    assert not isinstance(read_json(text.encode(), limits=ReadingLimits(max_values=marks)), DocumentError)
    told = read_json(text.encode(), limits=refused)
    assert not marks or (isinstance(told, DocumentError) and told.code is P.TOO_MANY)


def test_extension_fields_hold_so_many_values_all_together() -> None:
    limits = ReadingLimits(max_extension_values=8)
    assert isinstance(read_json(b'{"x_a": [1, 2, 3], "a": [{"x_b": {"c": [4]}}]}', limits=limits), dict)
    told = read_json(b'{"x_a": [1, 2, 3], "a": [{"x_b": [4, 5, 6, 7, 8]}]}', limits=limits)
    assert isinstance(told, DocumentError)
    assert (told.code, told.pointer) == (P.TOO_MANY, "/x_a")


def test_the_first_problem_of_the_document_is_reported() -> None:
    result = read_json(b'{"a":[1e999],"b":{"c":1,"c":2},"d":' + b"9" * 30 + b"}")
    assert isinstance(result, DocumentError)
    assert (result.code, result.pointer) == (P.NOT_FINITE, "/a/0")


@given(st.text(alphabet='{}[]",:\\u0d8eEn.-+1tfalsr ', max_size=40))
def test_nothing_raises_and_what_passes_is_json(text: str) -> None:
    result = read_json(text.encode())
    if not isinstance(result, DocumentError):
        assert result == json.loads(text)


@given(st.binary(max_size=60))
def test_no_bytes_raise(data: bytes) -> None:
    read_json(data)


def test_an_error_never_repeats_the_document() -> None:
    secret = "s3cr3t-t0ken"
    for document in (
        '{"%s":1,"%s":2}',
        '{"x":"%s \\ud800","y":"%s"}',
        '["%s" "%s"]',
        '{"\\u0000%s":{"%s":NaN}}',
    ):
        result = read_json((document % (secret, secret)).encode())
        assert isinstance(result, DocumentError)
        assert secret not in str(result)
