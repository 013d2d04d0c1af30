"""`export`: a bundle's evidence and references, as other programs read them."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.real
PARTS = ["The barrier consists of", "gates of structural steel."]
GATES = "The barrier consists of 14 gates of structural steel."


@pytest.fixture
def bundle(citevault, filled, tmp_path) -> str:
    page = filled.web.url("authority", "/barrier")
    claims = [
        {"id": "c-001", "text": "The barrier has fourteen gates.", "importance": "ordinary"},
        {"id": "c-002", "text": "They are of steel.", "importance": "ordinary"},
    ]
    edges = [
        {"claim_id": "c-001", "url": page, "quote": GATES, "support": "full"},
        {"claim_id": "c-002", "url": page, "quotes": PARTS, "support": "full"},
    ]
    (tmp_path / "draft.json").write_text(json.dumps({"id": "report", "claims": claims, "evidence": edges}))
    assert citevault("bundle", "build", str(tmp_path / "draft.json"), "-o", str(tmp_path / "bundle")).code == 0
    document = json.loads((tmp_path / "bundle" / "bundle.json").read_bytes())
    for edge in document["evidence"]:
        edge["locator"]["page"] = 3  # as of a document that has pages
    (tmp_path / "bundle" / "bundle.json").write_text(json.dumps(document))
    return str(tmp_path / "bundle")


def test_every_edge_is_an_annotation_that_other_readers_take(unconfigured, bundle, annotation_faults_of, tmp_path):
    """R003, C15: two edges on one passage are two annotations; C17: positions are code points of the stored text."""
    out = tmp_path / "annotations.json"
    said = unconfigured("export", "annotations", bundle, "-o", str(out), "--archive-base", "https://m.example/web")
    assert (said.code, said.stdout) == (0, b"")
    assert annotation_faults_of(out.read_text("utf-8")) == []
    document = json.loads(out.read_bytes())
    items = document["first"]["items"]
    assert (document["total"], len(items)) == (2, 2)
    page, text = items[0]["target"]
    assert page["selector"][0]["exact"] == GATES
    assert page["selector"][1]["value"] == "page=3"
    assert page["state"]["type"] == "TimeState"
    assert page["state"]["cached"].startswith("https://m.example/web/")
    position = text["selector"][1]
    name = text["source"]["id"].removeprefix("urn:citevault:snapshot:").removesuffix(":text")
    stored = (tmp_path / "bundle" / "texts" / f"{name}.txt").read_text("utf-8")
    assert stored[position["start"] : position["end"]] == GATES
    assert [body["value"] for body in items[1]["body"]] == ["full", "They are of steel.", "c-002"]
    *pages, first, second = items[1]["target"]
    assert [each["selector"][0]["exact"] for each in pages] == PARTS, "what it leaves out is no target (C21)"
    places = [each["selector"][1] for each in (first, second)]
    assert [stored[place["start"] : place["end"]] for place in places] == PARTS
    assert pages[1]["selector"][0]["prefix"].endswith("The barrier consists of 14 ")


def test_the_cited_pages_are_csl_items_once_each(unconfigured, bundle):
    said = unconfigured("export", "csl", bundle)
    (item,) = json.loads(said.out)
    assert (said.code, item["type"], item["citation-number"]) == (0, "webpage", "1")
    assert item["custom"]["snapshot_id"].startswith("snap-")


@pytest.mark.parametrize("kind", ["annotations", "csl"])
def test_what_is_no_bundle_is_bad_input(unconfigured, tmp_path, kind):
    (tmp_path / "bundle.json").write_text("{}")
    for name in (str(tmp_path), str(tmp_path / "none")):
        said = unconfigured("export", kind, name)
        assert (said.code, said.stdout) == (2, b"")
        assert said.err
