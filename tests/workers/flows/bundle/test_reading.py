"""What was read, and how well, decides what may be cited: failed reads never, a page of a PDF by its number."""

from __future__ import annotations

import pytest

from deploy.bombs import pdfs
from workers.flows.bundle import BuiltBundle

QUOTE = "The barrier consists of fourteen gates"
SENTENCE = f"{QUOTE}, each as wide as a street is long."
WALLS = {
    "blocked": f"<title>Just a moment...</title><p>{SENTENCE} Checking your browser.</p>",
    "soft_404": f"<title>Page not found</title><h1>Page not found</h1><p>{SENTENCE}</p>",
    "paywall": f"<title>Gates</title><article><p>{SENTENCE}</p><p>Subscribe to continue reading.</p></article>",
    "empty": "<title>Gates</title><div id=root></div><noscript>Please enable JavaScript.</noscript>",
    "extract_failed": "%PDF-1.7 damaged",
    "unsupported_type": "GIF89a",
}
TYPES = {"extract_failed": "application/pdf", "unsupported_type": "image/gif"}


@pytest.mark.parametrize("status", WALLS)
def test_x18_a_failed_read_is_refused_by_the_check_of_a_draft(on_archive, page, draft, status: str):
    kind = TYPES.get(status, "text/html; charset=utf-8")
    failed = page("https://wall.example/", [], content_type=kind, payload=WALLS[status].encode())
    report = draft([("c-001", "ordinary")], [("c-001", failed.url, QUOTE, "full")])

    async def scenario(archive):
        (line,) = await archive.archive(failed)
        return line, await archive.build(report)

    line, problems = on_archive(scenario)
    assert line.snapshot.reader_status == status
    (problem,) = problems
    assert problem.code == "draft.not-citeable"
    assert status in problem.message


def test_r078_a_quote_of_a_pdf_has_the_number_of_its_page(on_archive, page, draft):
    lines = [["Of barriers and their gates."], [SENTENCE, "It was closed twice in that year."], ["The end of it."]]
    document = page(
        "https://gates.example/r.pdf", [], content_type="application/pdf", payload=pdfs.text_document(lines)
    )
    report = draft([("c-001", "ordinary")], [("c-001", document.url, QUOTE, "full")])

    async def scenario(archive):
        (line,) = await archive.archive(document)
        return line, await archive.build(report)

    line, built = on_archive(scenario)
    assert line.pages[0] == 0
    assert len(line.pages) == 3
    assert isinstance(built, BuiltBundle), built
    (edge,) = built.bundle.evidence
    assert (edge.locator.page, edge.locator.paragraph) == (2, 2)
    assert any(policy.id.startswith("pypdfium2@") for policy in built.bundle.policies)


def test_the_page_that_a_draft_names_tells_two_places_apart(on_archive, page, draft):
    lines = [[SENTENCE], ["Something else stands here."], [SENTENCE]]
    document = page(
        "https://gates.example/r.pdf", [], content_type="application/pdf", payload=pdfs.text_document(lines)
    )
    report = draft([("c-001", "ordinary")], [("c-001", document.url, QUOTE, "full", {"page": 3})])

    async def scenario(archive):
        (line,) = await archive.archive(document)
        return line, await archive.build(report)

    line, built = on_archive(scenario)
    assert isinstance(built, BuiltBundle), built
    assert built.bundle.evidence[0].quote_start == line.pages[2]
