"""The demo's draft fits the demo's pages."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict

import pytest

from deploy.demo.draft import FIRST_BULLETIN, NOW, careless, filled, first_draft
from deploy.demo.sites import SEEDS, SITES
from schemas.reading import DocumentError, read_document
from schemas.records.claim import Importance, Support
from schemas.records.draft import Draft
from workers.cite.draft_check import check_draft
from workers.cite.locate import Span, locate_quote
from workers.extract.extraction import Extracted, ExtractionRequest
from workers.extract.pipeline import extract_payload

ORIGINS = {site.name: f"http://127.0.0.{number + 2}:8000" for number, site in enumerate(SITES)}
SNAPSHOT = "snap-0123456789ab-20261129T120000Z-01234567"


@pytest.fixture(scope="module")
def draft() -> Draft:
    text = filled({**ORIGINS, FIRST_BULLETIN: SNAPSHOT, NOW: "2026-11-29T12:00:00Z"})
    read = read_document(text.encode(), Draft)
    assert not isinstance(read, DocumentError), read
    return read


def text_at(url: str) -> str:
    """The extracted text of a page of the sample web, redirects followed."""
    origin = next(origin for origin in ORIGINS.values() if url.startswith(origin))
    name = next(name for name, given in ORIGINS.items() if given == origin)
    site = next(site for site in SITES if site.name == name)
    path = url.removeprefix(origin).partition("?")[0]
    page = site.pages[path]
    while page.location:
        page = site.pages[page.location]
    body = page.body(0)
    data = gzip.decompress(body) if page.gzipped else body
    request = ExtractionRequest(content_type=f"text/html; charset={page.charset}", retrieved_on="2026-11-29")
    found = extract_payload(data, request)
    assert isinstance(found, Extracted)
    return found.text


def test_the_draft_reads_and_has_no_problem(draft: Draft) -> None:
    assert check_draft(draft) == []


def test_every_quote_stands_exactly_once_in_its_page(draft: Draft) -> None:
    first = read_document(first_draft(ORIGINS).encode(), Draft)
    assert isinstance(first, Draft), first
    for edge in (*draft.evidence, *first.evidence):
        url = edge.url or ORIGINS["authority"] + "/status"
        assert isinstance(locate_quote(text_at(url), edge.quote), Span), (url, edge.quote)


def test_every_cited_page_is_among_the_seeds(draft: Draft) -> None:
    seeds = {ORIGINS[site] + path.partition("?")[0] for site, path in SEEDS}
    assert {edge.url.partition("?")[0] for edge in draft.evidence if edge.url} <= seeds


def test_critical_claims_have_full_support_on_two_hosts_that_do_not_copy_each_other(draft: Draft) -> None:
    story = {ORIGINS[name] for name in ("courier", "portal", "daily")}
    groups = defaultdict(set)
    for edge in draft.evidence:
        if edge.support is Support.FULL and edge.url:
            origin = "/".join(edge.url.split("/", 3)[:3])
            groups[edge.claim_id].add("story" if origin in story else origin)
    critical = [claim.id for claim in draft.claims if claim.importance is Importance.CRITICAL]
    assert len(critical) >= 3
    assert all(len(groups[claim]) >= 2 for claim in critical)


def test_the_contradiction_is_arbitrated(draft: Draft) -> None:
    contradicting = [
        f"ev-{number:03d}" for number, edge in enumerate(draft.evidence, 1) if edge.support is Support.CONTRADICTS
    ]
    assert [name for arbitration in draft.arbitrations for name in arbitration.evidence_ids] == contradicting != []


def test_the_careless_draft_is_a_good_draft_of_a_sentence_that_is_gone() -> None:
    text = careless(ORIGINS["authority"])
    read = read_document(text.encode(), Draft)
    assert isinstance(read, Draft)
    (edge,) = read.evidence
    page = next(site for site in SITES if site.name == "authority").pages["/status"]
    assert edge.quote in page.body(0).decode()
    assert edge.quote not in page.body(1).decode()
    assert json.loads(text)["claims"]
