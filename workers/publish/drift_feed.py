"""A drift report for those who wait for it: an Atom feed (RFC 4287), and the body and signature of a webhook. Pure.

An entry's id says report, edge, newest snapshot and state, and its time is that of the snapshot, so a feed that is made
again from the same is the same, and a reader shows each change once.
"""

from __future__ import annotations

import base64
from typing import Final

from lxml import etree

from schemas.canonical import canonical_bytes, sha256_hex
from schemas.records.drift import DriftedEdge, DriftReport, DriftState
from schemas.urls.iri import iri_of
from workers.ports import Signer

ATOM = "http://www.w3.org/2005/Atom"
MEANING: Final = {
    DriftState.AMBIGUOUS: "the quote stands in several places, and none is told from the others by its surroundings",
    DriftState.CHANGED: "the quote is not there, and a passage much like it is: [-…-] stands only in the quote, {+…+} "
    "only in the page as it is now",
    DriftState.ORPHAN: "neither the quote nor a passage like it is there",
    DriftState.UNREPLAYABLE: "there is no text to look in: not kept, not readable, or an error of the server",
    DriftState.GONE: "the page is gone, says its server",
    DriftState.SOFT_404: "the server calls it a page, and it says that there is none",
    DriftState.BLOCKED: "the server does not let us see the page",
}
"""Of the states of which a feed tells."""
STANDING = frozenset({DriftState.EXACT, DriftState.MOVED})


def drifted(report: DriftReport) -> list[DriftedEdge]:
    """The edges whose quote does not stand any more as it did."""
    return [edge for edge in report.edges if edge.state not in STANDING]


def atom(report: DriftReport) -> bytes:
    """The feed: one entry for each drifted edge, the newest first."""
    feed = etree.Element(f"{{{ATOM}}}feed", nsmap={None: ATOM})  # type: ignore[dict-item]  # None: the default namespace
    edges = sorted(drifted(report), key=lambda edge: (edge.newest_retrieved_at, edge.evidence_id), reverse=True)
    times = [edge.newest_retrieved_at for edge in report.edges]
    _add(feed, "id", f"urn:citevault:drift:{report.report}")
    _add(feed, "title", f"Drift of report {report.report}")
    if told := "; ".join(f"{state.value}: {MEANING[state]}" for state in sorted({edge.state for edge in edges})):
        _add(feed, "subtitle", f"{told}. The old verdicts stay valid for their snapshots.")
    _add(feed, "updated", max(times, default=report.made_at))
    _add(_add(feed, "author", None), "name", "Citevault")
    for edge in edges:
        entry = _add(feed, "entry", None)
        name = f"{report.report}:{edge.evidence_id}:{edge.newest_snapshot_id}:{edge.state.value}"
        _add(entry, "id", f"urn:citevault:drift:{name}")
        _add(entry, "title", f"{edge.claim_id}, {edge.evidence_id}: {edge.state.value}")
        _add(entry, "updated", edge.newest_retrieved_at)
        etree.SubElement(entry, f"{{{ATOM}}}link", rel="related", href=iri_of(edge.url))
        _add(entry, "summary", _summary(edge))
    return bytes(etree.tostring(feed, xml_declaration=True, encoding="utf-8", pretty_print=True))


def webhook_headers(body: bytes, signer: Signer, at: int) -> dict[str, str]:
    """Headers of the Standard Webhooks form, signed with Ed25519 (`v1a`): over `<id>.<timestamp>.<body>`. `at`: seconds
    since 1970; a receiver refuses what is old."""
    name = f"msg_{sha256_hex(body)[:32]}"
    signature = signer.sign(f"{name}.{at}.".encode() + body)
    return {
        "Content-Type": "application/json",
        "webhook-id": name,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1a,{base64.b64encode(signature).decode('ascii')}",
    }


def webhook_body(report: DriftReport) -> bytes:
    """The report, RFC 8785."""
    return canonical_bytes(report)


def _summary(edge: DriftedEdge) -> str:
    parts = [edge.reason, edge.diff]
    parts += [f"lost: {', '.join(edge.lost)}"] if edge.lost else []
    parts += [f"gained: {', '.join(edge.gained)}"] if edge.gained else []
    told = "; ".join(part for part in parts if part)
    return "".join(c if c.isprintable() else " " for c in told)[:4000] or edge.state.value


def _add(parent: etree._Element, name: str, text: str | None) -> etree._Element:
    child = etree.SubElement(parent, f"{{{ATOM}}}{name}")
    if text is not None:
        child.text = text
    return child
