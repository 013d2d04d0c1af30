"""The demo's draft: what a report writer would hand in, with the addresses of this run put in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

DRAFT = Path(__file__).parent / "draft.json"
FIRST_DRAFT = Path(__file__).parent / "first-draft.json"
FIRST_BULLETIN = "first-bulletin"
NOW = "now"

_PLACE = re.compile(r"\{([a-z-]+)\}")


def filled(values: Mapping[str, str]) -> str:
    """The draft as JSON. `values` has an origin for each site, the id of the first bulletin's snapshot, and the
    time. KeyError names a place for which there is no value."""
    return _filled(DRAFT, values)


def first_draft(origins: Mapping[str, str]) -> str:
    """A draft to play with, as JSON: one claim that passes, and one whose two addresses are one source."""
    return _filled(FIRST_DRAFT, origins)


def _filled(template: Path, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place.group(1)], template.read_text(encoding="utf-8"))


def careless(origin: str) -> str:
    """A draft that quotes by URL what the page no longer says: `bundle build` must refuse it, and say where the
    words are."""
    quote = "Bulletin number 100. The barrier is raised."
    draft = {
        "schema": "citevault/draft@1",
        "id": "careless",
        "claims": [{"id": "c-001", "text": "The barrier is raised.", "importance": "ordinary"}],
        "evidence": [{"claim_id": "c-001", "url": f"{origin}/status", "quote": quote, "support": "full"}],
    }
    return json.dumps(draft, indent=2) + "\n"
