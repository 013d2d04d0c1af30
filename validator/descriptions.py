"""Whether snapshots say of themselves what their signed leaves promise: titles, authors, dates, visits, outlines.

A leaf binds all of that by one digest, so a difference is told, but not in which field. Leaves of older archives bind
none of it: then it is the word of the bundle's author, and that is told once.
"""

from __future__ import annotations

from schemas.canonical import CanonicalError
from schemas.description import description_sha256
from schemas.findings import FindingKind
from schemas.pointer import pointer
from validator.found import Found
from validator.input import BundleInput


def check_descriptions(given: BundleInput, found: Found) -> None:
    """All snapshots of the bundle."""
    unbound: list[str] = []
    for index, snapshot in enumerate(given.bundle.snapshots):
        promised = snapshot.inclusion.leaf.description_sha256
        if promised is None:
            unbound.append(snapshot.id)
            continue
        found.looked_at("descriptions")
        try:
            actual: str | None = description_sha256(snapshot, snapshot.headings, snapshot.pages)
        except CanonicalError:
            actual = None
        if actual != promised:
            found.add(
                FindingKind.LEAF_DESCRIPTION,
                pointer=pointer(("snapshots", index)),
                ids=(snapshot.id,),
                expected=promised,
                actual=actual,
            )
    if unbound:
        found.add(
            FindingKind.LEAF_UNDESCRIBED,
            pointer="/snapshots",
            ids=unbound,
            actual=f"{len(unbound)} of {len(given.bundle.snapshots)} snapshots",
        )
