"""Breaks a copy of a bundle in the smallest way: one digit of one quoted sentence."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from schemas.records.bundle import Bundle


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed, for a person."""

    path: str
    position: int
    """Code points from the start of the text."""
    before: str
    after: str


def break_copy(bundle: Bundle, folder: Path, copy: Path) -> Change | None:
    """Copy the bundle, and put another digit for the first one in a quote. None: no quote has a digit."""
    paths = {snapshot.id: snapshot.text_path for snapshot in bundle.snapshots}
    for edge in bundle.evidence:
        within = next((at for at, letter in enumerate(edge.quote) if letter in "0123456789"), None)
        path = paths.get(edge.snapshot_id)
        if within is None or path is None:
            continue
        shutil.copytree(folder, copy)
        position = edge.quote_start + within
        text = (copy / path).read_bytes().decode("utf-8")
        other = str((int(text[position]) + 1) % 10)
        changed = text[:position] + other + text[position + 1 :]
        (copy / path).write_bytes(changed.encode("utf-8"))
        return Change(path, position, edge.quote, edge.quote[:within] + other + edge.quote[within + 1 :])
    return None
