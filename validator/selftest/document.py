"""`bundle.json` of the self-test's bundle: claims, edges with judgements, sources, clusters, groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from schemas.canonical import canonical_sha256
from schemas.records.claim import ClaimType, Importance, Support, Verdict
from validator.cluster_edges import figures_of, runs_of
from validator.representatives import TIERS as TIER_ORDER
from validator.selftest.capture import CONFIRMATION, PRINTS, SUFFIX_RULES, TIERS, Json, policies
from validator.selftest.pages import Page
from validator.sites import Sites
from validator.spans import CONTEXT_CHARACTERS

BUILT_AT = "2026-09-01T00:00:00Z"
SITES = Sites(frozenset(SUFFIX_RULES))


@dataclass(frozen=True, slots=True)
class ClaimPlan:
    """A claim as its author states it."""

    id: str
    text: str
    importance: Importance = Importance.ORDINARY
    claim_type: ClaimType = ClaimType.OTHER
    status: Verdict = Verdict.SUPPORTED


@dataclass(frozen=True, slots=True)
class EdgePlan:
    """One sentence of one page for or against one claim."""

    claim_id: str
    page: str
    sentence: int
    support: Support = Support.FULL


CLAIMS = (
    ClaimPlan("c-01", "The valve closes in 40 milliseconds.", Importance.CRITICAL, ClaimType.RESULT),
    ClaimPlan("c-02", "It costs $5 and is not sold abroad.", claim_type=ClaimType.PRICE),
    ClaimPlan("c-03", "It works at -5 degrees."),
    ClaimPlan("c-04", "Somebody wrote about it."),
    ClaimPlan("c-05", "The loss is 10 %."),
)
EDGES = (
    EdgePlan("c-01", "guide", 1),
    EdgePlan("c-01", "story", 1),
    EdgePlan("c-01", "lab", 1),
    EdgePlan("c-02", "guide", 2),
    EdgePlan("c-03", "guide", 1),
    EdgePlan("c-03", "lab", 2, Support.CONTRADICTS),
    EdgePlan("c-04", "list", 1),
    EdgePlan("c-04", "story", 2, Support.PARTIAL),
    EdgePlan("c-05", "guide", 3),
)


def document_of(
    pages: Sequence[Page], snapshots: Mapping[str, Json], claims: Sequence[ClaimPlan], edges: Sequence[EdgePlan]
) -> Json:
    """The document without `snapshots` and `head`; judgements are fresh."""
    by_name = {page.name: page for page in pages}
    evidence = [_edge(number, plan, by_name[plan.page], snapshots) for number, plan in enumerate(edges, 1)]
    clusters = clusters_of(pages)
    groups: dict[str, list[str]] = {}
    for page in pages:
        shared = len(clusters[leader_of(page)]) > 1
        name = f"cluster:{cluster_id(by_name[leader_of(page)])}" if shared else f"site:{SITES.of(page.url)}"
        groups.setdefault(name, []).append(page.source_id)
    document: Json = {
        "schema": "citevault/bundle@1",
        "id": "self-test",
        "created_at": BUILT_AT,
        "offset_unit": "unicode_code_point",
        "claims": [
            {"id": c.id, "text": c.text, "importance": c.importance, "claim_type": c.claim_type, "status": c.status}
            for c in claims
        ],
        "evidence": evidence,
        "snapshots": [],
        "sources": [_source(page, by_name) for page in pages],
        "clusters": [_cluster(by_name[leader], own, snapshots) for leader, own in clusters.items()],
        "independence": [
            {
                "group": group,
                "source_ids": sorted(sources),
                "reason": "own" if len(sources) == 1 else group.partition(":")[0],
                "by": "independence@2",
                "at": None,
                "why": "by rule",
            }
            for group, sources in sorted(groups.items())
        ],
        "judgements": [_judgement(edge) for edge in evidence],
        "arbitrations": [
            {
                "id": f"arbitration-{edge['id']}",
                "claim_id": edge["claim_id"],
                "evidence_ids": [edge["id"]],
                "by": "an editor",
                "at": BUILT_AT,
                "why": "An older model, as the report says on its first page.",
                "resolution": "set_aside",
            }
            for edge in evidence
            if edge["support"] == Support.CONTRADICTS
        ],
        "policies": policies(),
    }
    texts = {snapshot["id"]: snapshot["text_sha256"] for snapshot in snapshots.values()}
    for edge in evidence:
        judge(document, edge, texts)
    return document


def judge(document: Json, edge: Json, texts: Mapping[str, str]) -> None:
    """Make the judgement of an edge fit what the edge says now, as its forger would. `texts`: digest by snapshot."""
    judgement = next(j for j in document["judgements"] if j["id"] == edge["judgement_id"])
    claim = next(c for c in document["claims"] if c["id"] == edge["claim_id"])
    inputs: Json = {name: edge[name] for name in ("quote", "prefix", "suffix")}
    inputs |= {"claim_text": claim["text"], "text_sha256": texts[edge["snapshot_id"]]}
    if edge.get("parts"):
        inputs["parts"] = [part["quote"] for part in edge["parts"]]
    judgement["inputs_sha256"] = canonical_sha256(inputs)
    judgement |= {"support": edge["support"], "claim_id": edge["claim_id"], "judged_at": edge["checked_at"]}


def place(edge: Json, text: str, start: int, end: int) -> None:
    """Put an edge on a span of a text, with quote and context."""
    edge |= {"quote": text[start:end], "quote_start": start, "quote_end": end}
    edge |= {"prefix": text[max(0, start - CONTEXT_CHARACTERS) : start], "suffix": text[end : end + CONTEXT_CHARACTERS]}


def _edge(number: int, plan: EdgePlan, page: Page, snapshots: Mapping[str, Json]) -> Json:
    edge: Json = {
        "id": f"ev-{number:03d}",
        "claim_id": plan.claim_id,
        "source_id": page.source_id,
        "snapshot_id": snapshots[page.name]["id"],
        "support": plan.support,
        "match_level": "exact",
        "locator": {"paragraph": plan.sentence + 1, "heading": page.sentences[0]} if page.headed else None,
        "independence_group": f"site:{SITES.of(page.url)}",
        "checked_at": BUILT_AT,
        "checker_version": "draft@1",
        "judgement_id": f"j-{number:03d}",
    }
    start = sum(len(sentence) + 1 for sentence in page.sentences[: plan.sentence])
    place(edge, page.text, start, start + len(page.sentences[plan.sentence]))
    return edge


def _judgement(edge: Json) -> Json:
    return {
        "id": edge["judgement_id"],
        "claim_id": edge["claim_id"],
        "evidence_id": edge["id"],
        "support": edge["support"],
        "checker_version": edge["checker_version"],
        "rationale": "It says so.",
        "inputs_sha256": "",
        "judged_at": edge["checked_at"],
        "by": "the author",
    }


def leader_of(page: Page) -> str:
    return page.cluster or page.name


def clusters_of(pages: Sequence[Page]) -> dict[str, list[Page]]:
    """Members by the name of the page that leads."""
    out: dict[str, list[Page]] = {}
    for page in pages:
        out.setdefault(leader_of(page), []).append(page)
    return out


def _source(page: Page, by_name: Mapping[str, Page]) -> Json:
    return {
        "id": page.source_id,
        "normalized_url": page.url,
        "host": page.url.split("/")[2],
        "author": page.author,
        "publisher": None,
        "tier": {"tier": page.tier.value, "policy": TIERS, "reason": "self-test"},
        "cluster_id": cluster_id(by_name[leader_of(page)]),
    }


def cluster_id(page: Page) -> str:
    """A cluster of its own for each page: somebody has looked for copies and found none."""
    return "cl-" + canonical_sha256(page.snapshot_id)[:16]


def _cluster(leader: Page, own: Sequence[Page], snapshots: Mapping[str, Json]) -> Json:
    texts = {page.name: snapshots[page.name]["text_sha256"] for page in own}
    chosen = min(own, key=lambda page: (TIER_ORDER.index(page.tier), page.source_id))
    return {
        "id": cluster_id(leader),
        "params": PRINTS,
        "rules": CONFIRMATION,
        "leader_text_sha256": texts[leader.name],
        "members": [
            {
                "snapshot_id": snapshots[page.name]["id"],
                "source_id": page.source_id,
                "text_sha256": snapshots[page.name]["text_sha256"],
            }
            for page in own
        ],
        "representative_source_id": chosen.source_id,
        "representative_reason": f"for specifications: tier {chosen.tier.value}, earliest of it",
        "edges": [_verdict(one, other, texts) for one, other in combinations(own, 2)],
        "aliases": [],
    }


def _verdict(one: Page, other: Page, texts: Mapping[str, str]) -> Json:
    first, second = sorted((texts[one.name], texts[other.name]))
    return {
        "schema": "citevault/edge-verdict@1",
        "a": first,
        "b": second,
        "confirmed": True,
        "rule": "overlap",
        "figures": figures_of(runs_of(one.text), runs_of(other.text)),
        "params": PRINTS,
        "rules": CONFIRMATION,
    }
