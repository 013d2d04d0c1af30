"""The ids of fingerprint parameters, and what they stand for (`schemas/README.md, Parameter ids`).

Values made under one id are never compared with values made under another. Changed parameters get a
new id and are written beside the old ones (R057).
"""

from __future__ import annotations

from pydantic import JsonValue

SHINGLE_LENGTH = 5
PERMUTATIONS = 128
SEED = 1
MINIMUM_SHINGLES = 20
"""Below this a sketch says nothing: two short texts share most of their few shingles by chance."""
MAX_TEXT_CHARS = 2 * 1024 * 1024
"""Only the beginning of a longer text is shingled, so that one document cannot take a worker's memory
(2 Mi code points are some 330,000 words; their shingle set takes about 40 MB)."""

WORD_PARAMS = "minhash-w5-p128-affine32-s1-sha1-32"
CHARACTER_PARAMS = "minhash-c5-p128-affine32-s1-sha1-32"
"""For scripts that put no spaces between words."""
PIPELINE_PARAMS = WORD_PARAMS
"""Names the objects of a segment, whose texts may be of both kinds; each fingerprint names its own."""

# Banding for threshold 0.7 with false positives weighted .1 and false negatives .9: of all (b, r) with
# b * r <= 128, (20, 6) minimises .1 * FP + .9 * FN, with
#   FP = integral 0..0.7 of 1 - (1 - s^6)^20 ds,  FN = integral 0.7..1 of (1 - s^6)^20 ds.
# A pair of Jaccard s becomes a candidate with probability 1 - (1 - s^6)^20:
#   s = .5: .27   s = .6: .62   s = .7: .92   s = .8: .998   s = .9: 1 - 3e-7
# A test pins the pair to datasketch's optimiser, which needs scipy and is not loaded by workers.
LSH_THRESHOLD = 0.7
BANDS = 20
ROWS = 6
MINIMUM_AGREEING = 97
"""Of the 128 places of two sketches; fewer, and a pair that shares a band is no candidate after all. 97 speak for a
Jaccard similarity of .677 (`workers/dedup/sketch.py`). Such pairs pass: at J = .5 .1 %, at .6 9 %, at .7 72 %, at
.75 95 %, at .8 99.8 %."""


def fingerprint_policy(params: str) -> JsonValue:
    """What a parameter id stands for, as a bundle carries it."""
    return {
        "id": params,
        "shingle": "word" if params == WORD_PARAMS else "character",
        "shingle_length": SHINGLE_LENGTH,
        "minimum_shingles": MINIMUM_SHINGLES,
        "max_text_chars": MAX_TEXT_CHARS,
        "hash": "first 4 bytes of SHA-1, little-endian",
        "scheme": "affine32",
        "permutations": PERMUTATIONS,
        "seed": SEED,
        "bands": BANDS,
        "rows": ROWS,
    }
