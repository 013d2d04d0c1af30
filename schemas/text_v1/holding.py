"""Which characters hold to a word or a figure, so that a quote may not end between them (C19, C23).

Tables only: the archive and the validator each have their own rules over them. Letters, digits, currencies, combining
marks and invisible characters are told by their Unicode category (L*, N*, Sc, M*, Cf) and stand in no table.
"""

from __future__ import annotations

from typing import Final

HYPHENS: Final = "-\u2010\u2011\uff0d\ufe63\u058a\u05be"
"""Between two letters they make one word; before a figure they are a sign."""
DASHES: Final = "\u2012\u2013\u2014\u2212"
"""Before a figure a sign, between two figures a range; between letters punctuation."""
PLUS: Final = "+\uff0b\ufe62"
TOLERANCES: Final = "\u00b1\u2213~\u223c\u301c\uff5e"
"""Before a figure, and between two."""
COMPARATORS: Final = "<>=≤≥⩽⩾≪≫≠≈≲≳≦≧＜＝＞"
SHARES: Final = "%\u2030\u2031\uff05\u066a\ufe6a\u00b0"
PRIMES: Final = "\u2032\u2033"
APOSTROPHES: Final = "'\u2019\uff07\u05f3\u05f4"
POINTS: Final = ".,\u00b7\u066b\u066c:\uff0e\uff0c\uff1a\u22c5"
SLASHES: Final = "/\u2044\u2215\uff0f"
"""With points and apostrophes: between two digits they make one figure. Between letters one unit: `mg/kg`."""
POWERS: Final = "^"
TIMES: Final = "\u00d7*\u2217\u2715"
RAISED_SIGNS: Final = "\u207a\u207b\u208a\u208b"
GROUP_BLANKS: Final = " \u00a0\u202f\u2009\u2007\u2008"
"""Between a figure's groups of three digits."""
OTHER_BLANKS: Final = "\t\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u200a\u205f\u3000"
SELECTORS: Final = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF), (0x180B, 0x180D))
"""Variation selectors: combining marks by their category, and as invisible as those of category Cf."""

NUMBER_WORDS: Final = (
    *("hundred", "thousand", "million", "millions", "billion", "billions", "trillion", "trillions", "dozen"),
    *("percent", "per cent", "pct", "percentage", "mn", "bn", "tn"),
    *("hundert", "tausend", "millionen", "milliarde", "milliarden", "billionen", "prozent", "mio", "mrd"),
    *("mille", "milliard", "milliards", "pour cent", "pour mille"),
    *("mil", "millón", "millones", "por ciento", "milhão", "milhões", "bilhões", "por cento"),
    *("mila", "milione", "milioni", "miliardo", "miliardi", "per cento"),
    *("тысяч", "тысячи", "тысяча", "миллион", "миллиона", "миллионов", "миллиардов", "миллиарда", "процентов"),
)
"""Behind a figure and a blank they are part of it, in any letter case."""

CURRENCY_CODES: Final = (
    *("USD", "EUR", "GBP", "JPY", "CHF", "CNY", "RMB", "INR", "CAD", "AUD", "NZD", "HKD", "SGD", "SEK", "NOK", "DKK"),
    *("CZK", "PLN", "HUF", "RUB", "UAH", "BRL", "MXN", "KRW", "ZAR", "ILS", "AED", "SAR", "THB", "IDR", "BTC"),
)
"""Before or behind a figure and a blank, in capitals."""

