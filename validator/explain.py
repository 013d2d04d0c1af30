"""`explain`: the chain of proof of one quote, from its words to the signed head, each link with its digest.

quote -> text -> conversion record -> decoded payload -> content -> WARC record -> leaf -> head -> signature. A link
holds if the whole check found nothing wrong at it: an error breaks it, what could not be looked at leaves it open.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.canonical import canonical_bytes, sha256_hex
from schemas.merkle import leaf_hash
from schemas.pointer import pointer
from schemas.records.bundle import BundleSnapshot
from schemas.records.claim import Evidence
from schemas.records.finding import Finding, Severity
from validator.bundle import BundleResult
from validator.found import Found, shown
from validator.settings import RefusedInputError

HOLDS, BROKEN, OPEN = "holds", "broken", "open"
_AREAS: Final = {
    "quote": ("bundle.quote", "bundle.context", "bundle.loose", "bundle.edge", "bundle.locator"),
    "judgement": ("judgement.",),
    "text": ("text.", "bundle.not-citeable", "bundle.not-replayable"),
    "conversion": ("conversion.", "leaf.text-unbound"),
    "payload": ("payload.", "bundle.quote-not-in-payload", "bundle.quote-scattered"),
    "record": ("warc.", "snapshot.", "file."),
    "leaf": ("leaf.", "bundle.id-not-derived", "bundle.url-not-normalized"),
    "inclusion": ("inclusion.",),
    "head": ("manifest.", "checkpoint.", "signature."),
}
"""Codes that speak of a link, by their beginnings."""
_OF_THE_HEAD: Final = "head"
_OF_ONE_EDGE: Final = (*_AREAS["quote"], *_AREAS["judgement"], "payload.unreadable-type")
"""Of these, what names another edge of the same snapshot is not about this one."""


@dataclass(frozen=True, slots=True)
class Link:
    """One step: what it is, what stands there, and whether it holds."""

    name: str
    facts: Sequence[tuple[str, str]]
    state: str
    findings: Sequence[Finding]


@dataclass(frozen=True, slots=True)
class Chain:
    evidence_id: str
    links: Sequence[Link]

    @property
    def exit_code(self) -> int:
        """1 where a link is broken, else 3 where one could not be looked at."""
        states = {link.state for link in self.links}
        return 1 if BROKEN in states else 3 if OPEN in states else 0


def chain_of(result: BundleResult, evidence_id: str, found: Found) -> Chain:
    """The chain of one edge of a bundle that was checked deeply. Raises RefusedInputError for an unknown id."""
    given = result.given
    edge = given.evidence.get(evidence_id)
    if edge is None:
        raise RefusedInputError(f"no evidence {shown(evidence_id)}; it has {_some(list(given.evidence))}")
    snapshot = given.snapshots.get(edge.snapshot_id)
    if snapshot is None:
        raise RefusedInputError(f"{evidence_id} names a snapshot that the bundle does not have: {edge.snapshot_id}")
    index = next(i for i, e in enumerate(given.bundle.evidence) if e.id == evidence_id)
    number = next(i for i, s in enumerate(given.bundle.snapshots) if s.id == snapshot.id)
    own = [f for f in found.findings if _is_about(f, edge, snapshot, index, number)]
    return Chain(evidence_id, [_link(name, facts, own) for name, facts in _links(result, edge, snapshot)])


def _is_about(finding: Finding, edge: Evidence, snapshot: BundleSnapshot, index: int, number: int) -> bool:
    """Named by id, by pointer, or of the head, which all quotes share. What is of another edge alone is not."""
    named = {edge.id, snapshot.id} & set(finding.ids)
    if finding.code.startswith(_AREAS[_OF_THE_HEAD]) or edge.id in named:
        return True
    if finding.code.startswith(_OF_ONE_EDGE):
        return finding.pointer.startswith(pointer(("evidence", index)) + "/")
    at = pointer(("snapshots", number))
    return bool(named) or finding.pointer == at or finding.pointer.startswith(at + "/")


def _link(name: str, facts: Sequence[tuple[str, str]], findings: Sequence[Finding]) -> Link:
    own = [f for f in findings if f.code.startswith(_AREAS[name]) and f.severity is not Severity.NOTE]
    broken = any(f.severity is Severity.ERROR for f in own)
    state = BROKEN if broken else OPEN if any(f.inconclusive for f in own) else HOLDS
    return Link(name, facts, state, own)


def _links(
    result: BundleResult, edge: Evidence, snapshot: BundleSnapshot
) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
    given, leaf = result.given, snapshot.inclusion.leaf
    head = given.bundle.head
    claim = given.claims.get(edge.claim_id)
    judgement = given.judgements.get(edge.judgement_id)
    yield (
        "quote",
        [
            ("claim", f"{edge.claim_id}: {claim.text if claim else 'unknown'}"),
            ("quote", edge.shown_quote),
            ("quote_sha256", sha256_hex(edge.quote.encode())),
            ("span", f"{edge.quote_start} to {edge.quote_end}, {given.bundle.offset_unit}, found {edge.match_level}"),
            ("support", edge.support.value),
        ],
    )
    yield (
        "judgement",
        [
            ("id", edge.judgement_id),
            ("checker", edge.checker_version),
            ("by", judgement.by if judgement else "unknown"),
            ("rationale", judgement.rationale if judgement else "unknown"),
            ("inputs_sha256", judgement.inputs_sha256 if judgement else "unknown"),
        ],
    )
    yield (
        "text",
        [
            ("file", snapshot.text_path or "not kept"),
            ("text_sha256", _or_none(snapshot.text_sha256)),
            ("normalizer", snapshot.normalizer),
        ],
    )
    yield (
        "conversion",
        [
            ("record", _or_none(snapshot.records.conversion)),
            ("block_sha256", _block(snapshot, "conversion")),
            ("extractor", _or_none(snapshot.extractor)),
        ],
    )
    yield (
        "payload",
        [
            ("decoded_sha256", _or_none(snapshot.decoded_sha256)),
            ("content_sha256", snapshot.content_sha256),
            ("content_type", _or_none(snapshot.content_type)),
        ],
    )
    yield (
        "record",
        [
            ("file", snapshot.warc.path),
            *(
                (f"{member.type} {member.record_id}", _at(member.offset, member.length))
                for member in snapshot.warc.members
            ),
            ("block_sha256 of the response", _block(snapshot, "response")),
            ("url", snapshot.final_url),
            ("retrieved_at", snapshot.retrieved_at),
            ("http_status", str(snapshot.http_status)),
        ],
    )
    yield (
        "leaf",
        [
            ("snapshot", snapshot.id),
            ("leaf hash", leaf_hash(canonical_bytes(leaf)).hex() if _is_plain(snapshot) else "none"),
            ("index", str(snapshot.inclusion.leaf_index)),
        ],
    )
    yield (
        "inclusion",
        [
            ("tree_size", str(snapshot.inclusion.tree_size)),
            ("root_sha256", head.root_sha256),
            ("hashes", " ".join(snapshot.inclusion.hashes) or "none"),
        ],
    )
    yield (
        "head",
        [
            ("sequence", str(head.sequence)),
            ("head_sha256", sha256_hex(canonical_bytes(head)) if not head.model_extra else "none"),
            ("previous_sha256", _or_none(head.previous_sha256)),
            ("created_at", head.created_at),
        ],
    )


def _is_plain(snapshot: BundleSnapshot) -> bool:
    """Whether the leaf has no extensions, which might have no canonical form."""
    return not snapshot.inclusion.leaf.model_extra


def _block(snapshot: BundleSnapshot, role: str) -> str:
    return next((r.block_sha256 for r in snapshot.inclusion.leaf.records if r.role == role), "none")


def _or_none(value: str | None) -> str:
    return "none" if value is None else value


def _at(offset: int, length: int) -> str:
    return f"bytes {offset} to {offset + length}"


def _some(ids: list[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")


def as_text(chain: Chain) -> str:
    """A link a paragraph, from the words outwards."""
    lines = [f"{chain.evidence_id}, from its words to the signed log"]
    for link in chain.links:
        lines.append(f"{link.name}: {link.state}")
        lines += [f"    {name}: {shown(value)}" for name, value in link.facts]
        for finding in link.findings:
            lines.append(f"    {finding.severity} {finding.code}: {finding.message}")
            lines.append(f"        next: {finding.next_step}")
    return "\n".join(lines) + "\n"


def as_json(chain: Chain) -> str:
    """The same as a document."""
    document = {
        "evidence_id": chain.evidence_id,
        "exit_code": chain.exit_code,
        "links": [
            {
                "name": link.name,
                "state": link.state,
                "facts": dict(link.facts),
                "findings": [finding.model_dump(mode="json") for finding in link.findings],
            }
            for link in chain.links
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
