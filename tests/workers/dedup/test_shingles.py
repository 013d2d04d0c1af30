from hypothesis import given
from hypothesis import strategies as st

from workers.dedup.parameters import CHARACTER_PARAMS, MAX_TEXT_CHARS, WORD_PARAMS
from workers.dedup.shingles import shingle


def test_words_are_cut_into_five_grams_of_case_folded_words() -> None:
    cut = shingle("The quick, BROWN fox\njumps over Straße")
    assert cut.params == WORD_PARAMS
    assert cut.values == {"the quick brown fox jumps", "quick brown fox jumps over", "brown fox jumps over strasse"}


def test_fewer_than_five_words_give_no_shingle() -> None:
    assert shingle("only four words here").values == frozenset()
    assert shingle("").values == frozenset()


def test_scripts_without_spaces_are_cut_into_characters() -> None:
    for text in (
        "東京で発表された新しい計画について",
        "การประชุมครั้งใหม่จัดขึ้นที่กรุงเทพ",
        "ການປະຊຸມຄັ້ງໃຫມ່",
        "ကျွန်တော်တို့သည်",
    ):
        cut = shingle(text)
        assert cut.params == CHARACTER_PARAMS
        assert all(len(value) == 5 for value in cut.values)


def test_scripts_with_spaces_are_cut_into_words() -> None:
    for text in (
        "Новый план был представлен сегодня",
        "새로운 계획이 오늘 서울에서 발표되었다",
        "تم الإعلان عن خطة جديدة",
    ):
        assert shingle(text).params == WORD_PARAMS


def test_a_few_foreign_characters_do_not_change_how_a_text_is_cut() -> None:
    assert shingle("The word 東京 means eastern capital, and it is the capital of Japan").params == WORD_PARAMS
    assert shingle("東京で発表されたWindows 11とiPhoneの新しい計画についての記事である").params == CHARACTER_PARAMS


def test_line_breaks_and_punctuation_do_not_change_character_shingles() -> None:
    assert shingle("東京で、発表された。\n新しい計画") == shingle("東京で発表された新しい計画")
    assert "々" in "".join(shingle("人々は佐々木さんに会った").values)


def test_only_the_beginning_of_a_huge_text_is_shingled() -> None:
    start = "a " * (MAX_TEXT_CHARS // 2)
    assert shingle(start + "one two three four five") == shingle(start)


@given(st.text(max_size=300))
def test_shingling_ignores_letter_case_of_ascii(text: str) -> None:
    ascii_only = text.encode("ascii", "ignore").decode("ascii")
    assert shingle(ascii_only.upper()) == shingle(ascii_only.lower())
