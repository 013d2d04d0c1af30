"""`cite`: numbers that stay, their aliases, and lists of references of what is cited."""

from __future__ import annotations

import json
import re
import secrets

import bibtexparser
import lxml.html
import pytest

pytestmark = pytest.mark.real
QUOTE = "The barrier consists of 14 gates of structural steel."
WHY = "The same page under two addresses."


@pytest.fixture
def report() -> str:
    """A report of its own: the archive is shared."""
    return f"report-{secrets.token_hex(4)}"


@pytest.fixture
def snapshots(citevault, filled) -> dict[str, str]:
    """Snapshot ids by page."""
    pages = [("courier", "/news/tidal-barrier"), ("authority", "/barrier"), ("authority", "/status")]
    return {path: citevault("snapshots", filled.web.url(site, path), "--json").json[0]["id"] for site, path in pages}


def test_numbers_are_given_in_order_and_kept(citevault, report, snapshots) -> None:
    """R036, R038, R039, R041, X20."""
    barrier, news = snapshots["/barrier"], snapshots["/news/tidal-barrier"]
    said = citevault("cite", "add", report, barrier, news, "--section", "intro", "--json")
    assert (said.code, [row["number"] for row in said.json]) == (0, [1, 2])
    again = citevault("cite", "add", report, news, barrier, "--section", "results", "--json")
    assert [row["number"] for row in again.json] == [2, 1]
    listed = citevault("cite", "list", report, "--json").json
    assert listed["next_number"] == 3
    assert {entry["number"]: entry["used_in_sections"] for entry in listed["entries"].values()} == {
        1: ["intro", "results"],
        2: ["intro", "results"],
    }
    lines = citevault("cite", "list", report, "--jsonl").out.splitlines()
    assert [json.loads(line)["number"] for line in lines] == [1, 2]


def test_what_was_not_opened_or_not_read_has_no_number(citevault, report, filled) -> None:
    """X18, X20, R101, C35: neither a URL that was never opened nor a page that was withdrawn."""
    gone = citevault("snapshots", filled.web.url("courier", "/news/withdrawn"), "--json").json[0]["id"]
    for name in (gone, "snap-000000000000-20260822T031500Z-00000000", "https://example.org/"):
        said = citevault("cite", "add", report, name)
        assert (said.code, said.stdout) == (1, b"")
        assert name[:50] in said.err
        assert "none of the 1 was numbered" in said.err
    assert citevault("cite", "list", report).code == 2


def test_a_url_stands_for_its_newest_snapshot_that_may_be_cited(citevault, report, filled, snapshots) -> None:
    said = citevault("cite", "add", report, filled.web.url("authority", "/status"), "--json")
    assert (said.code, [row["snapshot_id"] for row in said.json]) == (0, [snapshots["/status"]])
    again = citevault("cite", "add", report, snapshots["/status"], "--json")
    assert [row["number"] for row in again.json] == [1], "the same number, named by its id"


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["list", "--jsonl"], ["render"]])
def test_a_report_that_is_not_there_is_told_with_what_to_do_next(citevault, report, arguments) -> None:
    said = citevault("cite", arguments[0], report, *arguments[1:])
    assert (said.code, said.stdout) == (2, b"")
    assert f"there is no report {report}" in said.err
    assert "`citevault cite add`" in said.err


def test_a_merge_tells_what_is_shown_now_and_how_to_undo_it(citevault, report, snapshots) -> None:
    citevault("cite", "add", report, *snapshots.values())
    said = citevault("cite", "merge", report, "3", "1", "--why", WHY)
    assert said.code == 0
    first = citevault("cite", "list", report, "--jsonl").out.splitlines()[0]
    assert f"[1] shows {json.loads(first)['title']}" in said.err
    assert json.loads(first)["citation_url"] in said.err
    undo = f"citevault cite unmerge {report} 3 --why WHY"
    assert f"[3] is its alias now; to undo: {undo}" in said.err
    again = citevault("cite", "merge", report, "1", "3", "--why", WHY)
    assert "nothing to do" in again.err
    assert "to undo" not in again.err
    assert citevault(*undo.split()[1:-1], WHY).code == 0
    assert citevault("cite", "list", report, "--json").json["aliases"] == {}


def test_a_merge_leaves_an_alias_that_every_rendering_follows(citevault, report, snapshots) -> None:
    """R050, X6."""
    citevault("cite", "add", report, *snapshots.values())
    assert citevault("cite", "merge", report, "1", "3", "--why", WHY, "--by", "An editor").code == 0
    listed = citevault("cite", "list", report, "--json").json
    assert listed["aliases"] == {"3": 1}
    assert listed["merge_log"][0]["by"] == "An editor"
    assert listed["merge_log"][0]["changes"] == [{"kind": "merge", "number": 3, "into": 1, "why": WHY}]
    assert citevault("cite", "add", report, snapshots["/status"], "--json").json[0]["number"] == 1
    assert "[3] is [1]" in citevault("cite", "list", report).err
    rendered = citevault("cite", "render", report)
    assert re.findall(r"^\\\[(\d+)\\\]", rendered.out, re.MULTILINE) == ["1", "2"]
    assert "lossy-merge-unverified" in rendered.err, "X1: two texts under one number"
    assert all(each in rendered.out for each in snapshots.values()), "X5: every cited state is named"
    assert citevault("cite", "unmerge", report, "3", "--why", WHY).code == 0
    assert citevault("cite", "list", report, "--json").json["aliases"] == {}
    for arguments in (["merge", report, "1", "9"], ["unmerge", report, "1"], ["merge", report, "1", "2"]):
        why = ["--why", "short" if arguments[-1] == "2" else WHY]
        assert citevault("cite", *arguments, *why).code == 2


