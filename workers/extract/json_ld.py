"""What a page says of itself in JSON-LD (schema.org), as far as evidence needs it.

No JSON-LD processor: contexts are not resolved, `@graph` and `@id` references within the page are.
Pages write broken JSON, so an unreadable script is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

MAX_SCRIPT_CHARACTERS = 1024 * 1024
MAX_NODES = 2000
MAX_DEPTH = 8
_WRAPPING = re.compile(r"^\s*(?:<!--|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)|(?:-->|/\*\s*\]\]>\s*\*/|\]\]>)\s*;?\s*$")
_ARTICLE = re.compile(r"(?:Article|Posting|Report|NewsStory|Review|CreativeWork|Legislation|Dataset|TechArticle)$")
_PAGE = re.compile(r"Page$")

Node = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class LinkedData:
    """Of the first node that is an article, else of the first that is a page. Names joined by `; `."""

    headline: str | None = None
    author: str | None = None
    publisher: str | None = None
    published: str | None = None
    modified: str | None = None
    language: str | None = None
    free: bool | None = None
    """`isAccessibleForFree`; False is how a paywall declares itself."""


def read_linked_data(scripts: Iterable[str]) -> LinkedData:
    """Read the JSON-LD scripts of a page, in document order."""
    nodes = [node for script in scripts for node in _nodes(script)][:MAX_NODES]
    main = next((n for n in nodes if _is(n, _ARTICLE)), None) or next((n for n in nodes if _is(n, _PAGE)), None)
    if main is None:
        return LinkedData()
    by_id = {identifier: node for node in nodes if isinstance(identifier := node.get("@id"), str) and len(node) > 1}
    return LinkedData(
        headline=_string(main.get("headline")) or _string(main.get("name")),
        author=_names(main.get("author") or main.get("creator"), by_id),
        publisher=_names(main.get("publisher"), by_id),
        published=_string(main.get("datePublished")),
        modified=_string(main.get("dateModified")),
        language=_string(main.get("inLanguage")),
        free=_boolean(main.get("isAccessibleForFree")),
    )


def _nodes(script: str) -> Iterator[Node]:
    if len(script) > MAX_SCRIPT_CHARACTERS:
        return
    try:
        value: JsonValue = json.loads(_WRAPPING.sub("", _WRAPPING.sub("", script)), strict=False)
    except (ValueError, RecursionError):
        return
    waiting: list[tuple[JsonValue, int]] = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if depth > MAX_DEPTH:
            continue
        if isinstance(item, dict):
            yield item
            inner = [item.get(name) for name in ("@graph", "mainEntity", "mainEntityOfPage", "author", "publisher")]
            waiting.extend((child, depth + 1) for child in reversed(inner) if isinstance(child, (dict, list)))
        elif isinstance(item, list):
            waiting.extend((child, depth + 1) for child in reversed(item[:MAX_NODES]))


def _is(node: Node, pattern: re.Pattern[str]) -> bool:
    kinds = node.get("@type")
    return any(
        isinstance(kind, str) and pattern.search(kind) for kind in (kinds if isinstance(kinds, list) else [kinds])
    )


def _names(value: JsonValue, by_id: dict[str, Node]) -> str | None:
    names: list[str] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            if "name" not in item and isinstance(item.get("@id"), str):
                item = by_id.get(str(item["@id"]), item)
            item = item.get("name")
            item = item[0] if isinstance(item, list) and item else item
        name = _string(item)
        if name is not None and name not in names and not name.startswith(("http://", "https://")):
            names.append(name)
    return "; ".join(names[:50]) or None


def _string(value: JsonValue) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _boolean(value: JsonValue) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else None
