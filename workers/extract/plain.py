"""Text that needs no extraction (`plain@1`): plain text, Markdown, CSV and JSON, as they are, in text-v1."""

from __future__ import annotations

import re

from schemas.text_v1 import normalize

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """text-v1 of any string: a lone surrogate, which is no text, becomes U+FFFD first."""
    return normalize(without_surrogates(text)).text


def without_surrogates(text: str) -> str:
    """The string as Unicode text, so that it has a UTF-8 form."""
    return _SURROGATE.sub("\ufffd", text)
