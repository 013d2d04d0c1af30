"""Findings on the stored texts: their path, digest, normal form and length."""

from __future__ import annotations

from schemas.findings.wording import error

TEXT_PATH = error(
    "text.path-differs",
    "A text path is not `texts/<snapshot id>.txt`, or is there without a text, or absent with one.",
    "Build the bundle again.",
)
TEXT_DIGEST = error(
    "text.digest-differs",
    "The SHA-256 of a text file is not the snapshot's text_sha256.",
    "The text was changed: restore the file from the archive.",
)
TEXT_NOT_UTF8 = error(
    "text.not-utf-8",
    "A text file is not UTF-8, or starts with a byte-order mark.",
    "Restore the file from the archive.",
)
TEXT_NOT_NORMALIZED = error(
    "text.not-normalized",
    "A text is not in text-v1 (a carriage return, trailing blanks, not NFC).",
    "Apply text-v1 and locate the quotes again.",
)
TEXT_LENGTH = error(
    "text.length-differs",
    "A text does not have text_chars code points.",
    "Correct the count: offsets are code points, not bytes or UTF-16 units.",
)
