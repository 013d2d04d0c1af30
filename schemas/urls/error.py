"""What is wrong with a URL, as a value: which rule it breaks, where, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

UrlErrorCode = Literal[
    "url.too-long",
    "url.empty",
    "url.not-unicode",
    "url.control-character",
    "url.no-scheme",
    "url.scheme-not-supported",
    "url.no-host",
    "url.host-invalid",
    "url.port-invalid",
    "url.base-invalid",
    "url.not-normalized",
]

MAX_EXCERPT = 40


@dataclass(frozen=True, slots=True)
class UrlError:
    """A refused URL. `position` counts code points in the string that was handed in, where one place is to blame."""

    code: UrlErrorCode
    message: str
    position: int | None = None


def excerpt(text: str) -> str:
    """A short quotation of untrusted text: at most 40 characters, everything unprintable escaped."""
    cut = text if len(text) <= MAX_EXCERPT else text[: MAX_EXCERPT - 3] + "..."
    return ascii(cut)
