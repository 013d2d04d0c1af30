"""A reader of Web Annotations: it takes what the W3C's samples allow and refuses what they forbid."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

Json = Any
CONTEXT = "http://www.w3.org/ns/anno.jsonld"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)")
URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
ONE_STRING = ("bodyValue", "processingLanguage", "textDirection", "value", "exact", "prefix", "suffix")
TYPES = {"SpecificResource", "Choice", "List", "Composite", "Independents", "TextualBody"}


def faults(document: Json) -> list[str]:
    """Which rules of the data model a document breaks. Only what the samples are about."""
    if not isinstance(document, dict):
        return ["no object"]
    context = document.get("@context")
    found = [] if CONTEXT in (context if isinstance(context, list) else [context]) else ["context"]
    kinds = document.get("type")
    if "Annotation" in (kinds if isinstance(kinds, list) else [kinds]):
        found += annotation_faults(document)
    elif kinds in ("AnnotationPage", "AnnotationCollection"):
        found += [fault for item in items_of(document) for fault in annotation_faults(item)]
    else:
        found.append("type")
    return found


def items_of(document: Json) -> list[Json]:
    first = document.get("first")
    return list((first if isinstance(first, dict) else document).get("items", []))


def annotation_faults(one: Json) -> list[str]:
    found = [] if is_uri(one.get("id")) else ["id"]
    targets = one.get("target")
    if targets is None:
        found.append("no target")
    for name, value in (("target", targets), ("body", one.get("body"))):
        for item in value if isinstance(value, list) else [] if value is None else [value]:
            found += resource_faults(name, item)
    if "body" in one and "bodyValue" in one:
        found.append("two bodies")
    return found + field_faults(one)


def resource_faults(name: str, item: Json) -> list[str]:
    if isinstance(item, str):
        return [] if is_uri(item) else [f"{name} is no URI"]
    if not isinstance(item, dict):
        return [f"{name} is no resource"]
    kinds = item.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    found = [] if len(TYPES & set(kinds)) <= 1 else ["types"]
    if "SpecificResource" in kinds and "source" not in item:
        found.append("no source")
    for selector in [item["selector"]] if isinstance(item.get("selector"), dict) else item.get("selector", []):
        if isinstance(selector, dict):
            found += field_faults(selector)
    return found + field_faults(item)


def field_faults(one: Json) -> list[str]:
    found = [name for name in ONE_STRING if name in one and not isinstance(one[name], str)]
    found += [name for name in ("created", "modified", "generated") if name in one and not is_time(one[name])]
    if "textDirection" in one and one["textDirection"] not in ("ltr", "rtl", "auto"):
        found.append("textDirection")
    if "rights" in one and not all(map(is_uri, one["rights"] if isinstance(one["rights"], list) else [one["rights"]])):
        found.append("rights")
    if "start" in one and not 0 <= one["start"] <= one["end"]:
        found.append("position")
    return found


def is_uri(value: Json) -> bool:
    return isinstance(value, str) and URI.fullmatch(value) is not None


def is_time(value: Json) -> bool:
    return isinstance(value, str) and TIME.fullmatch(value) is not None


def read(data: str) -> list[str]:
    try:
        return faults(json.loads(data))
    except ValueError:
        return ["no JSON"]


@pytest.fixture(scope="session")
def annotation_faults_of() -> Callable[[str], list[str]]:
    """Which rules of the data model a document breaks; none, and it is an annotation."""
    return read
