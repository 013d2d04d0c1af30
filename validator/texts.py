"""A stored text, by its bytes: digest first, then UTF-8, then text-v1 (X26).

Never `read_text()`: it folds line ends, so that hash and offsets would speak of another string.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.canonical import sha256_hex
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.bundle import BundleSnapshot
from schemas.text_v1 import is_normalized
from validator.found import Found
from validator.limits import LIMITS
from validator.place import Place, Unavailable, read_all


@dataclass(frozen=True, slots=True)
class NoText:
    """There is no text to check spans in. `kept` tells a policy of not keeping it from a fault."""

    kept: bool


def read_text(snapshot: BundleSnapshot, index: int, place: Place, found: Found) -> str | NoText:
    """The snapshot's text if all of it holds; else what is wrong has been reported."""
    at = ("snapshots", index)
    if snapshot.text_sha256 is None or snapshot.text_path is None:
        quote_only = snapshot.text_sha256 is not None and snapshot.retention == "quote_only"
        if (snapshot.text_sha256 is None) != (snapshot.text_path is None) and not quote_only:
            found.add(
                FindingKind.TEXT_PATH,
                pointer=pointer((*at, "text_path")),
                ids=(snapshot.id,),
                expected="a path exactly where there is a text",
                actual=snapshot.text_path,
            )
        return NoText(kept=not quote_only)
    path = f"texts/{snapshot.id}.txt"
    if snapshot.text_path != path:
        found.add(
            FindingKind.TEXT_PATH,
            pointer=pointer((*at, "text_path")),
            ids=(snapshot.id,),
            expected=path,
            actual=snapshot.text_path,
        )
        return NoText(kept=True)
    data = read_all(place, path, LIMITS.text)
    if isinstance(data, Unavailable):
        found.add(data.kind, pointer=pointer((*at, "text_path")), path=path, ids=(snapshot.id,), detail=data.detail)
        return NoText(kept=True)
    found.looked_at("texts")
    return _text_of(data, snapshot, index, path, found)


def _text_of(data: bytes, snapshot: BundleSnapshot, index: int, path: str, found: Found) -> str | NoText:
    digest = sha256_hex(data)
    at = ("snapshots", index)
    if digest != snapshot.text_sha256:
        found.add(
            FindingKind.TEXT_DIGEST,
            pointer=pointer((*at, "text_sha256")),
            path=path,
            ids=(snapshot.id,),
            expected=snapshot.text_sha256,
            actual=digest,
        )
        return NoText(kept=True)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        found.add(FindingKind.TEXT_NOT_UTF8, path=path, ids=(snapshot.id,), actual=f"byte {error.start}")
        return NoText(kept=True)
    if text.startswith("\ufeff"):
        found.add(FindingKind.TEXT_NOT_UTF8, path=path, ids=(snapshot.id,), actual="a byte-order mark")
        return NoText(kept=True)
    if not is_normalized(text):
        found.add(FindingKind.TEXT_NOT_NORMALIZED, path=path, ids=(snapshot.id,))
        return NoText(kept=True)
    if len(text) != snapshot.text_chars:
        found.add(
            FindingKind.TEXT_LENGTH,
            pointer=pointer((*at, "text_chars")),
            path=path,
            ids=(snapshot.id,),
            expected=len(text),
            actual=snapshot.text_chars,
        )
    return text
