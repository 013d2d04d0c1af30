"""The rules of text-v1 as laws (`schemas/README.md, text-v1`)."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.text_v1 import NORMALIZER, NotTextError, is_normalized, normalize

ODD = "\r\n\t\v\f\x00\x07\x1b\x7f\x85\x9f \u00a0\u00ad\u200b\u200c\u200d\u200e\u2028\u2029\u202f\u2060\ufeff"
MARKS = "\u0300\u0301\u0315\u0323\u0345\u05ae\u0344\u0f71\u093c\u0e38\U00010efd\U0001e4ec\u0897"
BASES = "aeoAK\u00e9\u1ea1\u212b\u0958\u1112\u1161\u11ab\uac00\uf900\U0002f800\U0001f600\ufb01\u4e2d"
TEXTS = st.text(alphabet=ODD + MARKS + BASES, max_size=24) | st.text(max_size=24)
DELETED = {0xFEFF, 0xAD, 0x200B, 0x2060, 0x7F, *range(0x20), *range(0x80, 0xA0)} - {9, 10}


@given(TEXTS)
def test_applying_it_twice_changes_nothing(text: str) -> None:
    once = normalize(text).text
    twice = normalize(once)
    assert twice.text == once
    assert is_normalized(once)
    assert [tuple(run) for run in twice.offsets.runs] == ([(0, 0, len(once))] if once else [])


@given(TEXTS)
def test_what_comes_out_keeps_every_rule(text: str) -> None:
    out = normalize(text).text
    assert not DELETED & {ord(character) for character in out}
    assert not {"\r", "\v", "\f", "\x85", "\u2028", "\u2029"} & set(out)
    assert " \n" not in out
    assert "\t\n" not in out
    assert out == "" or (out.endswith("\n") and not out.endswith("\n\n")) or out == "\n"


@given(TEXTS)
def test_it_is_nfc_where_the_interpreter_knows_all_code_points(text: str) -> None:
    """Normalisation is stable (UAX #15, 3): what an older Unicode assigns never changes its form."""
    if all(unicodedata.category(character) != "Cn" for character in text):
        out = normalize(text).text
        assert unicodedata.normalize("NFC", out) == out


@given(TEXTS)
def test_canonically_equal_texts_become_one(text: str) -> None:
    if all(unicodedata.category(character) != "Cn" for character in text):
        assert normalize(unicodedata.normalize("NFD", text)).text == normalize(text).text


@given(TEXTS)
def test_line_end_styles_become_one(text: str) -> None:
    """X26: a stored text holds no CR, so its digest does not depend on who wrote the file."""
    unix = text.replace("\r", "")
    assert normalize(unix.replace("\n", "\r\n")).text == normalize(unix).text


@given(st.text(alphabet=BASES + MARKS + ODD, max_size=12), st.sampled_from(["\ud800", "\udfff"]), st.text(max_size=3))
def test_a_lone_surrogate_is_no_text(before: str, surrogate: str, after: str) -> None:
    with pytest.raises(NotTextError) as caught:
        normalize(before + surrogate + after)
    assert caught.value.position == len(before)
    assert not is_normalized(before + surrogate)


@pytest.mark.parametrize(
    "kept", list("\u200c\u200d\u200e\u200f\u202a\u2066\u2069\u061c\u00a0\u202f\u2009\u3000\u2011\u2019\ufb01²")
)
def test_what_may_carry_meaning_is_kept(kept: str) -> None:
    assert normalize(f"a{kept}b{kept}").text == f"a{kept}b{kept}\n"


def test_the_id_is_what_records_name() -> None:
    assert NORMALIZER == "text-v1"


def seconds(text: str) -> float:
    normalize("warm up: é\u0301\u0323")
    best = 9.0
    for _ in range(3):
        start = time.perf_counter()
        normalize(text)
        best = min(best, time.perf_counter() - start)
    return best


@pytest.mark.parametrize(
    ("hostile", "size"),
    [
        ("a" + "\u0301\u0323" * 50_000, 100_001),
        ("\u0323\u0301" * 50_000, 100_000),
        (" " * 100_000 + "x", 100_001),
        (" \t" * 50_000 + "\n", 100_001),
        ("\u00ad" * 100_000, 100_000),
        ("\r\n" * 50_000, 100_000),
        ("\r\u00ad\n \u0301" * 20_000, 100_000),
        ("\u1112\u1161\u11ab" * 33_000, 99_000),
        ("\U0002f800" * 100_000, 100_000),
    ],
)
def test_hostile_texts_cost_time_in_proportion(hostile: str, size: int) -> None:
    """Each takes well under a second; what were quadratic would take minutes."""
    assert len(hostile) == size
    assert seconds(hostile) < 5


def test_an_ordinary_text_takes_milliseconds() -> None:
    """100 kB of Latin text: some 5 ms on the development machine; the bound allows for a busy one."""
    assert seconds("Größe déjà vu, “quoted” and naïve: an ordinary sentence.\n" * 1_800) < 0.25
