"""Writes `unicode-15.0.0.json` out of an interpreter that carries exactly that version (Python 3.12).

`python3.12 -m schemas.text_v1.pin` prints the file. It is a tool for whoever doubts the tables;
`text-v1` never calls it, and another version of Unicode would be another normaliser.
"""

from __future__ import annotations

import json
import sys
import unicodedata

UNICODE_VERSION = "15.0.0"
CODE_POINTS = 0x110000


def tables() -> dict[str, object]:
    """Combining classes, canonical decompositions and what never composes, for all code points."""
    if unicodedata.unidata_version != UNICODE_VERSION:
        raise SystemExit(
            f"this Python has Unicode {unicodedata.unidata_version}, the tables are {UNICODE_VERSION}: use Python 3.12"
        )
    combining: list[list[int]] = []
    decomposition: dict[str, str] = {}
    excluded: list[str] = []
    for point in range(CODE_POINTS):
        character = chr(point)
        value = unicodedata.combining(character)
        if value:
            if combining and combining[-1][1:] == [point - 1, value]:
                combining[-1][1] = point
            else:
                combining.append([point, point, value])
        mapping = unicodedata.decomposition(character)
        if mapping and not mapping.startswith("<"):  # `<font> …` and the like are compatibility mappings
            decomposition[f"{point:04X}"] = mapping
            if " " in mapping and unicodedata.normalize("NFC", character) != character:
                excluded.append(f"{point:04X}")
    return {
        "unicode": UNICODE_VERSION,
        "combining": combining,
        "decomposition": decomposition,
        "excluded": excluded,
    }


def file_text() -> str:
    """The file: one top-level entry a line, so that a difference can be read."""
    entries = (f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in tables().items())
    return "{\n" + ",\n".join(entries) + "\n}\n"


if __name__ == "__main__":
    sys.stdout.write(file_text())
