"""Findings on the files of the input: there, regular, readable, named."""

from __future__ import annotations

from schemas.findings.wording import error, note, warning

FILE_MISSING = error(
    "file.missing",
    "A file that the input promises is not there.",
    "Get a complete copy, or build the bundle again.",
)
FILE_UNSAFE_PATH = error(
    "file.unsafe-path",
    "A path is absolute, leaves the folder, or has an empty, `.` or `..` segment.",
    "Do not use this input; ask its author for one with relative paths.",
)
FILE_NOT_REGULAR = error(
    "file.not-regular",
    "A path names something other than a regular file.",
    "Replace it by the file itself.",
)
FILE_TOO_LARGE = warning(
    "file.too-large",
    "A file is larger than this program reads.",
    "Check it on its own with other tools.",
    inconclusive=True,
)
FILE_UNREADABLE = warning(
    "file.unreadable",
    "A file could not be read, so it was not checked.",
    "Check permissions and the disk or the store, then run again.",
    inconclusive=True,
)
FILE_UNLISTED = warning(
    "file.unlisted",
    "A file lies in the bundle that nothing names, so nothing says what it is (an error in profile strict).",
    "Take it out, or get the bundle from its author again.",
)
WACZ_RESOURCE = error(
    "wacz.resource-differs",
    "A file of a WACZ does not have the digest that its package gives, or the package not the one beside it.",
    "Get the WACZ from its author again.",
)
WACZ_SIGNATURE = error(
    "wacz.signature-invalid",
    "The signature of a WACZ's package is of another hash, or does not verify under the key beside it.",
    "Do not use the WACZ; get it from its author again.",
)
WACZ_SIGNER_UNCHECKED = note(
    "wacz.signer-unchecked",
    "A WACZ's package is signed; whose key it is, and when it signed, is not checked here.",
    "Check its certificates and time-stamp with a tool that has roots for them.",
)
