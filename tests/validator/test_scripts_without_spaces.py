"""Quotes in scripts that write words onto each other: real sentences, cut where they may be and where they may not.

The texts are the first article of the Universal Declaration of Human Rights, and sentences of our own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records.claim import Importance, MatchLevel, Support
from schemas.records.draft import DraftEvidence
from schemas.text_v1 import holding as known
from validator import denials as validator
from validator.cuts import cuts_token, is_scant, needs_no_blanks
from validator.payload_words import Match, PayloadWords
from workers.cite import denials as archive
from workers.cite.locate import Ambiguous, NotFound, Span, TooShort, locate_quote
from workers.cite.placing import too_loose
from workers.cite.tokens import cuts_a_token, word_weight

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
SCANT = ("ab_cd_ef", "すべての", "人間は", "ゲート", "เกิดมา", "ประตู", "ສິດທິ", "សិទ្ធិ", "တူညီ", "水門", "门是")


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


OTHER_WORDS = (
    *(
        "他说南非|总统宣布辞职了。",
        "这一点特别|重要而且明确。",
        "会议分别|通过了三项决议草案。",
        "各级别|运动员都参加了。",
    ),
    *(
        "这笔钱除非|董事会同意才能动用。",
        "大雨淹没|整个村庄和农田。",
        "日没|後に作業を再開した。",
        "水没|した車を引き上げた。",
        "熊の出没|情報を町が出した。",
        "这里讲的是非|曲直由读者判断。",
    ),
    *(
        "性別|による差を調べた。",
        "二人分别被|判处有期徒刑十年。",
        "他向大家告别|之后离开北京。",
        "是非|お越しください皆様。",
    ),
    *("中非|合作论坛昨天开幕。", "我们類別|整理了所有文件。", "船沉没|造成三十人遇难。"),
    *("그는 아버지| 말씀을 들었다.", "그 아이는 아버지| 못지않게 크다."),
)
"""What stands behind the bar may begin a quote, or what is before it end one: no negation is parted from it."""
DENIED = (
    *("大坝无法|承受这次洪水。", "工程師無法|承受這次洪水。", "他们没能|按时完成工程。", "總統沒能|出席這次會議。"),
    *("政府不会再|提供任何补贴。", "水库未被|列入保护名单。", "这些并不特别|重要而且明确。", "没有级别|运动员的名单。"),
    *("公司并非|国有控股企业。", "云南非|物质文化遗产名录。", "其中非|公有制经济占一半。", "周日没|开门的商店很多。"),
    *("这是非|公开的会议记录。", "广告别|相信陌生人电话。"),
    *("ประตูไม่ต้อง|เปิดในคืนนั้น", "ประตูไม่อาจ|เปิดในคืนนั้น", "ประตูยังไม่|เปิดในคืนนั้น", "ห้าม|เปิดประตูในคืนนั้น"),
    *("ประตูไม่ได้ถูก|เปิดในคืนนั้น", "ประตูมิได้|เปิดในคืนนั้น", "ประตูไม่เคย|เปิดในคืนนั้น", "คืนนั้นไม่มี|ประตูบานใดเปิด"),
    *("ประตูไม่จำเป็นต้อง|เปิดในคืนนั้น", "ປະຕູນ້ຳບໍ່ໄດ້|ເປີດໃນຄືນນັ້ນ", "ປະຕູນ້ຳບໍ່ສາມາດ|ເປີດໃນຄືນນັ້ນ"),
    *("ទ្វារទឹកនេះមិនទាន់|បើកនៅយប់នោះទេ", "ទ្វារទឹកនេះមិនដែល|បើកនៅយប់នោះទេ", "ទ្វារទឹកនេះពុំអាច|បើកនៅយប់នោះទេ"),
)
DENIED_BEHIND = (
    *("수문은 그날 밤 열리지| 않았다.", "수문은 그날 밤 열리지|는 않았다.", "수문은 그날 밤 열리지도| 못했다."),
    *("그 수문을 밤에 열지|\n말라고 했다.", "그 수문을 밤에 열지| 마라."),
)


@pytest.mark.parametrize("marked", OTHER_WORDS)
def test_a_word_that_ends_like_a_negation_is_none(marked: str) -> None:
    """C19: `南非` is South Africa; what it is followed by is not denied."""
    before, behind = marked.split("|")
    text, at = before + behind, len(before)
    if "\uac00" <= before[-1] <= "\ud7a3":
        assert not cuts_token(text, 0, at)
        assert not cuts_a_token(text, 0, at)
    else:
        assert not cuts_token(text, at, len(text))
        assert not cuts_a_token(text, at, len(text))


@pytest.mark.parametrize("marked", DENIED)
def test_a_negation_takes_its_auxiliary_along(marked: str) -> None:
    """C19, C23: what begins behind both says the contrary."""
    before, behind = marked.split("|")
    assert isinstance(locate_quote(before + behind, behind), NotFound | TooShort)
    assert cuts_token(before + behind, len(before), len(before + behind))
    assert cuts_a_token(before + behind, len(before), len(before + behind))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("marked", DENIED_BEHIND)
def test_a_korean_stem_keeps_the_word_that_denies_it(marked: str, form: Literal["NFC", "NFD"]) -> None:
    before, behind = unicodedata.normalize(form, marked).split("|")
    assert cuts_token(before + behind, 0, len(before))
    assert cuts_a_token(before + behind, 0, len(before))


PIECES = (
    *sorted({part for word in known.HAN_NO_NEGATIONS for part in (word.split("|")[0], word.split("|")[-1])}),
    *(*known.HAN_NEGATIONS, *known.HAN_NEGATING_WORDS, *known.HAN_AUXILIARIES, *known.HAN_NEGATIONS_AFTER_ALL),
    *(*known.HAN_NO_NEGATIONS_BEFORE_KANA, *known.NEGATIONS_BEFORE, *known.NO_NEGATIONS_BEFORE, *known.AUXILIARIES),
    *(*known.KOREAN_STEM_ENDS, *known.KOREAN_DENIALS, *known.KOREAN_NO_DENIALS),
)
AROUND = ("", "", " ", "\n", "\u200b", "。", "開", "に", "열", "เปิด", "ບ", "បើក", "a")


@pytest.mark.parametrize("denied_before", [archive.denied_before, validator.denied_before])
def test_every_word_of_the_tables_is_taken_at_its_word(denied_before: Callable[[str, int], bool]) -> None:
    """C19, C23: alone, behind a negation, and with each auxiliary."""
    for entry in (*known.HAN_NO_NEGATIONS, *(f"{word}|の" for word in known.HAN_NO_NEGATIONS_BEFORE_KANA)):
        word, _, follows = entry.partition("|")
        assert not denied_before(f"。{word}{follows}開門", 1 + len(word)), entry
        assert denied_before(f"。没有{word}{follows}開門", 3 + len(word)), entry
    for word in (*known.HAN_NEGATIONS, *known.HAN_NEGATING_WORDS, *known.HAN_NEGATIONS_AFTER_ALL):
        for auxiliary in ("", *known.HAN_AUXILIARIES):
            assert denied_before(f"。{word}{auxiliary}開門", 1 + len(word + auxiliary)), word + auxiliary
    for word in known.NEGATIONS_BEFORE:
        for auxiliary in ("", *known.AUXILIARIES):
            assert denied_before(f"。{word}{auxiliary}開門", 1 + len(word + auxiliary)), word + auxiliary


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES) | st.sampled_from(AROUND), min_size=2, max_size=6).map("".join))
def test_both_readings_of_negations_agree(text: str) -> None:
    for at in range(1, len(text)):
        assert archive.denied_before(text, at) is validator.denied_before(text, at)
        assert archive.denied_after(text, at) is validator.denied_after(text, at)
    assert (word_weight(text) < 8) is is_scant(text, 8)


def test_an_ideograph_behind_a_blank_makes_no_mixed_number() -> None:
    """U+3007 is a numeral to Unicode, as a half is; written apart from a figure it begins a word all the same."""
    for text, at, cut in (("1 \u3007\u5186", 2, False), ("1 \u00bd", 2, True)):
        assert cuts_a_token(text, at, len(text)) is cuts_token(text, at, len(text)) is cut


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
