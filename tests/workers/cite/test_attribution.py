"""R099: evidence, extractor, normalizer, URL policy, cluster, checker and gate are told apart as causes of a change."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from schemas.canonical import canonical_bytes
from schemas.reading import read_document
from schemas.records.bundle import Bundle
from schemas.records.comparison import Cause
from validator.selftest.forgery import Forgery
from workers.cite.attribution import compare_bundles

Edit = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """c-01 is critical and has full edges of three groups; c-05 is ordinary and has one edge, ev-009."""
    return Forgery().made().document


def entry(document: dict[str, Any], name: str, identifier: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in document[name] if each["id"] == identifier)
    return found


def status(claim: str, value: str) -> Edit:
    return lambda document: entry(document, "claims", claim).update(status=value)


def support(edge: str, value: str, checker: str = "human@1") -> Edit:
    def edit(document: dict[str, Any]) -> None:
        found = entry(document, "evidence", edge)
        found.update(support=value, checker_version=checker)
        entry(document, "judgements", found["judgement_id"]).update(support=value, checker_version=checker)

    return edit


def snapshot_of(edge: str, **fields: object) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        entry(document, "snapshots", entry(document, "evidence", edge)["snapshot_id"]).update(fields)

    return edit


def group(name: str, *edges: str) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        for edge in edges:
            entry(document, "evidence", edge)["independence_group"] = name

    return edit


def tier(value: str, *edges: str) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        for edge in edges:
            entry(document, "sources", entry(document, "evidence", edge)["source_id"])["tier"]["tier"] = value

    return edit


def without(edge: str) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        document["evidence"] = [each for each in document["evidence"] if each["id"] != edge]

    return edit


def read_anew(**fields: object) -> list[Edit]:
    """The page of ev-009 gives another text, which no longer supports its claim."""
    text = snapshot_of("ev-009", text_sha256="e" * 64, **fields)
    return [text, support("ev-009", "no_support"), status("c-05", "unsupported")]


ALL = ("ev-001", "ev-002", "ev-003")
CASES: dict[str, tuple[str, list[Edit], tuple[Cause, ...]]] = {
    "nothing": ("c-05", [], ()),
    "judged otherwise": ("c-05", [support("ev-009", "partial"), status("c-05", "partial")], (Cause.CHECKER,)),
    "judged by another, alike": ("c-05", [support("ev-009", "full", "chat@1+0a1b2c3d")], ()),
    "evidence gone": ("c-05", [without("ev-009"), status("c-05", "uncited")], (Cause.EVIDENCE,)),
    "another payload": ("c-05", read_anew(decoded_sha256="d" * 64), (Cause.EVIDENCE,)),
    "another extractor": ("c-05", read_anew(extractor="other@2"), (Cause.EXTRACTOR,)),
    "another normalizer": ("c-05", read_anew(normalizer="text-v2"), (Cause.NORMALIZER,)),
    "one group": ("c-01", [group("cluster:cl-0", *ALL), status("c-01", "single-source")], (Cause.CLUSTER,)),
    "one identity": (
        "c-01",
        [
            *(snapshot_of(e, url_policy="conservative@2", normalized_url="https://one.example/") for e in ALL),
            group("site:one.example", *ALL),
            status("c-01", "single-source"),
        ],
        (Cause.URL_POLICY,),
    ),
    "aggregators": ("c-01", [tier("aggregator", *ALL), status("c-01", "unsupported")], (Cause.GATE,)),
    "other rules": ("c-05", [status("c-05", "unsupported")], (Cause.GATE,)),
    "two together": (
        "c-01",
        [support("ev-001", "partial"), group("cluster:cl-0", "ev-002", "ev-003"), status("c-01", "single-source")],
        (Cause.CLUSTER, Cause.CHECKER),
    ),
    "no longer set aside": (
        "c-03",
        [lambda document: document.update(arbitrations=[]), status("c-03", "conflicted")],
        (Cause.EVIDENCE,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_changed_verdict_is_put_down_to_what_changed_it(name: str, document: dict[str, Any]) -> None:
    """R099."""
    claim_id, edits, causes = CASES[name]
    later = copy.deepcopy(document)
    for edit in edits:
        edit(later)
    found = compare_bundles(read(document), "a" * 64, read(later), "b" * 64)
    claim = next(claim for claim in found.claims if claim.claim_id == claim_id)
    assert (claim.causes, claim.cause) == (causes, causes[0] if causes else Cause.NONE)
    assert {other.cause for other in found.claims if other.before is other.after} <= {Cause.NONE}
    assert bool(claim.edges) == (len(edits) > (1 if causes else 0)), "every difference is told"
    assert compare_bundles(read(later), "b" * 64, read(later), "b" * 64).claims[0].edges == ()


def test_a_claim_that_is_new_or_gone_is_told(document: dict[str, Any]) -> None:
    """R099, R075: nothing vanishes between two bundles."""
    later = copy.deepcopy(document)
    later["claims"] = [claim for claim in later["claims"] if claim["id"] != "c-05"]
    found = compare_bundles(read(document), "a" * 64, read(later), "b" * 64).claims[-1]
    assert (found.claim_id, found.after, found.cause) == ("c-05", None, Cause.EVIDENCE)


def read(document: dict[str, Any]) -> Bundle:
    bundle = read_document(canonical_bytes(document), Bundle)
    assert isinstance(bundle, Bundle)
    return bundle
