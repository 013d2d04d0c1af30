"""The founding documents' own examples, read where they lie: each gives what it deserves, wrong offsets included."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.records.claim import Importance, Support, Verdict
from schemas.records.source import Tier
from validator.bundle import BundleResult, check_bundle
from validator.found import Found
from validator.selftest.document import ClaimPlan, EdgePlan, place
from validator.selftest.files import Files
from validator.selftest.forgery import Forgery, Stage
from validator.selftest.pages import Page
from validator.selftest.signing import AUTHOR, PUBLISHER
from validator.settings import Settings

Edit = Callable[[Forgery], object]


@pytest.fixture(scope="session")
def seeds(conformance_data: Path) -> dict[str, str]:
    """The documents by their number."""
    folder = conformance_data.parent / "seeds"
    return {path.name[:3]: path.read_text("utf-8") for path in sorted(folder.glob("*.txt"))}


def checked(forgery: Forgery, edit: Edit | None = None) -> tuple[BundleResult, Found]:
    found = Found()
    settings = Settings(trusted=PUBLISHER.trusted, trusted_authors=AUTHOR.trusted)
    return check_bundle(Files(forgery.made(Stage.DOCUMENT, edit).files), settings, found), found


def errors(found: Found) -> set[str]:
    return {finding.code for finding in found.findings if finding.severity == "error"}


def json_in(text: str, after: str) -> Any:
    """The first JSON value behind a place of a document."""
    at = text.index(after)
    return json.JSONDecoder().raw_decode(text[text.index("{", at) :])[0]


def table(text: str, first: str) -> list[list[str]]:
    """Rows of a table whose head begins so: cells between tabs, down to the first line without one."""
    lines = text[text.index(f"{first}\t") :].split("\n")
    rows = [line.split("\t") for line in lines]
    return rows[1 : next(i for i, row in enumerate(rows) if len(row) == 1)]


def one_page(text: str) -> list[Page]:
    return [
        Page("x", "https://service-x.example/regions", (text,), tier=Tier.OFFICIAL),
        Page("y", "https://registry.example.org/services", ("Registry.", "Service X is available in Taiwan.", "End.")),
    ]


@pytest.mark.parametrize("shift", [0, 1, -1])
def test_the_edge_that_the_seed_prints_holds_where_its_offsets_say(seeds: dict[str, str], shift: int) -> None:
    """R009, R010, R012, R013: 8167 - 8134 = 33 = the length of the quote, half-open; one off is drifted (R091)."""
    example = json_in(seeds["000"], "quote_start and quote_end point into")
    claim, edge = example["claim"], example["evidence"][0]
    start, end = edge["quote_start"], edge["quote_end"]
    assert end - start == len(edge["quote"]) == 33
    filler = ("Region lists change. " * 400)[: start - 1] + "\n"
    page = one_page(filler + edge["quote"])
    forgery = Forgery(
        page,
        [ClaimPlan(claim["id"], claim["text"], Importance(claim["importance"]), status=Verdict(claim["status"]))],
        [EdgePlan(claim["id"], "x", 0, Support(edge["support"])), EdgePlan(claim["id"], "y", 1)],
    )

    def put(forgery: Forgery) -> None:
        first = forgery.edge("ev-001")
        place(first, forgery.text_of(first), start, end)
        first |= {"quote_start": start + shift, "quote_end": end + shift}
        forgery.judge(first)

    result, found = checked(forgery, put)
    drifted = {"bundle.quote-drifted", "claim.status-differs", "claim.not-supported"}
    assert errors(found) == (drifted if shift else set())
    assert result.derived.verdicts[0].verdict == (claim["status"] if shift == 0 else "single-source")


MATRIX = re.compile(r"`(full|partial|no_support|contradicts)`")


def test_the_claim_source_matrix_gives_its_own_verdicts(seeds: dict[str, str]) -> None:
    """R076, R077, X15, X30: c-01 is ordinary, c-02 critical; c-03 is conflicted, whatever supports it."""
    rows = table(seeds["001"], "Claim")
    assert len(rows) == 3
    importance = {"c-01": Importance.ORDINARY, "c-02": Importance.CRITICAL, "c-03": Importance.ORDINARY}
    claims, edges, wanted = [], [], {}
    for row in rows:
        (identifier,) = re.findall(r"c-\d\d", row[0])
        wanted[identifier] = row[3].strip()
        claims.append(
            ClaimPlan(identifier, f"Claim {identifier}.", importance[identifier], status=Verdict(wanted[identifier]))
        )
        for name, cell in zip(("guide", "lab"), row[1:3], strict=True):
            (support,) = MATRIX.findall(cell)
            edges.append(EdgePlan(identifier, name, 1, Support(support)))
    forgery = Forgery(claims=claims, edges=[*edges, EdgePlan("c-03", "story", 1), EdgePlan("c-03", "list", 1)])
    result, found = checked(forgery, lambda f: f.document.update(arbitrations=[]))
    assert {v.claim_id: v.verdict.value for v in result.derived.verdicts} == wanted
    assert errors(found) == {"claim.not-supported"}, "c-02 needs a second group"
    assert "claim.conflicted" in {finding.code for finding in found.findings}


def test_the_printed_gate_lets_a_contradiction_pass_and_this_one_does_not(
    seeds: dict[str, str], seed_gate: Callable[[Path], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """X14, X16, X17, X32: what the seed's own program says `ok` to."""
    claims = [ClaimPlan("c-03", "p95 latency is lower.", Importance.CRITICAL, status=Verdict.CONFLICTED)]
    edges = [
        EdgePlan("c-03", "guide", 1),
        EdgePlan("c-03", "lab", 1),
        EdgePlan("c-03", "story", 1, Support.CONTRADICTS),
    ]

    def disputed(forgery: Forgery) -> None:
        forgery.document["arbitrations"] = []

    pages = [page for page in Forgery().pages if page.name != "list"]
    forgery = Forgery(pages, claims, edges)
    result, found = checked(forgery, disputed)
    for name, data in forgery.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    printed = seed_gate(tmp_path)
    assert (printed.returncode, printed.stdout.strip()) == (0, "citation bundle: ok")
    assert errors(found) == {"claim.conflicted"}
    assert result.derived.verdicts[0].verdict == "conflicted"


