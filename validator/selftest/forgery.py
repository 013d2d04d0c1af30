"""A bundle in the making, open to an edit after each stage. What comes later is made from what was edited.

So a forger is as careful as he can be: an edit of the pages is the extractor's or the publisher's lie, one of the
document the author's, with judgements made anew; and one of the files is that of whoever carries the bundle.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import Enum

from schemas.canonical import canonical_bytes, sha256_hex
from schemas.merkle import Tree, leaf_hash
from schemas.records.manifest import BUNDLE_PREDICATE, MANIFEST_PREDICATE, BundlePredicate, ManifestPredicate
from validator.heads import head_name
from validator.selftest.capture import Json, StoredRecord, leaf_of, records_of, snapshot_of, warcinfo
from validator.selftest.document import BUILT_AT, CLAIMS, EDGES, ClaimPlan, EdgePlan, document_of, judge
from validator.selftest.pages import PAGES, Page
from validator.selftest.signing import AUTHOR, PUBLISHER, SigningKey

WARC = "archive/records.warc.gz"
BUNDLE, SIGNATURE = "bundle.json", "bundle.dsse.json"


class Stage(Enum):
    """When an edit is made, and so whose it is."""

    PAGES = "the extractor's"
    RECORDS = "the archive's"
    SNAPSHOTS = "the archive's again"
    LEAVES = "the publisher's"
    HEAD = "the publisher's again"
    DOCUMENT = "the author's"
    FILES = "the carrier's"


class Forgery:
    """All of one bundle. `files` is what is handed over."""

    def __init__(
        self,
        pages: Sequence[Page] = PAGES,
        claims: Sequence[ClaimPlan] = CLAIMS,
        edges: Sequence[EdgePlan] = EDGES,
    ) -> None:
        self.pages = list(pages)
        self.claims = list(claims)
        self.edges = list(edges)
        self.publisher: SigningKey = PUBLISHER
        self.author: SigningKey = AUTHOR
        self.records: dict[str, list[StoredRecord]] = {}
        self.snapshots: dict[str, Json] = {}
        self.texts: dict[str, bytes] = {}
        self.leaves: dict[str, Json] = {}
        self.head: Json = {}
        self.document: Json = {}
        self.files: dict[str, bytes] = {}

    def made(self, stage: Stage | None = None, edit: Callable[[Forgery], object] | None = None) -> Forgery:
        """Run all stages, with the edit after its own."""

        def after(now: Stage) -> None:
            if now is stage and edit is not None:
                edit(self)

        after(Stage.PAGES)
        self.records = {page.name: records_of(page) for page in self.pages}
        after(Stage.RECORDS)
        self.snapshots = {page.name: snapshot_of(page) for page in self.pages}
        self.texts = {page.name: page.text.encode() for page in self.pages}
        after(Stage.SNAPSHOTS)
        self.leaves = {
            page.name: leaf_of(page, self.snapshots[page.name], self.records[page.name]) for page in self.pages
        }
        after(Stage.LEAVES)
        order = sorted(self.leaves, key=lambda name: str(self.leaves[name]["snapshot_id"]))
        tree = Tree(leaf_hash(canonical_bytes(self.leaves[name])) for name in order)
        self.head = _head(len(order), tree.root().hex())
        after(Stage.HEAD)
        self.document = document_of(self.pages, self.snapshots, self.claims, self.edges)
        self._put_snapshots(order, tree)
        self.document["head"] = self.head
        after(Stage.DOCUMENT)
        self._put_files()
        after(Stage.FILES)
        return self

    def edge(self, identifier: str) -> Json:
        found: Json = next(edge for edge in self.document["evidence"] if edge["id"] == identifier)
        return found

    def text_of(self, edge: Json) -> str:
        name = next(name for name, snapshot in self.snapshots.items() if snapshot["id"] == edge["snapshot_id"])
        return self.texts[name].decode()

    def text_file(self, name: str) -> str:
        return f"texts/{self.snapshots[name]['id']}.txt"

    def judge(self, edge: Json) -> None:
        """Make an edge's judgement fresh."""
        judge(self.document, edge, {s["id"]: s["text_sha256"] for s in self.snapshots.values()})

    def edit_document(self, edit: Callable[[Json], object]) -> None:
        """Change the stored document, leaving the author's signature as it was: the carrier has no key."""
        document = json.loads(self.files[BUNDLE])
        edit(document)
        self.files[BUNDLE] = canonical_bytes(document)

    def sign_head(self, key: SigningKey) -> None:
        """Put an envelope by this key beside the head, in place of the publisher's."""
        data = canonical_bytes(self.head)
        self.files[envelope_path(data)] = _head_envelope(self.head, data, key)

    def _put_snapshots(self, order: Sequence[str], tree: Tree) -> None:
        info = warcinfo()
        warc = bytearray(info.member)
        numbers = {name: index for index, name in enumerate(order)}
        for page in self.pages:
            members = [{"record_id": info.id, "type": info.type, "offset": 0, "length": len(info.member)}]
            for stored in self.records[page.name]:
                members.append(
                    {"record_id": stored.id, "type": stored.type, "offset": len(warc), "length": len(stored.member)}
                )
                warc += stored.member
            index = numbers[page.name]
            inclusion = {
                "leaf": self.leaves[page.name],
                "leaf_index": index,
                "tree_size": len(order),
                "hashes": [h.hex() for h in tree.inclusion_proof(index)],
            }
            own = {"warc": {"path": WARC, "members": members}, "inclusion": inclusion}
            self.document["snapshots"].append({**self.snapshots[page.name], **own})
        self.files[WARC] = bytes(warc)

    def _put_files(self) -> None:
        head, document = canonical_bytes(self.head), canonical_bytes(self.document)
        signed = BundlePredicate(
            report=self.document["id"],
            created_at=self.document["created_at"],
            claims=len(self.document["claims"]),
            evidence=len(self.document["evidence"]),
        )
        self.files |= {
            f"manifest/{head_name(1)}": head,
            envelope_path(head): _head_envelope(self.head, head, self.publisher),
            f"keys/{self.publisher.id}.pem": self.publisher.pem,
            f"keys/{self.author.id}.pem": self.author.pem,
            BUNDLE: document,
            SIGNATURE: self.author.envelope(BUNDLE, sha256_hex(document), BUNDLE_PREDICATE, signed),
            **{self.text_file(page.name): self.texts[page.name] for page in self.pages},
        }


def envelope_path(head: bytes) -> str:
    return f"manifest/0000000001-{sha256_hex(head)[:16]}.dsse.json"


def _head(size: int, root: str) -> Json:
    return {
        "schema": "citevault/manifest@1",
        "sequence": 1,
        "previous_sha256": None,
        "created_at": BUILT_AT,
        "tree_size": size,
        "root_sha256": root,
        "first_leaf": 0,
        "leaves_sha256": sha256_hex(b""),
    }


def _head_envelope(head: Json, data: bytes, key: SigningKey) -> bytes:
    predicate = ManifestPredicate(
        sequence=head["sequence"],
        tree_size=head["tree_size"],
        root_sha256=head["root_sha256"],
        previous_sha256=head["previous_sha256"],
        created_at=head["created_at"],
    )
    return key.envelope(f"manifests/{head_name(head['sequence'])}", sha256_hex(data), MANIFEST_PREDICATE, predicate)
