"""Quotes in scripts that write words onto each other: real sentences, cut where they may be and where they may not.

The texts are the first article of the Universal Declaration of Human Rights, and sentences of our own.
"""

from __future__ import annotations

import pytest

from schemas.records.claim import Importance, MatchLevel, Support
from schemas.records.draft import DraftEvidence
from validator.cuts import cuts_token, is_scant, needs_no_blanks
from validator.payload_words import Match, PayloadWords
from workers.cite.locate import Ambiguous, NotFound, Span, TooShort, locate_quote
from workers.cite.placing import too_loose

JAPANESE = (
    "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けら"
    "れており、互いに同胞の精神をもって行動しなければならない。テレビゲームの第3回大会では15人が受賞した。"
    "この水門は安全ではありませんでした。"
)
CHINESE = "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心。这座水闸没有风险,也不是新建的。"
THAI = (
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม "
    "และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ ประตูน้ำไม่ได้เปิดในคืนนั้น"
)
LAO = "ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ, ສິດທິ, ເສລີພາບແລະຄວາມສະເໝີພາບເທົ່າທຽມກັນ. ປະຕູນ້ຳບໍ່ໄດ້ເປີດໃນຄືນນັ້ນ."
KHMER = "មនុស្សទាំងអស់ កើតមកមានសេរីភាព និងសមភាព ក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរនិងសិទ្ធិ។ ទ្វារទឹកនេះមិនបានបើកទេ។"
BURMESE = "လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း၊ မွေးဖွားလာသူများ ဖြစ်သည်။ ရေတံခါးကိုမဖွင့်ခဲ့ပါ။"

STANDS = (
    *(
        (JAPANESE, quote)
        for quote in ("自由であり", "理性と良心", "同胞の精神", "テレビゲームの", "15人が受賞した", "第3回大会では")
    ),
    *((CHINESE, quote) for quote in ("生而自由", "尊严和权利", "没有风险")),
    *((THAI, quote) for quote in ("มนุษย์ทั้งหลาย", "มีเหตุผล", "ภราดรภาพ", "ประตูน้ำ", "ไม่ได้เปิด")),
    *((LAO, quote) for quote in ("ມະນຸດທຸກຄົນ", "ສະເໝີພາບ", "ບໍ່ໄດ້ເປີດ")),
    *((KHMER, quote) for quote in ("មនុស្សទាំងអស់", "និងសិទ្ធិ", "មិនបានបើក")),
    *((BURMESE, quote) for quote in ("လူတိုင်းသည်", "ဂုဏ်သိက္ခာ", "ကိုမဖွင့်ခဲ့ပါ")),
)
CUT = {
    "half of a word in katakana": (JAPANESE, "ゲームの第3回大会"),
    "its first half": (JAPANESE, "しなければならない。テレビ"),
    "the third time, as three times": (JAPANESE, "3回大会では15人"),
    "a number without what it counts": (JAPANESE, "ゲームの第3回大会では15"),
    "a small kana without its large one": (JAPANESE, "って行動しなければ"),
    "a doubled consonant without it": (JAPANESE, "同胞の精神をもっ"),
    "half of a Japanese negative": (JAPANESE, "この水門は安全ではありま"),
    "a Chinese negation in two characters": (CHINESE, "风险,也不是新建的"),
    "another": (CHINESE, "新建的。"),
    "a Thai vowel without its consonant": (THAI, "ั้งหลายเกิดมามี"),
    "a consonant without its first vowel": (THAI, "สมอภาคกันใน"),
    "a first vowel without its consonant": (THAI, "มีอิสระและเ"),
    "a consonant without its last vowel": (THAI, "ละเสมอภาคกันในเกียรติศักดิ์แล"),
    "a syllable without its last consonant": (THAI, "งหลายเกิดมามีอิสระ"),
    "a silent consonant alone": (THAI, "ย์ทั้งหลายเกิดมา"),
    "a Thai negation in two words": (THAI, "เปิดในคืนนั้น"),
    "a Lao negation in two words": (LAO, "ເປີດໃນຄືນນັ້ນ"),
    "a Lao vowel alone": (LAO, "ະນຸດທຸກຄົນ"),
    "a Khmer letter without the one below it": (KHMER, "មនុស្សទាំងអស់ កើតមកមានសេរីភាព និងសមភាព ក្នុងផ្"),
    "a Khmer letter without the one above it": (KHMER, "សទាំងអស់ កើតមក"),
    "a Khmer negation in two words": (KHMER, "បើកទេ។"),
    "a Burmese stack": (BURMESE, "ခာဖြင့် လည်းကောင်း"),
    "a Burmese final": (BURMESE, "င်းသည် တူညီ"),
    "a Burmese negation": (BURMESE, "ဖွင့်ခဲ့ပါ။"),
}  # fmt: skip
SCANT = ("すべての", "人間は", "ゲート", "เกิดมา", "ประตู", "ສິດທິ", "សិទ្ធិ", "တူညီ", "水門", "门是")


