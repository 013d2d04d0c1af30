"""Claims that seem to say several things at once (R072): one quote may support a part, and the verdict speaks of all.

A hint, and a coarse one: sentences, semicolons, and verbs that follow a comma or `and`. It is a note, since grammar is
not to be had from a pattern, and people split claims better.
"""

from __future__ import annotations

import re
from typing import Final

_VERBS: Final = (
    "is|are|was|were|has|have|had|can|cannot|will|does|did|do|may|must|"
    "costs?|complies|comply|supports?|includes?|launched|runs?|uses?|works?|offers?|requires?"
)
_AFTER_COMMA: Final = rf",\s+(?:(?:and|but|or)\s+)?(?=(?:{_VERBS})\b)"
_JOINT: Final = re.compile(rf"{_AFTER_COMMA}|\s(?:and|but)\s+(?=(?:{_VERBS})\b)", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[^\W\d_]{2})[.!?]\s+(?=[A-Z])|;\s+|[\u3002\uff1b](?=.)")
_SPACELESS_JOINT: Final = re.compile(r"[\uff0c\u3001](?:\u800c\u4e14|\u5e76\u4e14|\u4e26\u4e14)?")
"""Chinese and Japanese: a comma or list comma; from the second on it is taken for one assertion more."""


def assertions(text: str) -> int:
    """How many things a claim seems to assert; at least one."""
    spaceless = len(_SPACELESS_JOINT.findall(text))
    return 1 + len(_JOINT.findall(text)) + len(_SENTENCE.findall(text)) + (spaceless if spaceless > 1 else 0)
