"""A good bundle, made from the format's description alone, so that validator and archive cannot share a mistake.

Made in stages, each open to an edit: pages, records (WARC members), snapshots, leaves, head, document, files.
Every claim has one edge more than it needs, so that a case can break one without changing a verdict.
"""

from __future__ import annotations

import base64
import copy
import gzip
import hashlib
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import brotli
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from validator.cli import main
from workers.dedup.quantities import common_and_all, quantities

Edit = Callable[[Any], object]
POLICY = {
    "schema": "citevault/url-policy@1",
    "name": "conservative@1",
    "identity": "normalized-url",
    "drop_parameters": ["fbclid", "gclid", "mc_cid", "mc_eid"],
    "drop_prefixes": ["utm_"],
    "collapse_slashes": False,
    "host_rules": [],
}
CREATED = "2026-09-01T00:00:00Z"


def jcs(value: Any) -> bytes:
    """RFC 8785 for what is used here: ASCII names, no floats."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def policy(kind: str, name: str, value: Any) -> dict[str, Any]:
    digest = sha(jcs(value))
    return {"id": f"{name}+{digest[:8]}", "kind": kind, "sha256": digest, "value": value}


URL_POLICY = policy("url", "conservative@1", POLICY)
TIERS = policy("tier", "tiers@1", {"rules": []})
EXTRACTOR = policy("extractor", "trafilatura@2.3.1", {"lxml": "6.0"})
PRINTS = "minhash-w5-p128-affine32-s1-sha1-32"
POLICIES = [URL_POLICY, TIERS, EXTRACTOR]
for _kind, _id in (("fingerprint", PRINTS), ("confirmation", "confirm@1"), ("normalizer", "text-v1")):
    POLICIES.append({"id": _id, "kind": _kind, "sha256": sha(jcs({"x": 1})), "value": {"x": 1}})


@dataclass
class Page:
    name: str
    url: str
    sentences: list[str]
    tier: str = "secondary"
    charset: str = "utf-8"
    coding: str | None = None
    revisit: bool = False
    cluster: str = ""
    html: str | None = None
    content_type: str | None = None
    tail: bytes = b""

    @property
    def text(self) -> str:
        return "\n".join(self.sentences) + "\n"

    @property
    def body(self) -> bytes:
        inner = "".join(f"<p>{s.replace('&', '&amp;').replace('fast', '<b>fa</b>st')}</p>\n" for s in self.sentences)
        page = self.html or f"<!DOCTYPE html><html><head><title>{self.name}</title></head><body>{inner}</body></html>"
        data = page.encode(self.charset)
        if self.coding == "br":
            return brotli.compress(data) + self.tail
        return gzip.compress(data, mtime=0) + self.tail if self.coding == "gzip" else data

    @property
    def decoded(self) -> bytes:
        coded = self.body.removesuffix(self.tail)
        if self.coding == "br":
            return brotli.decompress(coded)
        return gzip.decompress(coded) if self.coding == "gzip" else coded

    @property
    def type(self) -> str:
        return self.content_type or f"text/html; charset={self.charset}"

    def uuid(self, role: str) -> str:
        return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, self.url + role)}"

    @property
    def source_id(self) -> str:
        return "src-" + sha(b"conservative@1\n" + self.url.encode())[:16]

    @property
    def retrieved_at(self) -> str:
        return "2026-08-22T03:15:00.250000Z"

    @property
    def snapshot_id(self) -> str:
        last = sha(self.uuid("response").encode())[:8]
        return f"snap-{self.source_id[4:16]}-20260822T031500Z-{last}"


def pages() -> list[Page]:
    fast = "The valve closes in 40 milliseconds & is fast enough for the northern grid."
    return [
        Page("a", "https://docs.example.com/guide", ["Guide to the valve.", fast], tier="official", coding="gzip"),
        Page("b", "https://news.example.org/story", ["Local news.", fast, "More to follow."]),
        Page(
            "c",
            "https://www.copy.example.net/story",
            ["Reprinted.", "Клапан «закрывается» медленно."],
            charset="windows-1251",
        ),
        Page(
            "d",
            "https://lab.example.edu:8443/report?id=7",
            ["Measured twice.", fast, "End 🤔 of report."],
            tier="primary",
            revisit=True,
        ),
        Page("e", "https://list.example.info/", ["Seen elsewhere:", fast], tier="aggregator", coding="br"),
    ]


def member(
    kind: str, record_id: str, block: bytes, *extra: tuple[str, str], date: str = "2026-08-22T03:15:00.250000Z"
) -> bytes:
    """One gzip member of one WARC record."""
    lines = [("WARC-Type", kind), ("WARC-Record-ID", f"<{record_id}>"), ("WARC-Date", date), *extra]
    lines += [("WARC-Block-Digest", f"sha256:{sha(block)}"), ("Content-Length", str(len(block)))]
    head = "".join(f"{name}: {value}\r\n" for name, value in lines)
    return gzip.compress(b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n", mtime=0)


@dataclass
class Record:
    id: str
    type: str
    role: str
    block_sha256: str
    data: bytes


INFO = "urn:uuid:00000000-0000-4000-8000-000000000001"


def records_of(page: Page) -> list[Record]:
    """All members that a page's snapshot rests on, but the warcinfo."""
    payload = page.body
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {page.type}\r\n"
    if page.coding:
        head += f"Content-Encoding: {page.coding}\r\n"
    block = head.encode() + b"\r\n" + payload
    info = ("WARC-Warcinfo-ID", f"<{INFO}>")
    target = ("WARC-Target-URI", page.url)
    digest = ("WARC-Payload-Digest", f"sha256:{sha(payload)}")
    http = ("Content-Type", "application/http; msgtype=response")
    out: list[Record] = []

    def add(kind: str, role: str, content: bytes, *extra: tuple[str, str], **more: str) -> None:
        record_id = page.uuid(role)
        out.append(Record(record_id, kind, role, sha(content), member(kind, record_id, content, *extra, info, **more)))

    add("request", "request", b"GET / HTTP/1.1\r\n\r\n", target, ("Content-Type", "application/http; msgtype=request"))
    if page.revisit:
        add("response", "payload", block, target, digest, http, date="2026-08-01T00:00:00.000000Z")
        profile = ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified")
        refers = ("WARC-Refers-To", f"<{page.uuid('payload')}>")
        add("revisit", "response", b"", target, digest, profile, refers)
    else:
        add("response", "response", block, target, digest, http)
    source = page.uuid("payload" if page.revisit else "response")
    text = page.text.encode()
    plain = ("Content-Type", "text/plain; charset=utf-8")
    add("conversion", "conversion", text, target, ("WARC-Refers-To", f"<{source}>"), plain)
    return out


