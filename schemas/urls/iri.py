"""A URL for documents whose readers take IRIs and nothing else (RFC 3987, 2.2): JSON-LD, Atom.

Servers are asked for quotation marks, angle brackets and the like as they are given (`wire.py`), and a reader of RDF
or of feeds drops an address that has them. This is for such documents alone: it identifies nothing.
"""

from __future__ import annotations

import re
from typing import Final

_NO_IRI: Final = re.compile(r"[\x00-\x20<>\"{}|\\^`\x7f-\x9f]")


def iri_of(url: str) -> str:
    """With what no IRI may have percent-encoded (UTF-8)."""
    return _NO_IRI.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8")), url)
