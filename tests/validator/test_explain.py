"""`explain`: the chain of one quote, link by link; a broken link is named, and only it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from validator.cli import main

LINKS = ["quote", "judgement", "text", "conversion", "payload", "record", "leaf", "inclusion", "head"]


@pytest.fixture
def explained(
    make_bundle: Callable[..., Path], key_files: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, dict[str, Any]]]:
    def run(edits: dict[str, Any] | None = None, evidence: str = "ev-002") -> tuple[int, dict[str, Any]]:
        root = make_bundle(edits)
        code = main(["explain", str(root), evidence, "--trust", key_files["both"], "--format", "json"])
        return code, json.loads(capfd.readouterr().out)

    return run


def states(chain: dict[str, Any]) -> dict[str, str]:
    return {link["name"]: link["state"] for link in chain["links"]}


@pytest.mark.parametrize("evidence", ["ev-001", "ev-002", "ev-003", "ev-006", "ev-008"])
def test_every_link_of_a_good_quote_holds(evidence: str, explained: Callable[..., Any]) -> None:
    code, chain = explained(evidence=evidence)
    assert (code, list(states(chain))) == (0, LINKS)
    assert set(states(chain).values()) == {"holds"}
    facts = {link["name"]: link["facts"] for link in chain["links"]}
    assert facts["text"]["text_sha256"] == facts["conversion"]["block_sha256"]
    assert len(facts["leaf"]["leaf hash"]) == len(facts["head"]["head_sha256"]) == 64


def quote(world: Any) -> None:
    edge = world.edge("ev-002")
    edge["quote"] = edge["quote"].replace("is fast", "is not fast")
    world.judge(edge)


def judgement(world: Any) -> None:
    world.document["judgements"][1]["inputs_sha256"] = "0" * 64


def text(world: Any) -> None:
    path = f"texts/{world.snapshots['b']['id']}.txt"
    world.files[path] = world.files[path].replace(b"40", b"41")


def payload(world: Any) -> None:
    page = world.page("b")
    page.html = page.body.decode().replace("northern", "southern")


def record(world: Any) -> None:
    stored = next(r for r in world.records["b"] if r.role == "request")
    stored.data = stored.data[:-4]


def leaf(world: Any) -> None:
    world.leaves["b"]["http_status"] = 404


def inclusion(world: Any) -> None:
    world.document["snapshots"][1]["inclusion"]["hashes"].pop()


def head(world: Any) -> None:
    world.files["manifest/0000000001.json"] += b"\n"


@pytest.mark.parametrize(
    ("stage", "edit", "broken"),
    [
        ("document", quote, {"quote", "payload"}),
        ("document", judgement, {"judgement"}),
        ("files", text, {"text", "conversion"}),
        ("pages", payload, {"quote", "payload"}),
        ("records", record, {"record"}),
        ("leaves", leaf, {"leaf", "record"}),
        ("document", inclusion, {"inclusion"}),
        ("files", head, {"head"}),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_link_that_was_broken_is_named(
    stage: str, edit: Any, broken: set[str], explained: Callable[..., Any]
) -> None:
    code, chain = explained({stage: edit})
    assert code == 1
    found = {name for name, state in states(chain).items() if state != "holds"}
    assert found
    assert found <= broken


def test_what_is_wrong_with_another_quote_breaks_nothing_here(explained: Callable[..., Any]) -> None:
    code, chain = explained({"document": quote}, evidence="ev-001")
    assert (code, set(states(chain).values())) == (0, {"holds"})


def test_a_pdf_that_two_quotes_stand_in_is_told_once_and_what_can_be_done(explained: Callable[..., Any]) -> None:
    def pdf(world: Any) -> None:
        world.page("a").content_type = "application/pdf"

    code, chain = explained({"pages": pdf}, evidence="ev-001")
    (link,) = [link for link in chain["links"] if link["name"] == "payload"]
    (finding,) = link["findings"]
    assert (code, link["state"], finding["code"]) == (3, "open", "payload.unreadable-type")
    assert "It is a PDF, which this program has no reader for" in finding["message"]
    assert "--re-extract" in finding["next_step"]


def test_an_unknown_quote_is_bad_input(make_bundle: Callable[..., Path], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(make_bundle()), "ev-999"]) == 2
    assert "ev-001" in capfd.readouterr().err


def test_the_text_form_names_every_digest(
    make_bundle: Callable[..., Path], key_files: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(make_bundle()), "ev-002", "--trust", key_files["both"]]) == 0
    out = capfd.readouterr().out
    assert [line.partition(":")[0] for line in out.splitlines() if line.endswith(": holds")] == LINKS
    for name in ("quote_sha256", "text_sha256", "decoded_sha256", "content_sha256", "root_sha256", "head_sha256"):
        assert f"    {name}: " in out