def snapshot_of(page: Page) -> dict[str, Any]:
    text = page.text
    return {
        "schema": "citevault/snapshot@1",
        "id": page.snapshot_id,
        "source_id": page.source_id,
        "job_id": "job-01J5ZK3V4Q8X9Y0A1B2C3D4E5F",
        "collection": "default",
        "visit": 1,
        "requested_url": page.url + "#top",
        "final_url": page.url,
        "declared_canonical": None,
        "normalized_url": page.url,
        "fragment": "top",
        "retrieved_at": page.retrieved_at,
        "http_status": 304 if page.revisit else 200,
        "content_type": page.type.partition("\r\n")[0],
        "charset": page.charset,
        "etag": None,
        "last_modified": None,
        "content_sha256": sha(page.body),
        "raw_sha256": sha(page.body),
        "repr_sha256": sha(page.body),
        "decoded_sha256": sha(page.decoded),
        "text_sha256": sha(text.encode()),
        "content_bytes": len(page.body),
        "text_chars": len(text),
        "extractor": EXTRACTOR["id"],
        "normalizer": "text-v1",
        "url_policy": URL_POLICY["id"],
        "reader_status": "ok",
        "reader_reason": None,
        "title": page.name,
        "author": None,
        "publisher": None,
        "published_at": None,
        "published_source": None,
        "modified_at": None,
        "language": None,
        "records": {
            "request": page.uuid("request"),
            "response": page.uuid("response"),
            "payload": page.uuid("payload" if page.revisit else "response"),
            "conversion": page.uuid("conversion"),
            "metadata": None,
        },
        "text_path": f"texts/{page.snapshot_id}.txt",
        "archive_url": None,
        "retention": "full",
    }


