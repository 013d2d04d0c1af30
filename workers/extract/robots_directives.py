"""What a page and its server wish robots to do with it: `meta name="robots"` and `X-Robots-Tag`.

There is no standard for either; this reads what the large search engines document. The wishes are recorded as
they were made, to everybody or to one robot by name, and are not acted on here: whether a page that asks
for `noarchive` may be shown is for whoever shows it to decide, and to decide it one must know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from schemas.records.snapshot import RobotsDirective

MAX_DIRECTIVES: Final = 100
MAX_CHARACTERS: Final = 200
"""Of one directive."""
MAX_FIELD_CHARACTERS: Final = 8192
"""Of one field or element; the rest is not read."""

_WITH_VALUE: Final = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
"""Directives that take a value after a colon: what else stands before one names a robot."""
_AGENT = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_BOT_NAME = re.compile(r"[a-z0-9._-]{0,56}(?:bot|crawler|spider)(?:[-_.][a-z0-9._-]{1,40})?")
_OTHER_NAMES: Final = frozenset(
    {"slurp", "teoma", "yandex", "bingpreview", "google-extended", "ia_archiver", "citevault", "googlebot-news"}
)
"""Robots that pages address by a `meta` name that does not sound like one."""
_DAY = re.compile(r"\s*[0-9]{1,2}[\s-]")


def header_directives(values: Iterable[str]) -> tuple[RobotsDirective, ...]:
    """Directives of all `X-Robots-Tag` fields of a message. A name with a colon in front addresses what follows it in
    its field."""
    return _bounded(found for value in values for found in _field(value[:MAX_FIELD_CHARACTERS]))


def meta_directives(metas: Iterable[tuple[str, str]]) -> tuple[RobotsDirective, ...]:
    """Directives of a page's `meta` elements, by name and content; names that address no robot are passed over."""
    return _bounded(
        _directive("meta", agent, part)
        for name, content in metas
        if (agent := _addressed(name.strip().lower())) is not None
        for part in _parts(content[:MAX_FIELD_CHARACTERS])
    )


def _addressed(name: str) -> str | None:
    """The robot that a `meta` name addresses, empty for all of them; None: no robot."""
    if name in ("robots", "robot"):  # the second is a common slip
        return ""
    return name if name in _OTHER_NAMES or _BOT_NAME.fullmatch(name) else None


def _field(value: str) -> Iterator[RobotsDirective]:
    agent = ""
    for part in _parts(value):
        name, colon, rest = part.partition(":")
        name = name.strip().lower()
        if colon and name not in _WITH_VALUE and _AGENT.fullmatch(name):
            agent, part = name, rest.strip()
        if part:
            yield _directive("header", agent, part)


def _parts(value: str) -> Iterator[str]:
    """Parts between commas; the comma of a date (`Wed, 25 Jun 2030 15:00:00 GMT`) is none between parts."""
    held = ""
    for part in value.split(","):
        if held and _DAY.match(part):
            held = f"{held}, {part.strip()}"
            continue
        if held:
            yield held
        held = part.strip()
    if held:
        yield held


def _directive(source: Literal["meta", "header"], agent: str, part: str) -> RobotsDirective:
    """Names in lower case, values as they stand, blanks made one."""
    name, colon, value = " ".join(part.split()).partition(":")
    text = f"{name.strip().lower()}: {value.strip()}".strip() if colon else name.lower()
    return RobotsDirective(source=source, agent=agent or None, directive=text[:MAX_CHARACTERS].strip())


def _bounded(found: Iterator[RobotsDirective]) -> tuple[RobotsDirective, ...]:
    """Each once, in order, the first hundred."""
    kept: dict[RobotsDirective, None] = {}
    for directive in found:
        kept.setdefault(directive)
        if len(kept) == MAX_DIRECTIVES:
            break
    return tuple(kept)
