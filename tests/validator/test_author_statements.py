"""Every field of a bundle is held by something, or named as its author's word in the report (R001, R081, X16, X31)."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from schemas.canonical import canonical_bytes, sha256_hex
from schemas.findings import FindingKind
from schemas.records.manifest import BUNDLE_PREDICATE, BundlePredicate
from validator.bundle import check_bundle
from validator.cluster_edges import check_cluster_edges
from validator.found import Found
from validator.limits import LIMITS
from validator.report import as_text, bundle_report
from validator.selftest.files import Files
from validator.selftest.forgery import BUNDLE, SIGNATURE, Forgery, Stage
from validator.selftest.pages import PAGES
from validator.selftest.run import _settings
from validator.settings import RefusedInputError

Place = tuple[str | int, ...]


@pytest.fixture(scope="module")
def good() -> Forgery:
    """The self-test's bundle, of which one page says more of itself, so that it can be taken away."""

    def told(forgery: Forgery) -> None:
        forgery.snapshots["story"] |= {"language": "en", "published_at": "2026-08-20", "published_source": "meta"}
        forgery.snapshots["story"]["robots_directives"] = [
            {"source": "meta", "agent": None, "directive": "noarchive"},
        ]

    pages = [replace(page, author="A. Reporter") if page.name == "story" else page for page in PAGES]
    return Forgery(pages).made(Stage.SNAPSHOTS, told)


def _places(value: Any, at: Place = ()) -> Iterator[Place]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _places(inner, (*at, name))
        return
    yield at
    for index, inner in enumerate(value if isinstance(value, list) else ()):
        yield from _places(inner, (*at, index))


def _pattern(place: Place) -> str:
    return "".join("/*" if isinstance(token, int) else f"/{token}" for token in place)


def _others(value: Any) -> list[Any]:
    """Values of the same kind that say something else: of a list its first entry alone, nothing, one twice."""
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1]
        case str():
            return [f"{value}x"]
        case list():
            return [[], [*value, value[0]]] if value else []
        case _:
            return ["x", 7]


def _checked(good: Forgery, document: Any) -> int:
    """The exit for a document that its author has signed."""
    data = canonical_bytes(document)
    counts = {"claims": len(document["claims"]), "evidence": len(document["evidence"])}
    signed = BundlePredicate.model_construct(report=document["id"], created_at=document["created_at"], **counts)
    envelope = good.author.envelope(BUNDLE, sha256_hex(data), BUNDLE_PREDICATE, signed)
    found = Found()
    try:
        check_bundle(Files({**good.files, BUNDLE: data, SIGNATURE: envelope}), _settings(), found)
    except RefusedInputError:
        return 2
    return found.exit_code


def test_what_nothing_holds_is_named_as_the_authors_word(good: Forgery) -> None:
    """One field of each kind is changed, and the bundle signed anew: an error, a refusal, or it is told beforehand."""
    document = json.loads(good.files[BUNDLE])
    found = Found()
    report = bundle_report(check_bundle(Files(good.files), _settings(), found), _settings(), found)
    assert found.exit_code == 0
    first: dict[str, list[Place]] = {}
    for place in _places(document):
        if "leaf" in place:
            continue  # hashed as a whole
        first.setdefault(_pattern(place), []).append(place)
    unheld = set()
    for pattern, places in first.items():
        place = max(places, key=lambda p: (len(str(_at(document, p))), p[1:2] == (1,)))  # one that says something
        for other in _others(_at(document, place)):
            changed = copy.deepcopy(document)
            _at(changed, place[:-1])[place[-1]] = other
            if _checked(good, changed) == 0:
                unheld.add(pattern)
    named = {f"/{word}".replace("//", "/").removesuffix("/*") for word in report.unchecked}
    assert {p for p in unheld if not any(p == word or p.startswith(f"{word}/") for word in named)} == set()
    assert {"/snapshots/*/archive_url", "/judgements/*/rationale"} <= unheld
    assert "/snapshots/*/archive_url" in as_text(report)
    assert as_text(report).endswith("\nclean (exit 0)\n")
    found.add(FindingKind.CLAIM_FIGURE)
    warned = report.model_copy(update={"findings": tuple(found.findings)})
    assert as_text(warned).endswith("\nno errors, 1 warning (exit 0)\n")


def _at(document: Any, place: Place) -> Any:
    for token in place:
        document = document[token]
    return document


def test_an_outline_that_no_leaf_binds_is_told_as_unchecked() -> None:
    """R078: of an older log a heading cannot be looked up; that HTML has no pages is known all the same."""

    def older(forgery: Forgery) -> None:
        for name, leaf in forgery.leaves.items():
            del leaf["description_sha256"]
            forgery.snapshots[name]["headings"] = []

    forgery = Forgery().made(Stage.LEAVES, older)
    forgery.edit_document(lambda document: document["evidence"][1].update(locator={"page": 77}))
    found = Found()
    result = check_bundle(Files(forgery.files), _settings(), found)
    told = {(f.code, f.pointer) for f in found.findings if f.code.startswith(("leaf.", "bundle.locator"))}
    assert ("leaf.undescribed", "/snapshots") in told
    assert ("bundle.locator-unchecked", "/evidence/0/locator/heading") in told
    assert [place for code, place in told if code == "bundle.locator-differs"] == ["/evidence/1/locator/page"]
    unchecked = bundle_report(result, _settings(), found).unchecked
    assert {"/snapshots/*/title", "/snapshots/*/visit", "/snapshots/*/headings"} <= set(unchecked)


def test_texts_of_clusters_are_cut_within_a_bound(good: Forgery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.cluster_edges.LIMITS", replace(LIMITS, run_characters=10))
    found = Found()
    given = check_bundle(Files(good.files), _settings(), Found()).given
    check_cluster_edges(given, found)
    assert [(f.code, f.inconclusive) for f in found.findings] == [("cluster.edges-unchecked", True)]
