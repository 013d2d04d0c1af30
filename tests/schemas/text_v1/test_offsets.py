"""The offset map leads back to the input (C27)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.text_v1 import OffsetMap, OffsetMapError, Run, normalize

ALPHABET = "ab \t\r\n\x85\u00ad\u200b\ufeff\u0301\u0323\u0315e\u00e9\u212b\u0958\u1112\u1161\u11ab\uac00\U0002f800"
TEXTS = st.text(alphabet=ALPHABET, max_size=30)
LINE_ENDS = "\n\r\v\f\x85\u2028\u2029"


@given(TEXTS)
def test_runs_are_sorted_and_maximal_and_carry_equal_code_points(text: str) -> None:
    result = normalize(text)
    before = Run(0, 0, 0)
    for number, run in enumerate(result.offsets.runs):
        assert run.length > 0
        assert run.out_start >= before.out_end
        assert run.in_start >= before.in_end
        assert number == 0 or (run.out_start, run.in_start) != (before.out_end, before.in_end)
        for step in range(run.length):
            out, source = result.text[run.out_start + step], text[run.in_start + step]
            assert out == source or (out == "\n" and source in LINE_ENDS)
        before = run
    assert before.out_end <= len(result.text) == result.offsets.out_length
    assert before.in_end <= len(text) == result.offsets.in_length


@given(TEXTS, st.data())
def test_a_span_comes_from_input_that_normalises_to_it(text: str, data: st.DataObject) -> None:
    """What lies under a span gives its text again, if both ends lie on code points that were carried over."""
    result = normalize(text)
    carried = [out for run in result.offsets.runs for out in range(run.out_start, run.out_end)]
    if not carried:
        return
    first = data.draw(st.sampled_from(carried))
    last = data.draw(st.sampled_from([out for out in carried if out >= first]))
    start, end = result.offsets.span_to_input(first, last + 1)
    span = result.text[first : last + 1]
    assert normalize(text[start:end]).text.rstrip() == span.rstrip()  # alone, a span has its own end


@given(TEXTS, st.data())
def test_positions_never_run_backwards(text: str, data: st.DataObject) -> None:
    offsets = normalize(text).offsets
    positions = [offsets.to_input(out) for out in range(offsets.out_length + 1)]
    assert positions == sorted(positions)
    assert positions[-1] == len(text)
    start = data.draw(st.integers(0, offsets.out_length))
    end = data.draw(st.integers(start, offsets.out_length))
    low, high = offsets.span_to_input(start, end)
    assert 0 <= low <= high <= len(text)
    assert low == positions[start]


@given(TEXTS)
def test_the_written_form_is_read_back(text: str) -> None:
    offsets = normalize(text).offsets
    written = offsets.to_json()
    assert " " not in written
    assert OffsetMap.from_json(written) == offsets


def test_a_word_with_a_soft_hyphen_is_found_whole_in_the_source() -> None:
    """C27: the rejoined word anchors, and the raw span can be recovered."""
    source = "Die Po\u00adli\u00adtik heute"
    result = normalize(source)
    at = result.text.index("Politik")
    start, end = result.offsets.span_to_input(at, at + len("Politik"))
    assert source[start:end] == "Po\u00adli\u00adtik"


@pytest.mark.parametrize("span", [(-1, 0), (0, 99), (2, 1)])
def test_a_span_outside_the_text_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no span"):
        normalize("abc").offsets.span_to_input(*span)
    with pytest.raises(ValueError, match="no position"):
        normalize("abc").offsets.to_input(5)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "[]",
        "{}",
        '{"in_length":1,"out_length":1}',
        '{"in_length":1,"out_length":1,"runs":[[0,0]]}',
        '{"in_length":1,"out_length":1,"runs":[[0,0,2]]}',
        '{"in_length":1,"out_length":1,"runs":[[0,0,0]]}',
        '{"in_length":9,"out_length":9,"runs":[[0,0,2],[1,4,1]]}',
        '{"in_length":9,"out_length":9,"runs":[[0,0,2],[2,2,1]]}',
        '{"in_length":9,"out_length":9,"runs":[[-1,0,2]]}',
        '{"in_length":9,"out_length":9,"runs":[[0,0,true]]}',
        '{"in_length":9,"out_length":9,"runs":[[0,0,1.0]]}',
        '{"in_length":"9","out_length":9,"runs":[]}',
        '{"in_length":9,"out_length":9,"runs":5}',
        "[" * 100_000,
    ],
)
def test_a_map_that_cannot_be_is_refused(written: str) -> None:
    with pytest.raises(OffsetMapError):
        OffsetMap.from_json(written)


def test_the_written_form_is_what_the_format_says() -> None:
    assert json.loads(normalize("Po\u00adlitik").offsets.to_json()) == {
        "in_length": 8,
        "out_length": 8,
        "runs": [[0, 0, 2], [2, 3, 5]],
    }
