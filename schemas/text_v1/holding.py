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
NEGATIONS_BEFORE: Final = ("ไม่", "ບໍ່", "មិន")
"""Thai, Lao and Khmer: written onto the word that they deny."""
JAPANESE_NEGATIVES: Final = ("ない", "なかった", "なく", "なけれ", "ません", "ず", "ぬ")
"""Ends of a predicate, which may come after more of it in hiragana."""
JAPANESE_NO_NEGATIVES: Final = ("ずっと", "ずつ")
HANGUL: Final = ((0x1100, 0x11FF), (0xAC00, 0xD7AF))
HANGUL_PARTICLES: Final = (
    *("은", "는", "이", "가", "을", "를", "의", "에", "와", "과", "도", "로", "만", "으로", "에서", "에게", "부터"),
    *("까지", "에는", "에도", "에서는", "이다", "입니다"),
)
"""Written onto a noun; the noun may be quoted without them."""
