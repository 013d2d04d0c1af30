"""`show --origin`: where a span of a text stands in the payload."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.real


def test_a_span_of_a_page_is_found_in_its_payload(citevault, filled):
    snapshot = filled.snapshots[0]
    text = citevault("show", snapshot, "--text").out
    lines = [line for line in text.splitlines() if len(line.split()) > 8]
    start = text.index(lines[-1])
    said = citevault("show", snapshot, "--origin", str(start), str(start + len(lines[-1])))
    assert said.code == 0
    first, last = said.json["payload_bytes"]
    assert 0 < first < last
    assert citevault("show", snapshot, "--origin", "0", str(len(text) + 1)).code == 2
