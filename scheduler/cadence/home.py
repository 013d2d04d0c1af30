"""Whether an address is a site's home page, or that of one of its languages."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_INDEX: Final = re.compile(r"(?:index|default|home|start|welcome)(?:\.[a-z]{2,5})?", re.IGNORECASE)
_LANGUAGE: Final = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)


def is_home(url: str) -> bool:
    """The root, `index.html` and its like, or either below one folder named like a language (`/en/`, `/pt-br`)."""
    try:
        parts = [part for part in urlsplit(url).path.split("/") if part]
    except ValueError:
        return False
    if parts and _INDEX.fullmatch(parts[-1]):
        parts.pop()
    return not parts or (len(parts) == 1 and _LANGUAGE.fullmatch(parts[0]) is not None)


def leads_home(asked: str, final: str) -> bool:
    """Whether an address that is no home page led to one."""
    return asked != final and is_home(final) and not is_home(asked)