@pytest.mark.parametrize(("text", "quote"), STANDS, ids=[quote for _, quote in STANDS])
def test_a_quote_of_four_to_twenty_characters_stands_where_it_ends_with_words(text: str, quote: str) -> None:
    """R078, C19."""
    found = locate_quote(text, quote)
    assert isinstance(found, Span), found
    assert not cuts_token(text, found.start, found.end)
    assert not is_scant(quote, 8)


@pytest.mark.parametrize(("text", "quote"), CUT.values(), ids=CUT)
def test_a_quote_that_parts_a_syllable_a_word_or_a_negation_is_refused(text: str, quote: str) -> None:
    """C19, C23: by the archive, and by the validator's own rules."""
    assert isinstance(locate_quote(text, quote), NotFound | TooShort)
    start = text.index(quote)
    assert cuts_token(text, start, start + len(quote))


@pytest.mark.parametrize("quote", SCANT)
def test_one_short_word_says_too_little_in_any_script(quote: str) -> None:
    """R078: as long as two words of a script with letters, by what a character tells and not by their number."""
    assert isinstance(locate_quote(f"{quote}。", quote), TooShort)
    assert is_scant(quote, 8)


def test_a_line_that_ends_between_ideographs_parts_no_words() -> None:
    """C29: a page's layout breaks Japanese and Chinese anywhere; a critical claim may rest on that, and on no other."""
    broken = (
        ("水門は月曜日の朝\nに閉じられた。", "月曜日の朝に閉じ"),
        ("The gate was or\nganised by him.", "was organised by"),
    )
    for text, quote in broken:
        found = locate_quote(text, quote)
        assert isinstance(found, Span)
        assert found.level is MatchLevel.WHITESPACE
        edge = DraftEvidence(claim_id="c-01", url="https://a.example/", quote=quote, support=Support.FULL)
        assert too_loose(text, edge, Importance.CRITICAL, found) is not needs_no_blanks(quote)


def test_a_quote_that_stands_twice_is_told_apart_by_what_is_around_it() -> None:
    text = "水門は月曜日に閉じた。橋は火曜日に開いた。水門は月曜日に直された。"
    assert isinstance(locate_quote(text, "水門は月曜日に"), Ambiguous)
    found = locate_quote(text, "水門は月曜日に", suffix="直された")
    assert isinstance(found, Span)
    assert found.start == text.rindex("水門")


@pytest.mark.parametrize(
    ("payload", "other"),
    [
        (THAI, "มีอิสระและเสมอภาคกนใน"),  # a vowel sign is missing
        ("เขาขี่ม้ามาที่บ้าน", "เขาขี่มามาที่บ้าน"),  # horse, come
        ("यह दिन अच्छा था", "यह दान अच्छा था"),  # day, gift
        (JAPANESE, "権利と尊厳とについて"),  # the other order
        (BURMESE, "ဂုဏ်သိက္ခ"),
    ],
)
def test_another_vowel_or_order_is_not_in_the_payload(payload: str, other: str) -> None:
    """R091: the validator's own look for the words reads vowel signs and tones as letters."""
    words = PayloadWords([payload])
    assert words.find(payload[3:20]) is Match.ADJACENT
    if other not in payload:
        assert words.find(other) is Match.ABSENT
