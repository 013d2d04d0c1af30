"""What a passage must not lose or gain when it is matched in another spelling: figures, comparisons, negations (C23).

Folding leaves these characters alone; this looks at what leaving out white space could do to their surroundings, as
in `not able` and `notable`, and tells which of them a change of a page touched.
"""

from __future__ import annotations

import re

_TELLING = re.compile(
    r"""
      (?P<figure> [+\-−±]? [$€£¥₹₩₽¢]? \d+ (?:[.,\uff0e\u066b\u066c]\d+)* \s?[%‰°]? )
    | (?P<comparison> [<>≤≥≠≈=]+ )
    | (?P<negation> \b(?:
          not|no|never|none|nor|neither|nobody|nothing|nowhere|without|cannot|\w+n['’]t
        | nicht|kein\w*|nie|niemals|ohne|weder
        | ne|pas|jamais|sans|aucune?|ni
        | nunca|sin|ningun\w*|não|non|senza
      )\b | [不没沒無无未非否] | ない | なかった | ません | 않 | 아니 | \bне\b | \bни\b )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def telling(passage: str) -> tuple[str, ...]:
    """Its figures with sign, currency and per cent, comparisons and negations, in order, in one spelling each."""
    return tuple("".join(match[0].split()).casefold().replace("’", "'") for match in _TELLING.finditer(passage))
