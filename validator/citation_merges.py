"""Sources that a reader would see under one number though their texts differ (X1, X5).

Numbers group pages by their citation URL (`citation-index@1`), which drops more than identity does: `ref=`, the
version of a preprint, the list of a video. Where the texts behind one such URL are not the same, a number alone does
not say which was cited.
"""

from __future__ import annotations

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.urls.citation import citation_url
from schemas.urls.conservative import normalize
from schemas.urls.error import UrlError
from validator.found import Found
from validator.input import BundleInput


def check_citation_merges(given: BundleInput, found: Found) -> None:
    """Among the snapshots that edges cite; each pair of sources is told once, with its first texts."""
    first: dict[str, tuple[str, str | None]] = {}
    told: set[tuple[str, str]] = set()
    for i, snapshot in enumerate(given.bundle.snapshots):
        if snapshot.id not in given.edges_of_snapshot:
            continue
        normalized = normalize(snapshot.normalized_url)
        if isinstance(normalized, UrlError):
            continue  # reported with the snapshot's identity
        found.looked_at("citation URLs")
        cited = citation_url(normalized.url, snapshot.fragment).value
        source, text = first.setdefault(cited, (snapshot.source_id, snapshot.text_sha256))
        pair = (source, snapshot.source_id)
        if source != snapshot.source_id and text != snapshot.text_sha256 and pair not in told:
            told.add(pair)
            found.add(
                FindingKind.BUNDLE_LOSSY_MERGE,
                pointer=pointer(("snapshots", i, "normalized_url")),
                ids=pair,
                expected="one text behind one citation URL",
                actual=cited,
            )