# Once more, not out of `schemas`: a name that is lost there has to be missed here.
LEAF_FIELDS = [
    "source_id",
    "job_id",
    "collection",
    "requested_url",
    "final_url",
    "normalized_url",
    "declared_canonical",
    "retrieved_at",
    "http_status",
    "content_type",
    "reader_status",
    "content_sha256",
    "repr_sha256",
    "decoded_sha256",
    "text_sha256",
    "extractor",
    "normalizer",
]


DESCRIBED = ["visit", "fragment", "charset", "etag", "last_modified", "content_bytes", "text_chars", "url_policy"]
DESCRIBED += ["reader_reason", "title", "author", "publisher", "published_at", "published_source", "modified_at"]
DESCRIBED += ["language"]
LISTS = ["robots_directives", "server_digests", "headings", "pages"]


def description_of(snapshot: dict[str, Any]) -> str:
    lists = {name: snapshot.get(name, []) for name in LISTS}
    return sha(jcs({name: snapshot[name] for name in DESCRIBED} | lists))


def leaf_of(snapshot: dict[str, Any], records: list[Record], tier: str) -> dict[str, Any]:
    return {
        "schema": "citevault/leaf@1",
        "kind": "snapshot",
        "snapshot_id": snapshot["id"],
        **{name: snapshot[name] for name in LEAF_FIELDS},
        "description_sha256": description_of(snapshot),
        "records": [{"role": r.role, "record_id": r.id, "block_sha256": r.block_sha256} for r in records],
        "fingerprint_params": PRINTS,
        "minhash_sha256": "ab" * 32,
        "policies": sorted([URL_POLICY["id"], TIERS["id"], EXTRACTOR["id"]]),
        "cluster_id": None,
        "tier": {"tier": tier, "policy": TIERS["id"], "reason": "listed"},
        "group": "unknown",
        "decisions_sequence": 0,
    }


def leaf_digest(leaf: dict[str, Any]) -> bytes:
    return hashlib.sha256(b"\x00" + jcs(leaf)).digest()


