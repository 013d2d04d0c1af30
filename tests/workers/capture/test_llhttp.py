"""The malformed responses of Node's parser suite: where it refuses, we still hold every byte."""

from __future__ import annotations

import json
import re


def responses(conformance_data):
    for path in sorted((conformance_data / "http/llhttp").glob("response-*.json")):
        for case in json.loads(path.read_text()):
            yield path.name, case


def test_every_response_of_the_suite_is_held_to_the_byte(conformance_data, scan, scan_pieces):
    cases = list(responses(conformance_data))
    assert len(cases) >= 35
    for name, case in cases:
        wire = case["input"].encode("latin-1")
        got = scan(wire)
        assert got.rebuilt == wire, (name, case["title"])
        assert scan_pieces(wire[at : at + 1] for at in range(len(wire))) == got, (name, case["title"])


def test_where_the_suite_reads_a_head_we_read_the_same_status(conformance_data, scan):
    compared = 0
    for name, case in responses(conformance_data):
        complete = re.search(r"headers complete status=(\d+)", case["log"])
        wire = case["input"].encode("latin-1")
        if complete is None or b"\r\n\r\n" not in wire:
            continue
        assert scan(wire).status == int(complete[1]), (name, case["title"])
        compared += 1
    assert compared >= 15
