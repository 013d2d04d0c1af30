"""The rules of `text-v1`, in their order (`schemas/README.md, text-v1`).

1. CRLF, CR, VT, FF, U+0085, U+2028, U+2029 become LF.
2. U+FEFF, U+00AD, U+200B, U+2060, the C0 and C1 controls and U+007F are deleted, except TAB and LF.
3. SPACE and TAB before LF and at the end are removed.
4. NFC of Unicode 15.0.
5. The text ends with exactly one LF; a text that is empty by now stays empty.

Nothing else is folded: U+200C, U+200D, bidi marks, no-break spaces, quotes and ligatures stay, since
they may carry meaning and a quote must be found as it was published.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from schemas.text_v1.nfc import changes
from schemas.text_v1.offsets import OffsetMap, Run, RunBuilder, compose

NORMALIZER = "text-v1"

_LINE_ENDS = "\r\x0b\x0c\x85\u2028\u2029"
_DELETED = "\ufeff\u00ad\u200b\u2060\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_CONTROL = re.compile(f"[{_LINE_ENDS}{_DELETED}]")
_BLANKS = " \t"

_Step: TypeAlias = "tuple[str, list[Run]] | None"
"""Text and runs of one rule, or None where the rule changes nothing."""


class NotTextError(ValueError):
    """The input holds a lone surrogate, so it is no Unicode text and has no UTF-8 form."""

    def __init__(self, position: int) -> None:
        super().__init__(f"lone surrogate at code point {position}; decode the input properly first")
        self.position = position


@dataclass(frozen=True, slots=True)
class NormalizedText:
    """A text in `text-v1` and the way back to the input."""

    text: str
    offsets: OffsetMap


def normalize(text: str) -> NormalizedText:
    """Bring a text into `text-v1`. Applying it twice changes nothing. Raises NotTextError for a lone surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotTextError(error.start) from None
    current = text
    runs = [Run(0, 0, len(text))] if text else []
    rules: tuple[Callable[[str], _Step], ...] = (_control_characters, _trailing_blanks, _nfc, _final_line_end)
    for rule in rules:
        changed = rule(current)
        if changed is not None:
            current, step = changed
            runs = compose(step, runs)
    return NormalizedText(current, OffsetMap(len(text), len(current), tuple(runs)))


def is_normalized(text: str) -> bool:
    """Whether a text is in `text-v1` already: what a checker asks of a stored file."""
    try:
        return normalize(text).text == text
    except NotTextError:
        return False


def _control_characters(text: str) -> _Step:
    """Rules 1 and 2. A line end other than CRLF is replaced in place, so its position is kept."""
    if _CONTROL.search(text) is None:
        return None
    parts: list[str] = []
    runs = RunBuilder()
    done = 0
    for match in _CONTROL.finditer(text):
        at = match.start()
        character = text[at]
        parts.append(text[done:at])
        runs.keep(done, at - done)
        if character in _LINE_ENDS and text[at : at + 2] != "\r\n":
            parts.append("\n")
            runs.keep(at, 1)
        done = at + 1
    parts.append(text[done:])
    runs.keep(done, len(text) - done)
    return "".join(parts), runs.runs


def _trailing_blanks(text: str) -> _Step:
    """Rule 3."""
    if " \n" not in text and "\t\n" not in text and not text.endswith((" ", "\t")):
        return None
    lines = text.split("\n")
    stripped = [line.rstrip(_BLANKS) for line in lines]
    runs = RunBuilder()
    at = 0
    for line, kept in zip(lines, stripped, strict=True):
        runs.keep(at, len(kept))
        at += len(line)
        runs.keep(at, min(1, len(text) - at))  # its LF; the last line has none
        at += 1
    return "\n".join(stripped), runs.runs


def _nfc(text: str) -> _Step:
    """Rule 4. What NFC rewrites is a gap, whole."""
    parts: list[str] = []
    runs = RunBuilder()
    done = 0
    for start, end, replacement in changes(text):
        parts += (text[done:start], replacement)
        runs.keep(done, start - done)
        runs.write(len(replacement))
        done = end
    if not parts:
        return None
    parts.append(text[done:])
    runs.keep(done, len(text) - done)
    return "".join(parts), runs.runs


def _final_line_end(text: str) -> _Step:
    """Rule 5. The first of several LF at the end is the one that stays; an added one comes from nowhere."""
    body = text.rstrip("\n")
    if not text or len(text) == len(body) + 1:
        return None
    runs = RunBuilder()
    runs.keep(0, min(len(body) + 1, len(text)))
    return body + "\n", runs.runs