def tree(hashes: list[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    if not hashes:
        return hashlib.sha256(b"").digest()
    split = 1 << ((len(hashes) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + tree(hashes[:split]) + tree(hashes[split:])).digest()


def path(index: int, hashes: list[bytes]) -> list[bytes]:
    if len(hashes) == 1:
        return []
    split = 1 << ((len(hashes) - 1).bit_length() - 1)
    if index < split:
        return [*path(index, hashes[:split]), tree(hashes[split:])]
    return [*path(index - split, hashes[split:]), tree(hashes[:split])]


class Key:
    """An Ed25519 key from a seed, so that every run signs alike."""

    def __init__(self, seed: bytes) -> None:
        self.private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed).digest())
        public = self.private.public_key()
        self.id = sha(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
        self.pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def envelope(self, name: str, digest: str, predicate_type: str, predicate: dict[str, Any]) -> dict[str, Any]:
        statement = {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{"name": name, "digest": {"sha256": digest}}],
            "predicateType": predicate_type,
            "predicate": predicate,
        }
        return self.seal(statement)

    def seal(self, statement: dict[str, Any]) -> dict[str, Any]:
        payload = jcs(statement)
        kind = "application/vnd.in-toto+json"
        signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
        return {
            "payloadType": kind,
            "payload": base64.b64encode(payload).decode(),
            "signatures": [{"keyid": self.id, "sig": base64.b64encode(self.private.sign(signed)).decode()}],
        }

    def head_envelope(self, head: dict[str, Any]) -> dict[str, Any]:
        names = ("sequence", "tree_size", "root_sha256", "previous_sha256", "created_at")
        return self.envelope(
            f"manifests/{head['sequence']:010d}.json",
            sha(jcs(head)),
            "urn:citevault:predicate:manifest-head:1",
            {name: head[name] for name in names},
        )


PUBLISHER, AUTHOR, STRANGER = Key(b"publisher"), Key(b"author"), Key(b"stranger")


@dataclass
class World:
    """What a stage's edit may change. Later stages are made from it."""

    pages: list[Page] = field(default_factory=pages)
    records: dict[str, list[Record]] = field(default_factory=dict)
    warcinfo: bytes = b""
    snapshots: dict[str, dict[str, Any]] = field(default_factory=dict)
    leaves: dict[str, dict[str, Any]] = field(default_factory=dict)
    head: dict[str, Any] = field(default_factory=dict)
    document: dict[str, Any] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    author: Key = AUTHOR

    def page(self, name: str) -> Page:
        return next(p for p in self.pages if p.name == name)

    def edge(self, identifier: str) -> dict[str, Any]:
        return next(e for e in self.document["evidence"] if e["id"] == identifier)

    def judge(self, edge: dict[str, Any]) -> None:
        """Make the edge's judgement fresh."""
        d = self.document
        claim = next(c for c in d["claims"] if c["id"] == edge["claim_id"])
        snapshot = next(s for s in d["snapshots"] if s["id"] == edge["snapshot_id"])
        judgement = next(j for j in d["judgements"] if j["id"] == edge["judgement_id"])
        inputs = {name: edge[name] for name in ("quote", "prefix", "suffix")}
        inputs |= {"claim_text": claim["text"], "text_sha256": snapshot["text_sha256"]}
        if edge.get("parts"):
            inputs["parts"] = [part["quote"] for part in edge["parts"]]
        judgement["inputs_sha256"] = sha(jcs(inputs))


EDGES = [  # claim, page, support, sentence
    ("c-01", "a", "full", 1),
    ("c-01", "b", "full", 1),
    ("c-01", "d", "full", 1),
    ("c-02", "a", "full", 1),
    ("c-02", "d", "full", 2),
    ("c-02", "e", "full", 1),
    ("c-03", "d", "full", 1),
    ("c-03", "c", "contradicts", 1),
    ("c-03", "a", "full", 1),
]


def document_of(world: World) -> dict[str, Any]:
    claims = [
        {
            "id": "c-01",
            "text": "The valve is fast.",
            "importance": "critical",
            "claim_type": "result",
            "status": "supported",
        },
        {
            "id": "c-02",
            "text": "It was measured.",
            "importance": "ordinary",
            "claim_type": "other",
            "status": "supported",
        },
        {
            "id": "c-03",
            "text": "It closes quickly.",
            "importance": "ordinary",
            "claim_type": "other",
            "status": "supported",
        },
    ]
    groups = {p.name: f"site:{p.url.split('/')[2]}" for p in world.pages}
    groups |= {"b": "cluster:cl-bbbbbbbbbbbbbbbb", "c": "cluster:cl-bbbbbbbbbbbbbbbb", "e": "manual:lists"}
    evidence, judgements = [], []
    for number, (claim, name, support, sentence) in enumerate(EDGES, 1):
        page = world.page(name)
        text = world.texts[name].decode(errors="replace")
        quote = page.sentences[sentence]
        start = text.index(quote)
        end = start + len(quote)
        edge = {
            "id": f"ev-{number:03d}",
            "claim_id": claim,
            "source_id": page.source_id,
            "snapshot_id": world.snapshots[name]["id"],
            "support": support,
            "quote": quote,
            "quote_start": start,
            "quote_end": end,
            "prefix": text[max(0, start - 32) : start],
            "suffix": text[end : end + 32],
            "match_level": "exact",
            "locator": {"paragraph": sentence + 1, "heading": "Guide to the valve." if name == "a" else None},
            "independence_group": groups[name],
            "checked_at": CREATED,
            "checker_version": "draft@1",
            "judgement_id": f"j-{number:03d}",
        }
        evidence.append(edge)
        judgements.append(
            {
                "id": f"j-{number:03d}",
                "claim_id": claim,
                "evidence_id": edge["id"],
                "support": support,
                "checker_version": "draft@1",
                "rationale": "Read it.",
                "inputs_sha256": "",
                "judged_at": CREATED,
                "by": "somebody",
            }
        )
    sources = [
        {
            "id": p.source_id,
            "normalized_url": p.url,
            "host": p.url.split("/")[2],
            "author": None,
            "publisher": None,
            "tier": {"tier": p.tier, "policy": TIERS["id"], "reason": "listed"},
            "cluster_id": f"cl-{('b' if p.name == 'c' else p.name) * 16}",
        }
        for p in world.pages
    ]
    clusters = []
    for leader in [p for p in world.pages if p.name != "c"]:
        own = [p for p in world.pages if p.name == leader.name or (p.name, leader.name) == ("c", "b")]
        texts = {p.name: world.snapshots[p.name]["text_sha256"] for p in own}
        pairs = [sorted((texts[leader.name], texts[p.name])) for p in own if p is not leader]
        counted = [quantities(world.texts[p.name].decode(errors="replace")) for p in own]
        common, every = common_and_all(counted[0], counted[-1])
        clusters.append(
            {
                "id": f"cl-{leader.name * 16}",
                "params": PRINTS,
                "rules": "confirm@1",
                "leader_text_sha256": texts[leader.name],
                "members": [
                    {
                        "snapshot_id": world.snapshots[p.name]["id"],
                        "source_id": p.source_id,
                        "text_sha256": texts[p.name],
                    }
                    for p in own
                ],
                "representative_source_id": min(p.source_id for p in own),
                "representative_reason": f"for specifications: tier {leader.tier}, earliest of it",
                "edges": [
                    {
                        "schema": "citevault/edge-verdict@1",
                        "a": a,
                        "b": b,
                        "confirmed": True,
                        "rule": "overlap",
                        "figures": {
                            "shingle_jaccard_ppm": 0,
                            "containment_ppm": 0,
                            "numbers_ppm": common * 10**6 // every if every else None,
                        },
                        "params": PRINTS,
                        "rules": "confirm@1",
                    }
                    for a, b in pairs
                ],
                "aliases": [],
            }
        )
    independence = []
    for group in sorted(set(groups.values())):
        names = [n for n, g in groups.items() if g == group]
        manual = group.startswith("manual")
        reason = "manual" if manual else "cluster" if group.startswith("cluster") else "own"
        independence.append(
            {
                "group": group,
                "source_ids": sorted(world.page(n).source_id for n in names),
                "reason": reason,
                "by": "somebody" if manual else "independence@1",
                "at": CREATED if manual else None,
                "why": "A list of links.",
            }
        )
    return {
        "schema": "citevault/bundle@1",
        "id": "report-7",
        "created_at": CREATED,
        "offset_unit": "unicode_code_point",
        "claims": claims,
        "evidence": evidence,
        "snapshots": [],
        "sources": sources,
        "clusters": clusters,
        "independence": independence,
        "judgements": judgements,
        "arbitrations": [
            {
                "id": "arb-1",
                "claim_id": "c-03",
                "evidence_ids": ["ev-008"],
                "by": "editor",
                "at": CREATED,
                "why": "The reprint mistranslates the report.",
                "resolution": "set_aside",
            }
        ],
        "policies": copy.deepcopy(POLICIES),
        "head": world.head,
    }


def build(root: Path, edits: dict[str, Edit] | None = None, *, author: Key | None = AUTHOR) -> World:
    """Make the bundle in `root`. `edits` are applied after the stage of their name."""
    todo = dict(edits or {})
    world = World()

    def stage(name: str) -> None:
        todo.pop(name, lambda _: None)(world)

    stage("pages")
    world.warcinfo = member("warcinfo", INFO, b"software: golden\r\n", ("Content-Type", "application/warc-fields"))
    world.records = {p.name: records_of(p) for p in world.pages}
    stage("records")
    world.snapshots = {p.name: snapshot_of(p) for p in world.pages}
    world.snapshots["a"]["headings"] = [{"level": 1, "text": "Guide to the valve.", "start": 0}]
    world.texts = {p.name: p.text.encode() for p in world.pages}
    stage("snapshots")
    world.leaves = {p.name: leaf_of(world.snapshots[p.name], world.records[p.name], p.tier) for p in world.pages}
    stage("leaves")
    order = sorted(world.leaves.values(), key=lambda leaf: leaf["snapshot_id"])
    hashes = [leaf_digest(leaf) for leaf in order]
    world.head = {
        "schema": "citevault/manifest@1",
        "sequence": 1,
        "previous_sha256": None,
        "created_at": CREATED,
        "tree_size": len(order),
        "root_sha256": tree(hashes).hex(),
        "first_leaf": 0,
        "leaves_sha256": "cd" * 32,
    }
    stage("head")
    world.document = document_of(world)
    warc = bytearray(world.warcinfo)
    places = {INFO: (0, len(world.warcinfo))}
    for record in (r for p in world.pages for r in world.records[p.name]):
        places[record.id] = (len(warc), len(record.data))
        warc += record.data
    for page in world.pages:
        listed = [("warcinfo", INFO), *((r.type, r.id) for r in world.records[page.name])]
        members = [{"record_id": i, "type": t, "offset": places[i][0], "length": places[i][1]} for t, i in listed]
        leaf = world.leaves[page.name]
        index = order.index(leaf)
        proof = [h.hex() for h in path(index, hashes)]
        inclusion = {"leaf": leaf, "leaf_index": index, "tree_size": len(order), "hashes": proof}
        warc_part = {"path": "archive/records.warc.gz", "members": members}
        world.document["snapshots"].append({**world.snapshots[page.name], "warc": warc_part, "inclusion": inclusion})
    for edge in world.document["evidence"]:
        world.judge(edge)
    stage("document")
    head_bytes = jcs(world.head)
    world.files = {
        "archive/records.warc.gz": bytes(warc),
        "manifest/0000000001.json": head_bytes,
        f"manifest/0000000001-{sha(head_bytes)[:16]}.dsse.json": jcs(PUBLISHER.head_envelope(world.head)),
        f"keys/{PUBLISHER.id}.pem": PUBLISHER.pem,
        f"keys/{AUTHOR.id}.pem": AUTHOR.pem,
        "bundle.json": json.dumps(world.document, indent=1, ensure_ascii=False).encode(),
        **{f"texts/{world.snapshots[p.name]['id']}.txt": world.texts[p.name] for p in world.pages},
    }
    if author is not None:
        d = world.document
        counts = {"report": d["id"], "created_at": d["created_at"]}
        counts |= {"claims": len(d["claims"]), "evidence": len(d["evidence"])}
        digest = sha(world.files["bundle.json"])
        envelope = author.envelope("bundle.json", digest, "urn:citevault:predicate:bundle:1", counts)
        world.files["bundle.dsse.json"] = jcs(envelope)
    stage("files")
    for name, data in world.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    todo.pop("disk", lambda _: None)(root)
    assert not todo, f"no such stage: {sorted(todo)}"
    return world


@dataclass
class Log:
    """An archive as far as a log's checker sees it. Stages: `batches` (leaves of each manifest), `heads`, `files`."""

    batches: list[list[dict[str, Any]]] = field(default_factory=list)
    heads: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    leaf_files: list[bytes] = field(default_factory=list)


def lines_of(leaves: list[dict[str, Any]]) -> bytes:
    return gzip.compress(b"".join(jcs(leaf) + b"\n" for leaf in leaves), mtime=0)


def build_log(root: Path, edits: dict[str, Edit] | None = None) -> Log:
    """Three manifests over the five pages, their receipts, WARC file and snapshot lines."""
    todo = dict(edits or {})
    log = Log()
    own = pages()
    records = {p.name: records_of(p) for p in own}
    leaves = [leaf_of(snapshot_of(p), records[p.name], p.tier) for p in own]
    log.batches = [
        sorted(part, key=lambda leaf: str(leaf["snapshot_id"])) for part in (leaves[:2], leaves[2:3], leaves[3:])
    ]
    todo.pop("batches", lambda _: None)(log)
    log.leaf_files = [lines_of(batch) for batch in log.batches]
    todo.pop("leaf_files", lambda _: None)(log)
    hashes: list[bytes] = []
    for number, batch in enumerate(log.batches, 1):
        first = len(hashes)
        stored = log.leaf_files[number - 1]
        plain = gzip.decompress(stored) if stored.startswith(b"\x1f\x8b") else stored
        for line in plain.splitlines():
            hashes.append(hashlib.sha256(b"\x00" + line).digest())
        previous = log.heads[-1] if log.heads else None
        head = {
            "schema": "citevault/manifest@1",
            "sequence": number,
            "previous_sha256": sha(jcs(previous)) if previous else None,
            "created_at": f"2026-09-0{number}T00:00:00Z",
            "tree_size": first + len(batch),
            "root_sha256": tree(hashes).hex(),
            "first_leaf": first,
            "leaves_sha256": sha(log.leaf_files[number - 1]),
        }
        log.heads.append(head)
        todo.pop(f"head-{number}", lambda _: None)(log)
    for head, data in zip(log.heads, log.leaf_files, strict=True):
        name = f"manifests/{head['sequence']:010d}"
        log.files[f"{name}.json"] = jcs(head)
        log.files[f"{name}-{head['leaves_sha256'][:16]}.leaves.jsonl.gz"] = data
        log.files[f"{name}-{sha(jcs(head))[:16]}.dsse.json"] = jcs(PUBLISHER.head_envelope(head))
    key = {"schema": "citevault/public-key@1", "keyid": PUBLISHER.id, "algorithm": "ed25519"}
    key |= {"spki_pem": PUBLISHER.pem.decode(), "created_at": CREATED}
    log.files[f"keys/{PUBLISHER.id}.json"] = jcs(key)
    log.files |= archive_files(own, records)
    todo.pop("files", lambda _: None)(log)
    for name, data in log.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    assert not todo, f"no such stage: {sorted(todo)}"
    return log


def archive_files(own: list[Page], records: dict[str, list[Record]]) -> dict[str, bytes]:
    """One receipt with its WARC file, and the conversion records with their snapshot lines."""
    job, segment = "job-01J5ZK3V4Q8X9Y0A1B2C3D4E5F", "20260822T031500Z-01J5ZK3V4Q8X9Y0A1B2C3D4E5F"
    files = {"captures": bytearray(), "conversions": bytearray()}
    places: dict[str, dict[str, Any]] = {}
    for record in (r for p in own for r in records[p.name]):
        data = files["conversions" if record.role == "conversion" else "captures"]
        places[record.id] = {
            "record_id": record.id,
            "type": record.type,
            "offset": len(data),
            "length": len(record.data),
        }
        data += record.data
    warc_key = f"warc/2026/08/22/{segment}-a1.warc.gz"
    text_key = f"text/{EXTRACTOR['id']}/2026/08/22/{segment}"
    outcomes, lines = [], []
    for page in own:
        captured = [places[r.id] for r in records[page.name] if r.role != "conversion"]
        hop = {"url": page.url, "outcome": "captured", "retrieved_at": page.retrieved_at, "records": captured}
        common = {"requested_url": page.url, "normalized_url": page.url, "visit": 1, "outcome": "captured"}
        outcomes.append({**common, "hops": [hop]})
        at = places[page.uuid("conversion")]
        conversion = {"key": f"{text_key}-a1.warc.gz", **{n: at[n] for n in ("record_id", "offset", "length")}}
        line = {"schema": "citevault/snapshot-line@1", "snapshot": snapshot_of(page), "segment_id": segment}
        lines.append({**line, "attempt": "a1", "conversion": conversion})
    captures = bytes(files["captures"])
    stored = {"key": warc_key, "bytes": len(captures), "sha256": sha(captures), "entries": len(places)}
    receipt = {
        "schema": "citevault/receipt@1",
        "job_id": job,
        "collection": "default",
        "lane": "bulk",
        "batch_id": "b-01J5ZK3V4Q8X9Y0A1B2C3D4E5F",
        "part": 1,
        "segment_id": segment,
        "attempt": "a1",
        "token": {"epoch": 1, "counter": 1},
        "worker": "w",
        "opened_at": CREATED,
        "committed_at": CREATED,
        "warc": stored,
        "cdxj": None,
        "warcinfo": None,
        "outcomes": outcomes,
    }
    return {
        warc_key: captures,
        f"{text_key}-a1.warc.gz": bytes(files["conversions"]),
        f"{text_key}.jsonl.gz": lines_of(lines),
        f"commits/{job}/b-01J5ZK3V4Q8X9Y0A1B2C3D4E5F-0001.json": jcs(receipt),
    }


@pytest.fixture
def make_log(tmp_path: Path) -> Callable[..., Path]:
    """Build an archive with edits and return its root."""

    def make(edits: dict[str, Edit] | None = None, *, name: str = "archive") -> Path:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        build_log(root, edits)
        return root

    return make


@dataclass
class Outcome:
    exit_code: int
    report: dict[str, Any]
    error: str

    @property
    def codes(self) -> list[str]:
        """Codes of all findings but the notes that the good bundle gives too, each once."""
        quiet = {"checkpoint.not-given", "time.not-given", "scope.not-deep"}
        quiet |= {"claim.contradiction-set-aside", "independence.verdict-unlogged"}
        return sorted({f["code"] for f in self.report.get("findings", [])} - quiet)


@pytest.fixture
def make_bundle(tmp_path: Path) -> Callable[..., Path]:
    """Build a bundle with edits and return its folder."""

    def make(edits: dict[str, Edit] | None = None, *, name: str = "bundle", author: Key | None = AUTHOR) -> Path:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        build(root, edits, author=author)
        return root

    return make


@pytest.fixture
def key_files(tmp_path: Path) -> dict[str, str]:
    """PEM files that a caller may trust: `publisher`, `author`, `both`, `stranger`."""
    files = {"publisher": PUBLISHER.pem, "author": AUTHOR.pem, "stranger": STRANGER.pem}
    files["both"] = PUBLISHER.pem + AUTHOR.pem
    for name, pem in files.items():
        (tmp_path / f"{name}.pem").write_bytes(pem)
    return {name: str(tmp_path / f"{name}.pem") for name in files}


@pytest.fixture
def validate(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run the program in this process with `--format json` and read its report."""

    def run(*arguments: str) -> Outcome:
        try:
            code = main([*arguments, "--format", "json"])
        except SystemExit as stop:
            code = int(str(stop.code))
        written = capfd.readouterr()
        return Outcome(code, json.loads(written.out) if written.out else {}, written.err)

    return run


@pytest.fixture
def in_s3(
    seaweed: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Path, str], tuple[str, Callable[[str], None]]]]:
    """Copies a folder into a real store, whose credentials the environment has: the bucket's name, and what deletes
    the first of the copied files below a folder."""
    import boto3

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", seaweed.credentials.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", seaweed.credentials.secret_key)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("CITEVAULT_S3_ENDPOINT", seaweed.s3_endpoint)
    client = boto3.client("s3", endpoint_url=seaweed.s3_endpoint)

    def copied(root: Path, prefix: str) -> tuple[str, Callable[[str], None]]:
        names = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
        for name in names:
            client.put_object(Bucket=seaweed.bucket, Key=f"{prefix}/{name}", Body=(root / name).read_bytes())

        def delete_first(folder: str) -> None:
            first = next(name for name in names if name.startswith(folder))
            client.delete_object(Bucket=seaweed.bucket, Key=f"{prefix}/{first}")

        return seaweed.bucket, delete_first

    yield copied
    client.close()
