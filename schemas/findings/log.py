"""Findings on the signed log: leaves, inclusion, heads and their chain."""

from __future__ import annotations

from schemas.findings.wording import error, note, warning

LEAF_DIFFERS = error(
    "leaf.differs",
    "A leaf's field is not the snapshot's of the same name.",
    "Trust the leaf; get the snapshot's record from the archive again.",
)
LEAF_RECORDS = error(
    "leaf.records-differ",
    "A leaf does not name exactly the snapshot's WARC records.",
    "Get the snapshot's record from the archive again.",
)
LEAF_TEXT_UNBOUND = error(
    "leaf.text-unbound",
    "The leaf's conversion record does not have the text's digest as its block digest.",
    "The text is not the one that the log holds; restore it.",
)
LEAF_DESCRIPTION = error(
    "leaf.description-differs",
    "A snapshot's description (title, author, dates, language, visit, outline) is not what its leaf promises.",
    "Do not use the bundle; get it from its author again, or build it again from the archive.",
)
LEAF_UNDESCRIBED = note(
    "leaf.undescribed",
    "Leaves of an older archive promise no titles, authors, dates, outlines: these are the author's word.",
    "Check with --deep --re-extract, or capture the pages again with this version.",
)
LEAF_UNREADABLE = error(
    "leaf.unreadable",
    "A leaf file is not gzip, or a line of it is no leaf, or not in RFC 8785 form.",
    "Get the leaf file from another copy.",
)
LEAF_ORDER = error(
    "leaf.order",
    "Leaves of a file are not sorted by snapshot id.",
    "Get the leaf file from another copy.",
)
LEAF_ID_NOT_DERIVED = error(
    "leaf.id-not-derived",
    "A leaf's source or snapshot id is not the one that its fields give.",
    "Do not rely on this snapshot.",
)
INCLUSION_FAILS = error(
    "inclusion.proof-fails",
    "The proof does not show the leaf in the tree of the head.",
    "Ask the archive for a new proof; if none verifies, the leaf is not in the log.",
)
INCLUSION_SIZE = error(
    "inclusion.tree-size-differs",
    "A proof is for a tree of another size than the head's.",
    "Ask the archive for a proof under this head.",
)
HEAD_DIFFERS = error(
    "manifest.head-differs",
    "The stored head is not in RFC 8785 form, or not the one that the document or its name says.",
    "Get the head's exact bytes from the archive.",
)
MANIFEST_GAP = error(
    "manifest.gap",
    "A manifest is missing in the sequence; what follows it was not checked.",
    "Get the missing head.",
)
MANIFEST_CHAIN = error(
    "manifest.chain-broken",
    "A head does not name the digest of its predecessor, or does not begin where that ended.",
    "Stop trusting the log from this number on and compare with a copy.",
)
MANIFEST_LEAVES_DIGEST = error(
    "manifest.leaves-digest",
    "The stored leaf file does not have the digest that the head gives.",
    "Get the leaf file from another copy.",
)
MANIFEST_TREE_SIZE = error(
    "manifest.tree-size",
    "A leaf file does not hold as many leaves as the head commits, or more than 10,000.",
    "Get the leaf file from another copy.",
)
MANIFEST_ROOT = error(
    "manifest.root-differs",
    "The leaves do not give the head's root.",
    "Stop trusting the log from this number on and compare with a copy.",
)
MANIFEST_ROOT_UNCHECKED = warning(
    "manifest.root-unchecked",
    "Leaves before it could not be read, so no later root could be recomputed.",
    "Repair what is reported before, then run again.",
    inconclusive=True,
)
