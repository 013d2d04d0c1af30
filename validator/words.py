"""What the words of a text are, for the check that looks for a quote's words in a payload.

Letters, digits and `_`, and the marks that spell vowels and tones in scripts from Devanagari to Khmer: without these
Thai for `horse` and for `come` are one word. Marks of other scripts are left out, as extraction may compose them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from schemas.text_v1.holding import SYLLABIC_MARKS


@cache
def word_characters() -> str:
    """The inside of a class of a regular expression: what a word is made of."""
    first, last = SYLLABIC_MARKS
    marks = (chr(code) for code in range(first, last + 1) if unicodedata.category(chr(code))[0] == "M")
    return r"\w" + "".join(marks)


@cache
def word_pattern() -> re.Pattern[str]:
    """One word."""
    return re.compile(f"[{word_characters()}]+")
