"""Tables of the lexical checker: number words, scales, units, negations, comparisons. Case-folded, some ten languages.

A word that means other things more often than what it would stand for here is left out: the checker warns people, and
people stop reading what warns too often.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

_SMALL: Final = (
    ("zero", "zéro", "cero"),
    (),  # `one` and its like are pronouns
    ("two", "zwei", "deux"),
    ("three", "drei", "trois", "tres"),
    ("four", "vier", "quatre", "cuatro"),
    ("five", "fünf", "cinq", "cinco"),
    ("six", "sechs", "seis"),
    ("seven", "sieben", "siete"),
    ("eight", "acht", "huit", "ocho"),
    ("nine", "neun", "nueve"),
    ("ten", "zehn", "dix", "diez"),
    ("eleven", "onze"),
    ("twelve", "zwölf", "douze", "doce"),
    ("thirteen", "dreizehn", "treize", "trece"),
    ("fourteen", "vierzehn", "quatorze", "catorce"),
    ("fifteen", "fünfzehn", "quinze", "quince"),
    ("sixteen", "sechzehn", "seize"),
    ("seventeen", "siebzehn"),
    ("eighteen", "achtzehn"),
    ("nineteen", "neunzehn"),
)
_TENS: Final = (
    *(("twenty", "zwanzig", "vingt", "veinte"), ("thirty", "dreißig", "trente", "treinta")),
    *(("forty", "vierzig", "quarante", "cuarenta"), ("fifty", "fünfzig", "cinquante", "cincuenta")),
    *(("sixty", "sechzig", "soixante", "sesenta"), ("seventy", "siebzig", "setenta")),
    *(("eighty", "achtzig", "ochenta"), ("ninety", "neunzig", "noventa")),
)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NUMBERS: Final = {word: value for value, words in enumerate(_SMALL) for word in words} | {
    word: 20 + 10 * place for place, words in enumerate(_TENS) for word in words
}
TENS: Final = frozenset(word for words in _TENS for word in words)
PARTS: Final = {"half": Fraction(1, 2), "a third": Fraction(1, 3), "one third": Fraction(1, 3)} | {
    "two thirds": Fraction(2, 3),
    "a quarter": Fraction(1, 4),
    "three quarters": Fraction(3, 4),
}

_SCALES: Final = {
    10**2: "hundred hundert cientos",
    10**3: "thousand tausend mille mila тысяч тысячи тысяча k",
    10**6: "million millions millionen mio mio. m mn millón millones milhão milhões milione milioni миллион миллиона "
    "миллионов млн",
    10**9: "billion billions bn milliarde milliarden mrd mrd. milliard milliards miliardo miliardi миллиард миллиарда "
    "миллиардов млрд",
    10**12: "trillion trillions tn billionen",
    12: "dozen dozens dutzend",
}
SCALES: Final = {word: factor for factor, words in _SCALES.items() for word in words.split()}
"""Behind a figure and a blank, or right behind it."""
HAN_SCALES: Final = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
HAN_DIGITS: Final = dict(zip("〇零一二三四五六七八九", (0, 0, *range(1, 10)), strict=True)) | {"两": 2, "兩": 2}

_UNITS: Final[dict[tuple[str, Fraction], str]] = {
    ("%", Fraction(1)): "% percent pct prozent pourcent ％ ٪ процента процентов",
    ("%", Fraction(1, 10)): "‰",
    ("points", Fraction(1)): "pp",
    ("USD", Fraction(1)): "$ usd us$ dollar dollars",
    ("EUR", Fraction(1)): "€ eur euro euros",
    ("GBP", Fraction(1)): "£ gbp sterling",
    ("JPY", Fraction(1)): "jpy yen 円",
    ("CNY", Fraction(1)): "cny rmb yuan 元",
    ("CHF", Fraction(1)): "chf franken francs",
    ("INR", Fraction(1)): "₹ inr rupees",
    ("RUB", Fraction(1)): "₽ rub рублей",
    ("length", Fraction(1, 10**9)): "nm",
    ("length", Fraction(1, 10**6)): "µm μm",
    ("length", Fraction(1, 1000)): "mm millimetre millimetres millimeter millimeters",
    ("length", Fraction(1, 100)): "cm centimetre centimetres centimeter centimeters zentimeter",
    ("length", Fraction(1)): "metre metres meter meters mètre mètres metros",
    ("length", Fraction(1000)): "km kilometre kilometres kilometer kilometers kilomètres kilómetros",
    ("length", Fraction(1609344, 1000)): "mile miles",
    ("length", Fraction(3048, 10000)): "foot feet",
    ("length", Fraction(254, 10000)): "inch inches",
    ("mass", Fraction(1, 10**6)): "mg milligram milligrams",
    ("mass", Fraction(1, 1000)): "gram grams gramm grammes",
    ("mass", Fraction(1)): "kg kilogram kilograms kilogramm kilos",
    ("mass", Fraction(1000)): "tonne tonnes",
    ("time", Fraction(1, 1000)): "ms millisecond milliseconds",
    ("time", Fraction(1)): "second seconds sekunde sekunden secondes segundos",
    ("time", Fraction(60)): "min minute minutes minuten minutos",
    ("time", Fraction(3600)): "hour hours stunde stunden heures horas",
    ("days", Fraction(1)): "day days tag tage tagen jours días",
    ("days", Fraction(7)): "week weeks woche wochen semaines semanas",
    ("months", Fraction(1)): "month months monat monate monaten mois meses",
    ("months", Fraction(12)): "year years jahr jahre jahren ans années años",
    ("°C", Fraction(1)): "°c celsius",
    ("°F", Fraction(1)): "°f fahrenheit",
    ("power", Fraction(1)): "watt watts",
    ("power", Fraction(1000)): "kw kilowatt kilowatts",
    ("power", Fraction(10**6)): "mw megawatt megawatts",
    ("power", Fraction(10**9)): "gw gigawatt gigawatts",
    ("energy", Fraction(1)): "kwh",
    ("energy", Fraction(1000)): "mwh",
    ("energy", Fraction(10**6)): "gwh",
    ("energy", Fraction(10**9)): "twh",
    ("bytes", Fraction(1)): "byte bytes",
    ("bytes", Fraction(1000)): "kb kilobytes",
    ("bytes", Fraction(10**6)): "mb megabytes",
    ("bytes", Fraction(10**9)): "gb gigabytes",
    ("bytes", Fraction(10**12)): "tb terabytes",
}
UNITS: Final = {word: unit for unit, words in _UNITS.items() for word in words.split()}
PHRASES: Final = {"per cent": "percent", "percentage points": "pp", "pour cent": "percent", "por ciento": "percent"} | {
    "percentage point": "pp",
    "prozentpunkte": "pp",
    "por cento": "percent",
    "per cento": "percent",
}

NEGATIONS: Final = _set(
    "not no never none nor neither nobody nothing nowhere without cannot hardly lacks lacked denied denies refused "
    "fails failed nicht kein keine keinen keinem keiner keines nie niemals ohne weder niemand nichts ne pas jamais "
    "sans aucun aucune ni rien personne nunca sin ningún ninguna ninguno tampoco não nem sem nenhum non senza nessuno "
    "niente mai не нет ни без никогда никто ничего لا ليس لم لن ليست غير לא אין בלי नहीं न मत δεν όχι χωρίς"
)
NEGATED_ENDINGS: Final = ("n't", "n\u2019t")
NEGATIONS_WITHIN: Final = (
    *("不", "没", "沒", "無", "无", "未", "ない", "なかった", "ません", "않", "아니", "없", "못하"),
    *("ไม่", "ບໍ່", "មិន", "không"),
)
"""In scripts that have no blanks between words, or write the negation onto one."""
NO_NEGATIONS: Final = (
    "不同",
    "不过",
    "不過",
    "未来",
    "未來",
    "不断",
    "不斷",
    "无线",
    "無線",
    "無料",
    "少ない",
    "不仅",
    "不僅",
)

MORE: Final = _set(
    "more greater higher larger bigger longer faster better older stronger heavier warmer wider taller deeper over "
    "above exceed exceeds exceeded exceeding rose rise rises risen increase increases increased increasing grew grows "
    "grown growth gained doubled tripled outperforms outperformed surpassed mehr höher größer länger schneller besser "
    "stieg gestiegen wuchs über plus supérieur supérieure augmenté augmente hausse más mayor superior aumentó creció "
    "subió больше выше вырос выросла увеличился"
)
LESS: Final = _set(
    "less fewer lower smaller shorter slower worse younger weaker lighter colder narrower under below fell fall falls "
    "fallen decrease decreases decreased decreasing declined declines decline dropped drops shrank shrunk lost halved "
    "weniger niedriger kleiner kürzer langsamer schlechter sank gesunken fiel unter moins inférieur inférieure "
    "diminué baisse menos menor inferior disminuyó cayó bajó меньше ниже упал упала снизился снизилась"
)
AT_LEAST: Final = ("at least", "no less than", "no fewer than", "minimum", "mindestens", "au moins", "al menos", "以上")
AT_MOST: Final = ("at most", "no more than", "up to", "maximum", "höchstens", "bis zu", "au plus", "a lo sumo", "以下")
MORE_WITHIN: Final = ("增加", "上升", "增长", "增長", "超过", "超過", "高于", "多于", "上昇", "증가", "높")
LESS_WITHIN: Final = ("减少", "減少", "下降", "降低", "低于", "少于", "감소", "낮")
THAN: Final = ("than", "als", "que", "чем", "比")
"""Between what is compared; 比 stands behind the first and before the second."""
ABOUT: Final = ("about", "around", "roughly", "approximately", "nearly", "almost", "some", "etwa", "rund", "environ")
"""A claim that says so may round."""