def test_only_what_a_document_cites_is_listed(citevault, report, snapshots, tmp_path) -> None:
    """R117, X10, X23: the cited set; shown numbers are a map of the rendering."""
    citevault("cite", "add", report, *snapshots.values())
    document = tmp_path / "report.md"
    document.write_text("It closed [3]. `x[2]` It opened [1].\n", encoding="utf-8")
    said = citevault("cite", "render", report, "--cited-in", str(document), "--format", "csl-json")
    items = json.loads(said.out)
    assert [(item["id"], item["citation-number"]) for item in items] == [("ref-3", "3"), ("ref-1", "1")]
    shown = citevault("cite", "render", report, "--cited-in", str(document), "--format", "csl-json", "--renumber")
    assert [(item["id"], item["citation-number"]) for item in json.loads(shown.out)] == [("ref-3", "1"), ("ref-1", "2")]
    assert shown.err == "[3] is shown as [1]\n[1] is shown as [2]\n"
    told = citevault("cite", "render", report, "--cited-in", str(document), "--renumber", "--json").json
    assert told["references"].startswith("\\[1\\] ")
    assert told["shown"] == [
        {"number": 3, "shown": 1, "aliases": []},
        {"number": 1, "shown": 2, "aliases": []},
    ]
    document.write_text("It closed [7].\n", encoding="utf-8")
    refused = citevault("cite", "render", report, "--cited-in", str(document))
    assert (refused.code, refused.stdout) == (1, b"")
    assert "[7] was never given" in refused.err


def test_references_as_html_have_robust_links_and_lead_to_the_quotes(citevault, report, filled, tmp_path) -> None:
    claim = {"id": "c-001", "text": "The barrier has fourteen gates.", "importance": "ordinary"}
    edge = {"claim_id": "c-001", "url": filled.web.url("authority", "/barrier"), "quote": QUOTE, "support": "full"}
    (tmp_path / "draft.json").write_text(json.dumps({"claims": [claim], "evidence": [edge]}))
    bundle = str(tmp_path / "bundle")
    assert citevault("bundle", "build", str(tmp_path / "draft.json"), "-o", bundle).code == 0
    assert citevault("cite", "add", report, "--from-bundle", bundle).code == 0
    said = citevault(
        "cite", "render", report, "--format", "html", "--bundle", bundle, "--archive-base", "https://m.example/web"
    )
    (item,) = lxml.html.fragment_fromstring(said.out).xpath("li")
    link, quote = item.xpath(".//a")
    assert link.get("href") == link.get("data-originalurl") == edge["url"]
    assert re.fullmatch(r"https://m\.example/web/\d{14}/http.*", link.get("data-versionurl"))
    assert link.get("data-versiondate").endswith("Z")
    assert quote.text_content() == QUOTE
    assert ":~:text=" in quote.get("href")
    assert "The%20barrier%20consists%20of%2014%20gates" in quote.get("href")


def test_references_as_bibtex_are_read_by_its_library(citevault, report, snapshots) -> None:
    citevault("cite", "add", report, *snapshots.values())
    said = citevault("cite", "render", report, "--format", "bibtex")
    library = bibtexparser.parse_string(said.out)
    assert not library.failed_blocks
    assert [entry.key for entry in library.entries] == ["ref1", "ref2", "ref3"]
    assert said.out.isascii()
    assert library.entries[0].fields_dict["url"].value.startswith("http://")


def test_another_policy_is_looked_at_before_it_is_applied(citevault, report, snapshots) -> None:
    """X1, X2."""
    citevault("cite", "add", report, *snapshots.values())
    looked = citevault("cite", "migrate", report, "--policy", "citation-index@2", "--json")
    assert (looked.code, looked.json["merges"], looked.json["splits"]) == (0, [], [])
    assert citevault("cite", "migrate", report, "--policy", "citation-index@2", "--apply", "--why", WHY).code == 0
    listed = citevault("cite", "list", report, "--json").json
    assert listed["policy"].startswith("citation-index@2+")
    assert [entry["number"] for entry in listed["entries"].values()] == [1, 2, 3]
    assert citevault("cite", "migrate", report, "--policy", "citation-index@1").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "Report!", "snap-x"),
        ("add", "report"),
        ("add", "report", "--from-bundle", "nowhere"),
        ("render", "report", "--cited-in", "nowhere.md"),
        ("migrate", "report", "--policy", "citation-index@9"),
        ("merge", "report", "0", "1", "--why", WHY),
    ],
)
def test_bad_input_is_told_before_any_store_is_asked(unconfigured, arguments) -> None:
    said = unconfigured("cite", *arguments)
    assert (said.code, said.stdout) == (2, b"")
    assert said.err
