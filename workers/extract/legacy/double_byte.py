"""Encodings of one or two bytes a character: Big5, Shift_JIS, EUC-JP, EUC-KR (Encoding Standard, 11.1, 12, 13).

The decoders of the standard differ only in their tables and lead bytes. A broken sequence gives one
U+FFFD; if its last byte is ASCII, that byte is read again, so that a broken character cannot swallow a `<`.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

REPLACEMENT: Final = "\ufffd"


@dataclass(frozen=True, slots=True)
class PairTable:
    """What sequences mean, keyed by their bytes read as Latin-1."""

    sequence: re.Pattern[str]
    """One sequence that starts with a byte of 0x80 or more, whether it means something or not."""
    characters: Mapping[str, str]


def decode_pairs(data: bytes, table: PairTable) -> str:
    """Decode with one of these tables."""
    characters = table.characters

    def character(match: re.Match[str]) -> str:
        found = characters.get(match[0])
        if found is not None:
            return found
        last = match[0][-1]
        return REPLACEMENT + last if last < "\x80" else REPLACEMENT

    return table.sequence.sub(character, data.decode("latin-1"))


@functools.cache
def pair_table(name: str) -> PairTable:
    """The table of `big5`, `shift_jis`, `euc-jp` or `euc-kr`, built at first use (some 20 ms)."""
    if name == "big5":
        return PairTable(_sequences("[\x81-\xfe]"), dict(_codec_pairs("big5hkscs")) | _big5_differences())
    if name == "shift_jis":
        singles = {chr(byte): chr(0xFF61 + byte - 0xA1) for byte in range(0xA1, 0xE0)} | {"\x80": "\x80"}
        return PairTable(_sequences("[\x81-\x9f\xe0-\xfc]"), dict(_codec_pairs("cp932")) | singles)
    if name == "euc-jp":
        # A third byte belongs to a sequence only behind 0x8F and a byte that can follow it.
        pattern = "\x8f[\xa1-\xfe][\x00-\xff]?|[\x8e\x8f\xa1-\xfe][\x00-\xff]?|[\x80-\xff]"
        return PairTable(re.compile(pattern, re.DOTALL), _euc_jp())
    if name == "euc-kr":
        return PairTable(_sequences("[\x81-\xfe]"), dict(_codec_pairs("cp949")))
    raise LookupError(f"no two-byte encoding named {name[:40]!r}")


def jis_x_0208(row: int, cell: int) -> str | None:
    """The standard's index jis0208 for a row and cell of 1 to 94, by way of the same cells of Shift_JIS."""
    lead = (row - 1) // 2 + (0x81 if row < 63 else 0xC1)
    upper = cell + (0x3F if cell < 64 else 0x40)  # 0x7F is no second byte
    trail = upper if row % 2 else cell + 0x9E
    try:
        return bytes((lead, trail)).decode("cp932")
    except UnicodeDecodeError:
        return None


def _sequences(lead: str) -> re.Pattern[str]:
    return re.compile(f"{lead}[\x00-\xff]?|[\x80-\xff]", re.DOTALL)


def _codec_pairs(codec: str) -> Iterator[tuple[str, str]]:
    """Every sequence of two bytes that a codec of CPython knows (Big5 has four that mean two characters)."""
    for lead in range(0x81, 0xFF):
        for trail in range(0x40, 0xFF):
            pair = bytes((lead, trail))
            try:
                text = pair.decode(codec)
            except UnicodeDecodeError:
                continue
            yield pair.decode("latin-1"), text


def _big5_differences() -> dict[str, str]:
    data = resources.files("workers.extract.legacy").joinpath("big5-differences.json").read_bytes()
    return {bytes.fromhex(pair).decode("latin-1"): text for pair, text in json.loads(data)["big5"].items()}


def _euc_jp() -> dict[str, str]:
    table = {f"\x8e{chr(byte)}": chr(0xFF61 + byte - 0xA1) for byte in range(0xA1, 0xE0)}
    for row in range(1, 95):
        for cell in range(1, 95):
            pair = bytes((row + 0xA0, cell + 0xA0))
            if (character := jis_x_0208(row, cell)) is not None:
                table[pair.decode("latin-1")] = character
            triple = b"\x8f" + pair
            try:
                supplementary = triple.decode("euc_jp")
            except UnicodeDecodeError:
                continue
            table[triple.decode("latin-1")] = "\uff5e" if supplementary == "~" else supplementary
    return table