def test_the_printed_gates_messages_are_findings_here(
    seed_gate: Callable[[Path], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """R089, R090, R091, R092, R093, R094: all messages, a line each; and what is said of the same here."""

    def spoil(forgery: Forgery) -> None:
        forgery.edge("ev-001")["quote_start"] += 1
        forgery.edge("ev-009")["snapshot_id"] = forgery.edge("ev-009")["snapshot_id"].replace("2026", "2025")
        next(s for s in forgery.document["snapshots"] if "links" in s["final_url"])["text_sha256"] = "0" * 64

    forgery = Forgery()
    _, found = checked(forgery, spoil)
    for name, data in forgery.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    printed = seed_gate(tmp_path)
    assert printed.returncode != 0
    said = {line.partition(": ")[2] for line in printed.stderr.splitlines()}
    assert {"quote span drifted", "missing snapshot", "snapshot digest mismatch"} <= said
    assert {"bundle.quote-drifted", "bundle.unknown-reference", "text.digest-differs"} <= errors(found)


def test_a_chunk_whose_offsets_are_longer_than_its_text_is_drifted(seeds: dict[str, str]) -> None:
    """X11, X12: the source-map document prints 842 to 921 for a text of 75 characters. With right offsets it holds."""
    chunk = json_in(seeds["004"], "Convert each source into citeable chunks")
    text, start, end = chunk["text"], chunk["char_start"], chunk["char_end"]
    assert (len(text), end - start) == (75, 79)
    filler = ("Ranking is explained below. " * 40)[: start - 1] + "\n"
    claims = [ClaimPlan("c-01", "Documents are scored by similarity and freshness.")]
    pages = [Page("x", "https://docs.example.com/search", (filler + text, "More of it."), tier=Tier.OFFICIAL)]

    def put(last: int) -> Edit:
        def edit(forgery: Forgery) -> None:
            edge = forgery.edge("ev-001")
            place(edge, forgery.text_of(edge), start, start + len(text))
            edge["quote_end"] = last
            forgery.judge(edge)

        return edit

    edges = [EdgePlan("c-01", "x", 0)]
    assert errors(checked(Forgery(pages, claims, edges), put(start + len(text)))[1]) == set()
    assert "bundle.quote-drifted" in errors(checked(Forgery(pages, claims, edges), put(end))[1])


def test_the_citation_span_that_the_document_prints_is_off_by_three(seeds: dict[str, str]) -> None:
    """X12: 83 to 88 for a marker at 86 to 91. An answer is a text, and a marker a quote: the same rule says so."""
    parsed = json_in(seeds["004"], "Parse citations from the final answer")
    answer, span = parsed["answer"], parsed["citation_spans"][0]
    marker = f"[{span['citation']}]"
    pages = [Page("x", "https://docs.example.com/answer", (answer, "The end of it."))]
    claims, edges = [ClaimPlan("c-01", "A marker stands there.")], [EdgePlan("c-01", "x", 0)]

    def put(start: int, end: int) -> Edit:
        def edit(forgery: Forgery) -> None:
            edge = forgery.edge("ev-001")
            at = answer.index(marker)
            place(edge, forgery.text_of(edge), at, at + len(marker))
            edge |= {"quote_start": start, "quote_end": end}
            forgery.judge(edge)

        return edit

    assert (span["start"], span["end"]) == (83, 88)
    assert "bundle.quote-drifted" in errors(checked(Forgery(pages, claims, edges), put(83, 88))[1])
    assert "bundle.quote-drifted" not in errors(checked(Forgery(pages, claims, edges), put(86, 91))[1])


def test_the_table_of_tiers_names_the_tiers_that_there_are(seeds: dict[str, str]) -> None:
    """R063, X30. What each may carry: test_verdicts_and_sources.py."""
    assert [re.sub(r"\W", "", row[0]) for row in table(seeds["001"], "Tier")] == [tier.value for tier in Tier]


def test_the_table_of_fingerprints_names_what_a_snapshot_and_its_leaf_bind(seeds: dict[str, str]) -> None:
    """R052, R053, R054, R055, X30: content as received, normalised text, its shingles; none is called `hash`."""
    names = [row[0].strip("`") for row in table(seeds["001"], "欄位")]
    assert names == ["raw_sha256", "text_sha256", "near_dup_hash"]
    forgery = Forgery().made()
    snapshot = forgery.document["snapshots"][0]
    leaf = snapshot["inclusion"]["leaf"]
    assert snapshot["raw_sha256"] == snapshot["content_sha256"] == leaf["content_sha256"]
    assert snapshot["text_sha256"] == leaf["text_sha256"]
    assert {"fingerprint_params", "minhash_sha256"} <= set(leaf)
    _, found = checked(Forgery(), lambda f: f.document["snapshots"][0].update(text_sha256="0" * 64))
    assert {"text.digest-differs", "leaf.differs"} <= errors(found)