HAN_NUMERALS: Final = "〇零一二两兩三四五六七八九十百千万萬亿億兆廿卅"
HAN_NEGATIONS: Final = "不没沒無无非未別别勿"
HAN_NEGATING_WORDS: Final = (
    *("没有", "沒有", "没能", "沒能", "没法", "沒法", "没人", "沒人", "没敢", "沒敢", "没想", "沒想"),
    *("不是", "不能", "不能够", "不能夠", "不会", "不會", "不可", "不可以", "不可能", "不得", "不曾", "不必"),
    *("不应", "不應", "不应该", "不應該", "不该", "不該", "不敢", "不肯", "不愿", "不願", "不愿意", "不願意", "不想"),
    *("不要", "不准", "不许", "不許", "不允许", "不允許", "不宜", "不用", "不需", "不需要", "不须", "不須", "不太"),
    *("无法", "無法", "无须", "無須", "无需", "無需", "无从", "無從", "无力", "無力", "无意", "無意", "无权", "無權"),
    *("未能", "未曾", "未必", "未有", "未获", "未獲", "未经", "未經", "非是", "别去", "別去"),
)
"""A negation and its auxiliary: together they are written onto what they deny."""
HAN_AUXILIARIES: Final = ("再", "被")
"""One may stand between a negation and what it denies: `不会再`, `未被`."""
HAN_NO_NEGATIONS: Final = (
    *("南非", "北非", "东非", "東非", "西非", "中非|合作", "中非|关系", "中非|關係", "中非|论坛", "中非|論壇"),
    *("中非|共和", "中非|友", "中非|贸", "中非|貿", "除非", "莫非", "非非"),
    *("特别", "特別", "分别", "分別", "级别", "級別", "性别", "性別", "类别", "類別", "个别", "個別", "格別"),
    *("区别", "區別", "区別", "差别", "差別", "识别", "識別", "鉴别", "鑒別", "鑑別", "辨别", "辨別", "判别", "判別"),
    *("离别", "離別", "告别", "告別", "送别", "送別", "诀别", "訣別", "派别", "派別", "選別", "種別", "种别", "死別"),
    *("淹没", "淹沒", "沉没", "沉沒", "沈没", "埋没", "埋沒", "吞没", "吞沒", "湮没", "湮沒", "覆没", "覆沒", "陥没"),
    *("出没|情報", "水没|車", "是非|曲直", "是非|之"),
    *("隐没", "隱沒", "日没|後", "日没|時", "日没|于", "日沒|於", "出没|于", "出沒|於"),
)
"""Words that end in such a character and deny nothing; behind `|` what has to follow, since it is a negation else:
`周日没|开门`, `其中非|法`."""
HAN_NO_NEGATIONS_BEFORE_KANA: Final = ("日没", "水没", "出没", "是非", "有無", "虚無")
"""Japanese words, whose characters are others in Chinese: `这是非|公开的`."""
HAN_NEGATIONS_AFTER_ALL: Final = (
    *("云南非", "雲南非", "湖南非", "海南非", "河南非", "越南非", "济南非", "濟南非", "湖北非", "河北非", "华北非"),
    *("華北非", "台北非", "臺北非", "东北非", "東北非", "西北非", "山西非", "陕西非", "陝西非", "江西非", "广西非"),
    *("廣西非", "广东非", "廣東非", "山东非", "山東非", "中东非", "中東非", "其中非", "人类别", "人類別", "警告别"),
    *("警告別", "广告别", "廣告別", "劝告别", "勸告別", "女性别", "女性別", "男性别", "男性別", "这个别", "這個別"),
    *("那个别", "那個別", "一个别", "一個別", "小区别", "社区别", "地区别", "距离别", "距離別"),
)
"""Names and words whose last character only seems to begin such a word: `云南非|物质文化遗产`. The longest decides."""
NEGATIONS_BEFORE: Final = (
    *("ไม่", "มิได้", "มิใช่", "มิอาจ", "มิควร", "มิเคย", "ไร้", "ปราศจาก", "ห้าม"),
    *("ບໍ່", "ຫ້າມ"),
    *("មិន", "ពុំ", "គ្មាន", "អត់", "ឥត", "ហាម"),
    "မ",
)
"""Thai, Lao, Khmer and Burmese: written onto the word that they deny."""
AUXILIARIES: Final = (
    *("ได้", "มี", "เคย", "ใช่", "ควร", "สามารถ", "ต้อง", "อาจ", "น่า", "กล้า", "ยอม", "อยาก", "จำเป็นต้อง", "ถูก", "ทัน"),
    *("ໄດ້", "ມີ", "ເຄີຍ", "ແມ່ນ", "ສາມາດ", "ຄວນ", "ຕ້ອງ", "ອາດ", "ຢາກ", "ທັນ", "ຖືກ"),
    *("បាន", "មែន", "មាន", "អាច", "ទាន់", "ដែល", "ត្រូវ", "គួរ", "ចាំបាច់", "សូវ"),
)
"""One or two may stand between such a negation and what it denies: `ไม่ต้อง`, `ไม่ได้ถูก`."""
NO_NEGATIONS_BEFORE: Final = ("ပထမ", "အမ")
"""Words that end like one of them."""
JAPANESE_NEGATIVES: Final = ("ない", "なかった", "なく", "なけれ", "ません", "ず", "ぬ")
"""Ends of a predicate, which may come after more of it in hiragana, or be cut themselves."""
JAPANESE_NO_NEGATIVES: Final = ("ずっと", "ずつ")
KATAKANA: Final = ((0x30A1, 0x30FA), (0x30FC, 0x30FE), (0x31F0, 0x31FF))
"""A run of it is one word or compound: `ラック` of `トラック` is another."""
KANA: Final = ((0x3040, 0x30FF), (0x31F0, 0x31FF))
HAN: Final = ((0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
"""Directly behind a figure one says what is counted: `15人`, `3割`."""
ORDINALS: Final = "第"
"""Before a figure: `第3回` is the third time, `3回` three times."""
SYLLABLE_OPENERS: Final = "เแโใไເແໂໃໄっッ\u0e31\u0e37\u0eb1\u0ebb"
"""What the letter behind them belongs to, in Thai, Lao and kana: nothing ends behind one, or its tone."""
TONES: Final = "\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0ec8\u0ec9\u0eca\u0ecb"
SYLLABLE_CLOSERS: Final = "ะาำๅๆະາຳໆぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶーゝゞヽヾ々〻"
"""Written behind the letter that they belong to: nothing begins with one."""
STACKERS: Final = "\u17d2\u1039"
"""Khmer and Burmese: the next letter is written below the one before."""
SILENCERS: Final = "\u0e4c\u0ecc\u17cd\u1039\u103a"
"""Thai, Lao, Khmer and Burmese marks: the letter that has one ends the syllable before it."""
SYLLABIC_MARKS: Final = (0x0900, 0x1CFF)
"""Combining marks in these blocks spell vowels and tones, as letters do elsewhere."""

HANGUL: Final = ((0x1100, 0x11FF), (0xAC00, 0xD7AF))
HANGUL_PARTICLES: Final = (
    *("은", "는", "이", "가", "을", "를", "의", "에", "와", "과", "도", "로", "만", "으로", "에서", "에게", "부터"),
    *("까지", "에는", "에도", "에서는", "이다", "입니다"),
)
"""Written onto a noun; the noun may be quoted without them."""
HANGUL_MEASURES: Final = ("만", "도")
"""Behind a figure, also with one of `HANGUL_STEPS`, they are no particles: `5만` is 50000, `5도` five degrees."""
HANGUL_STEPS: Final = "십백천"
KOREAN_STEM_ENDS: Final = ("지", "지는", "지도", "지를", "지가")
KOREAN_DENIALS: Final = (
    *("않", "못", "말고", "말라", "말아", "말았", "말자", "말도록", "말기", "말길", "말 것", "말것"),
    *("마라", "마세", "마시", "마십", "맙"),
)
"""Behind a stem and a blank they deny it: `열리지 않았다`."""
KOREAN_NO_DENIALS: Final = ("못지",)
"""`못지않게`: no less than."""
