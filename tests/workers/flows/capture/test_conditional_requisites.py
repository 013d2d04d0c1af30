"""A page that is unchanged still needs what it needs, and that may be unchanged, too."""

from __future__ import annotations

import pytest

from schemas.records.job import JobOptions
from schemas.records.outcome import Outcome

pytestmark = pytest.mark.real
WITH = JobOptions(requisites=True)
ETAG = 'ETag: "v1"'


def served(server, whole, unchanged, **changed):
    """A page with a sheet that names an image; each of them answers 304 to what it gave first, unless it changed."""
    bodies = {
        "/page": b"<!doctype html><link rel=stylesheet href=main.css><p>The page itself.</p>",
        "/main.css": b"p { background: url(bg.gif) }",
        "/bg.gif": b"GIF89a\x01\x00\x01\x00\x80\x00\x00",
    }
    types = {"/page": "text/html", "/main.css": "text/css", "/bg.gif": "image/gif"}

    def answer(path):
        full = whole(bodies[path], ETAG).replace(b"text/html; charset=utf-8", types[path].encode())
        return lambda asked: unchanged(ETAG) if asked.conditions[0] == '"v1"' else full

    for path in bodies:
        server.says(path, answer(path))
    return server.url + "/page"


def outcomes(receipt):
    return {requisite.url.rpartition("/")[2]: requisite.outcome for requisite in receipt.requisites}


def test_an_unchanged_page_has_its_requisites_looked_for_in_its_original(visiting, server, whole, unchanged):
    """And an unchanged sheet in its own: the second visit takes no body over the wire and is complete all the same."""
    url = served(server, whole, unchanged)

    async def scenario(visits):
        for _ in range(2):
            await visits.visit(url, options=WITH)
        return visits.receipts

    first, second = visiting(scenario)
    assert outcomes(first) == {"main.css": Outcome.CAPTURED, "bg.gif": Outcome.CAPTURED}
    assert second.outcomes[0].outcome is Outcome.NOT_MODIFIED
    assert outcomes(second) == {"main.css": Outcome.NOT_MODIFIED, "bg.gif": Outcome.NOT_MODIFIED}
    originals = {each.url: each.hops[0].record("response").record_id for each in first.requisites}
    assert {each.url: each.hops[0].refers_to for each in second.requisites} == originals
    assert second.requisites[0].page_record == second.outcomes[0].hops[0].record("revisit").record_id


def test_a_requisite_whose_server_lies_is_fetched_again_and_told_of(visiting, server, whole, unchanged):
    url = served(server, whole, unchanged)

    async def scenario(visits):
        await visits.visit(url, options=WITH)
        server.says("/bg.gif", unchanged('ETag: "other"'), whole(b"GIF89a another", 'ETag: "other"'))
        await visits.visit(url, options=WITH)
        return visits.receipts[-1]

    receipt = visiting(scenario)
    (image,) = [each for each in receipt.requisites if each.url.endswith("gif")]
    assert [hop.http_status for hop in image.hops] == [304, 200]
    assert image.outcome is Outcome.CAPTURED
    assert "its ETag is another one" in image.remarks[0]


def test_a_fresh_job_takes_requisites_in_full(visiting, server, whole, unchanged):
    url = served(server, whole, unchanged)

    async def scenario(visits):
        await visits.visit(url, options=WITH)
        await visits.visit(url, options=JobOptions(requisites=True, fresh=True))
        return visits.receipts[-1]

    assert set(outcomes(visiting(scenario)).values()) == {Outcome.REVISIT}
