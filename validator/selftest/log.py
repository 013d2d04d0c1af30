"""A log of three manifests over the self-test's pages, open to edits, as a folder of files."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from schemas.canonical import canonical_bytes, sha256_hex
from schemas.merkle import CompactTree, leaf_hash
from schemas.records.manifest import MANIFEST_PREDICATE, ManifestPredicate
from validator.heads import head_name
from validator.selftest.capture import Json, leaf_of, records_of, snapshot_of
from validator.selftest.pages import PAGES
from validator.selftest.signing import PUBLISHER, SigningKey

FOLDER = "manifests/"


class ForgedLog:
    """Leaves in batches; heads that commit them; and `files`, what is handed over."""

    def __init__(self, signer: SigningKey = PUBLISHER) -> None:
        leaves = [leaf_of(page, snapshot_of(page), records_of(page)) for page in PAGES]
        leaves.sort(key=lambda leaf: str(leaf["snapshot_id"]))
        self.batches = [leaves[:2], leaves[2:3], leaves[3:]]
        self.heads: list[Json] = []
        self.files: dict[str, bytes] = {}
        self.signer = signer

    def made(
        self, edit: Callable[[ForgedLog], object] | None = None, after: Callable[[ForgedLog], object] | None = None
    ) -> ForgedLog:
        """Commit and sign; `edit` sees the leaves before that, `after` the files."""
        if edit is not None:
            edit(self)
        tree = CompactTree()
        for number, batch in enumerate(self.batches, 1):
            lines = [canonical_bytes(leaf) for leaf in batch]
            first, tree = tree.size, tree.extend(map(leaf_hash, lines))
            data = gzip.compress(b"".join(line + b"\n" for line in lines), 1, mtime=0)
            previous = sha256_hex(canonical_bytes(self.heads[-1])) if self.heads else None
            head: Json = {
                "schema": "citevault/manifest@1",
                "sequence": number,
                "previous_sha256": previous,
                "created_at": f"2026-09-0{number}T00:00:00Z",
                "tree_size": tree.size,
                "root_sha256": tree.root().hex(),
                "first_leaf": first,
                "leaves_sha256": sha256_hex(data),
            }
            self.heads.append(head)
            self.files[f"{FOLDER}{number:010d}-{head['leaves_sha256'][:16]}.leaves.jsonl.gz"] = data
            self.put(head)
        if after is not None:
            after(self)
        return self

    def put(self, head: Json, number: int | None = None, signer: SigningKey | None = None) -> None:
        """Store a head under a number, with an envelope."""
        data = canonical_bytes(head)
        digest = sha256_hex(data)
        number = number or head["sequence"]
        predicate = ManifestPredicate(
            **{name: head[name] for name in ("sequence", "tree_size", "root_sha256", "previous_sha256", "created_at")}
        )
        envelope = (signer or self.signer).envelope(
            f"manifests/{head_name(head['sequence'])}", digest, MANIFEST_PREDICATE, predicate
        )
        self.files[f"{FOLDER}{head_name(number)}"] = data
        self.files[f"{FOLDER}{number:010d}-{digest[:16]}.dsse.json"] = envelope

    def path(self, number: int, ending: str) -> str:
        """The one file of a manifest that ends so."""
        return next(name for name in self.files if name.startswith(f"{FOLDER}{number:010d}") and name.endswith(ending))
