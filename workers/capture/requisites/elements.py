"""Which attribute of which element names a requisite (HTML Standard, 4; SVG 2, 12 and 16).

A table rather than code, so that it can be held against the standard. What a browser fetches only when
somebody clicks, or to guess at the next page (`prefetch`), is no requisite.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from schemas.records.requisite import RequisiteKind as Kind
from workers.capture.requisites.found import References
from workers.capture.requisites.srcset import candidates

_LINKED: Final = ("href", "xlink:href")
_REFERENCES: Final[Mapping[str, tuple[tuple[str, Kind], ...]]] = MappingProxyType(
    {
        "img": (("src", Kind.IMAGE),),
        "audio": (("src", Kind.MEDIA),),
        "video": (("poster", Kind.IMAGE), ("src", Kind.MEDIA)),
        "source": (("src", Kind.MEDIA),),
        "track": (("src", Kind.OTHER),),
        "script": (("src", Kind.SCRIPT), *((name, Kind.SCRIPT) for name in _LINKED)),
        "image": tuple((name, Kind.IMAGE) for name in _LINKED),
        "feimage": tuple((name, Kind.IMAGE) for name in _LINKED),
        "use": tuple((name, Kind.IMAGE) for name in _LINKED),
        **dict.fromkeys(("body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"), (("background", Kind.IMAGE),)),
    }
)
_FRAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"iframe": "src", "frame": "src", "object": "data", "embed": "src"}
)
_SOURCE_SETS: Final[Mapping[str, str]] = MappingProxyType({"img": "srcset", "source": "srcset", "link": "imagesrcset"})
_LINK_TYPES: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "stylesheet": Kind.STYLE,
        "icon": Kind.ICON,
        "apple-touch-icon": Kind.ICON,
        "apple-touch-icon-precomposed": Kind.ICON,
        "mask-icon": Kind.ICON,
        "manifest": Kind.OTHER,
        "modulepreload": Kind.SCRIPT,
    }
)
_PRELOADED: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "style": Kind.STYLE,
        "font": Kind.FONT,
        "image": Kind.IMAGE,
        "script": Kind.SCRIPT,
        "video": Kind.MEDIA,
        "audio": Kind.MEDIA,
    }
)


def read_element(name: str, attributes: Mapping[str, str], references: References, *, frames: bool) -> None:
    """Note what the attributes of one element name. `name` in lower case, without prefix."""
    for attribute, kind in _REFERENCES.get(name, ()):
        if (value := attributes.get(attribute)) is not None:
            references.add(value, kind, f"{name}/@{attribute}")
    source_set = _SOURCE_SETS.get(name)
    if source_set is not None and (value := attributes.get(source_set)) is not None:
        for candidate in candidates(value):
            references.add(candidate, Kind.IMAGE, f"{name}/@{source_set}")
    if name == "link":
        _read_link(attributes, references)
    elif name == "input" and attributes.get("type", "").strip().lower() == "image":
        references.add(attributes.get("src", ""), Kind.IMAGE, "input/@src")
    elif frames and (attribute := _FRAMES.get(name, "")) in attributes:
        references.add(attributes[attribute], Kind.FRAME, f"{name}/@{attribute}")


def _read_link(attributes: Mapping[str, str], references: References) -> None:
    href = attributes.get("href")
    kind = _kind_of_link(attributes)
    if href is not None and kind is not None:
        references.add(href, kind, "link/@href")


def _kind_of_link(attributes: Mapping[str, str]) -> Kind | None:
    """What a link's types ask a browser to fetch (HTML Standard, 4.6.7); None: nothing."""
    types = attributes.get("rel", "")[:1000].lower().split()
    for name in types:
        if name in _LINK_TYPES:
            return _LINK_TYPES[name]
    return _PRELOADED.get(attributes.get("as", "").strip().lower(), Kind.OTHER) if "preload" in types else None
