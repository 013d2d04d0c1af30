"""What a bundle says and nothing in it can show: its author's word, named in every report, so that silence about a
field is never taken for a check of it."""

from __future__ import annotations

from typing import Final

from schemas.description import DESCRIBED
from validator.cluster_edges import CUT, RULES, UNTOLD, WORD_PARAMS
from validator.input import BundleInput
from validator.snapshot_fields import RECOMPUTED

AUTHORS: Final = (
    "/id",
    "/created_at",
    "/claims/*/text",
    "/claims/*/importance",
    "/claims/*/claim_type",
    "/claims/*/place",
    "/evidence/*/support",
    "/evidence/*/match_level",
    "/evidence/*/locator/note",
    "/snapshots/*/archive_url",
    "/clusters/*/id",
    "/clusters/*/aliases",
    *(f"/clusters/*/edges/*/figures/{name}" for name in UNTOLD),
    "/independence/*/by",
    "/independence/*/at",
    "/independence/*/why",
    "/judgements/*",
    "/arbitrations/*",
    "/policies/*/value",
    "x_*",
)
"""JSON Pointers with `*` for any index; what lies below one is meant too. A check may bound a value (a time is not
after the bundle's, a judgement is of its edge), and none shows that it is true."""


def unchecked_fields(given: BundleInput, *, read_again: bool) -> tuple[str, ...]:
    """The author's word in this bundle, sorted. `read_again`: the extractor has read the payloads anew."""
    out = set(AUTHORS)
    undescribed = [s for s in given.bundle.snapshots if s.inclusion.leaf.description_sha256 is None]
    if undescribed and not read_again:
        out |= {f"/snapshots/*/{name}" for name in (*DESCRIBED, "headings", "pages") if name not in RECOMPUTED}
    elif undescribed:
        out |= {f"/snapshots/*/{name}" for name in ("visit", "reader_reason", "server_digests")}
    for cluster in given.bundle.clusters:
        if cluster.edges and cluster.rules not in RULES:
            out |= {"/clusters/*/edges/*/rule", "/clusters/*/edges/*/confirmed"}
        texts = {member.text_sha256 for member in cluster.members}
        if any(edge.params not in CUT or not texts.issuperset((edge.a, edge.b)) for edge in cluster.edges):
            out.add("/clusters/*/edges/*/figures")
        if any(edge.params != WORD_PARAMS for edge in cluster.edges):
            out.add("/clusters/*/edges/*/figures/opening_ppm")
    if any(s.text_sha256 is not None and s.text_path is None for s in given.bundle.snapshots):
        out |= {"/evidence/*/quote", "/evidence/*/prefix", "/evidence/*/suffix", "/evidence/*/locator"}
    return tuple(sorted(out))
