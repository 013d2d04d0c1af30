"""A bundle's evidence as W3C Web Annotations (Recommendation of 2017), for other readers. Pure; export only.

Each edge is one annotation that assesses a claim. It has two targets: the page as it was at that moment, with the quote
and what stands around it, and the stored text, with the offsets, which count its code points and nothing that a browser
shows. A quote in parts has both for each part, since selectors of one target have to select the same (4.2): what it
leaves out is no target.
"""

from __future__ import annotations

from pydantic import JsonValue

from schemas.records.bundle import Bundle, BundleSnapshot
from schemas.records.claim import Claim, Evidence
from schemas.urls.iri import iri_of
from workers.cite.context import prefix_of, suffix_of

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
PDF_FRAGMENT = "http://tools.ietf.org/rfc/rfc3778"
Span = tuple[int, int]


def annotation_collection(bundle: Bundle, archive_base: str | None = None) -> dict[str, JsonValue]:
    """An AnnotationCollection with all edges in their order, none merged and none dropped (C15)."""
    claims = {claim.id: claim for claim in bundle.claims}
    snapshots = {snapshot.id: snapshot for snapshot in bundle.snapshots}
    items: list[JsonValue] = [
        _annotation(bundle, edge, claims[edge.claim_id], snapshots[edge.snapshot_id], archive_base)
        for edge in bundle.evidence
    ]
    name = f"urn:citevault:report:{bundle.id}"
    page: dict[str, JsonValue] = {"id": f"{name}:page:1", "type": "AnnotationPage", "startIndex": 0, "items": items}
    return {
        "@context": CONTEXT,
        "id": name,
        "type": "AnnotationCollection",
        "label": f"Evidence of report {bundle.id}",
        "created": bundle.created_at,
        "total": len(items),
        "first": page,
    }


def _annotation(
    bundle: Bundle, edge: Evidence, claim: Claim, snapshot: BundleSnapshot, archive_base: str | None
) -> JsonValue:
    bodies: list[JsonValue] = [
        {"type": "TextualBody", "purpose": "assessing", "value": edge.support.value, "format": "text/plain"},
        {"type": "TextualBody", "purpose": "describing", "value": claim.text, "format": "text/plain"},
        {"type": "TextualBody", "purpose": "identifying", "value": claim.id, "format": "text/plain"},
    ]
    return {
        "id": f"urn:citevault:report:{bundle.id}:{edge.id}",
        "type": "Annotation",
        "motivation": "assessing",
        "created": edge.checked_at,
        "generator": {"id": "urn:citevault:software", "type": "Software", "name": "Citevault"},
        "body": bodies,
        "target": [
            *(_page(edge, span, snapshot, archive_base) for span in edge.spans),
            *(_text(edge, span, snapshot) for span in edge.spans),
        ],
    }


def _page(edge: Evidence, span: Span, snapshot: BundleSnapshot, archive_base: str | None) -> JsonValue:
    state: dict[str, JsonValue] = {"type": "TimeState", "sourceDate": snapshot.retrieved_at}
    cached = snapshot.archive_url
    if archive_base is not None:
        digits = "".join(c for c in snapshot.retrieved_at[:19] if c.isdigit())
        cached = f"{archive_base.rstrip('/')}/{digits}/{snapshot.final_url}"
    if cached is not None:
        state["cached"] = iri_of(cached)
    selectors: list[JsonValue] = [_quote(edge, span)]
    if edge.locator is not None and edge.locator.page is not None:
        page = f"page={edge.locator.page}"
        selectors.append({"type": "FragmentSelector", "conformsTo": PDF_FRAGMENT, "value": page})
    return {"type": "SpecificResource", "source": iri_of(snapshot.final_url), "state": state, "selector": selectors}


def _text(edge: Evidence, span: Span, snapshot: BundleSnapshot) -> JsonValue:
    position: JsonValue = {"type": "TextPositionSelector", "start": span[0], "end": span[1]}
    return {
        "type": "SpecificResource",
        "source": {
            "id": f"urn:citevault:snapshot:{snapshot.id}:text",
            "type": "Text",
            "format": "text/plain",
            **({"language": snapshot.language} if snapshot.language else {}),
        },
        "selector": [_quote(edge, span), position],
    }


def _quote(edge: Evidence, span: Span) -> JsonValue:
    """The words of a span, with what stands right around them, be it what the quote leaves out."""
    whole = f"{edge.prefix}{edge.quote}{edge.suffix}"
    start, end = (place - edge.quote_start + len(edge.prefix) for place in span)
    return {
        "type": "TextQuoteSelector",
        "exact": whole[start:end],
        "prefix": prefix_of(whole, start),
        "suffix": suffix_of(whole, end),
    }
