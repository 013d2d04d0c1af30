"""`--re-extract`: the archive's own extractor, as a program beside the checker, makes each text again."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.bombs import pdfs
from validator.bundle import check_bundle
from validator.cli import main
from validator.found import Found
from validator.reextract import Again, ReExtractor
from validator.selftest import capture
from validator.selftest.files import Files
from validator.selftest.forgery import Forgery, Stage
from validator.selftest.signing import AUTHOR, PUBLISHER
from validator.settings import RefusedInputError, Settings


@pytest.fixture(scope="module")
def extractor() -> Iterator[ReExtractor]:
    with ExitStack() as scratch:
        yield ReExtractor(scratch)


def plain(forgery: Forgery) -> None:
    """Pages whose whole text an extractor finds: paragraphs of some length."""
    forgery.pages = [
        replace(
            page,
            headed=False,
            sentences=tuple(f"{s} And more is said of it in the same place, at length." for s in page.sentences),
        )
        for page in forgery.pages
    ]


def invented(forgery: Forgery) -> None:
    """One text has a sentence that its page does not show."""
    plain(forgery)
    page = forgery.pages[0]
    forgery.pages[0] = replace(page, shown=page.sentences[:-1])


def ascribed(forgery: Forgery) -> None:
    """The archive, and so the leaf, names a title that the page does not have."""
    forgery.snapshots["story"]["title"] = "Another title"


def checked(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    edit: Callable[[Forgery], None] = plain,
    then: Callable[[Forgery], None] | None = None,
) -> Found:
    """A bundle whose snapshots name this extractor; `then` is an edit of the snapshots."""
    monkeypatch.setattr(capture, "EXTRACTOR", name)
    found = Found()
    settings = Settings(deep=True, re_extract=True, trusted=PUBLISHER.trusted, trusted_authors=AUTHOR.trusted)
    forgery = Forgery()
    edit(forgery)
    check_bundle(Files(forgery.made(Stage.SNAPSHOTS, then).files), settings, found)
    return found


def codes(found: Found) -> set[str]:
    """Of errors; the options of the extractor are not in the forged bundle, which is told besides."""
    return {f.code for f in found.findings if f.severity == "error"} - {"bundle.policy-digest"}


def test_the_child_answers_with_text_and_id(extractor: ReExtractor) -> None:
    page = b"<html><body><p>" + b"A sentence that is long enough to be a text. " * 5 + b"</p></body></html>"
    made = extractor.extract(page, "text/html", "2026-08-22")
    assert isinstance(made, Again)
    assert made.extractor.startswith("trafilatura@")
    assert "long enough to be a text" in made.text
    assert extractor.extract(page, "text/html", "2026-08-22") == made
    assert isinstance(extractor.extract(b"%PDF-1.7", "application/pdf", "2026-08-22"), str)
    pdf = extractor.extract(pdfs.text_document([["The barrier has fourteen gates."]]), "application/pdf", "2026-08-22")
    assert isinstance(pdf, Again)
    assert (pdf.text.strip(), pdf.extractor.partition("@")[0]) == ("The barrier has fourteen gates.", "pypdfium2")


@pytest.mark.parametrize(("edit", "told"), [(plain, set()), (invented, {"extraction.differs"})])
def test_the_same_extractor_makes_the_same_texts_or_it_is_told(
    edit: Callable[[Forgery], None], told: set[str], extractor: ReExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = extractor.extract(b"<html><body><p>x</p></body></html>", "text/html", "2026-08-22")
    assert isinstance(made, Again)
    found = checked(made.extractor, monkeypatch, edit)
    assert (found.checked["texts made again"], codes(found) - {"bundle.quote-not-in-payload"}) == (7, told)


def test_what_the_page_says_of_itself_is_read_again(extractor: ReExtractor, monkeypatch: pytest.MonkeyPatch) -> None:
    """R081: a title or author that the page does not have is an error even where a leaf promises it."""
    made = extractor.extract(b"<html><body><p>x</p></body></html>", "text/html", "2026-08-22")
    assert isinstance(made, Again)
    told = [f for f in checked(made.extractor, monkeypatch, then=ascribed).findings if f.severity == "error"]
    told = [f for f in told if f.code != "bundle.policy-digest"]
    assert [(f.code, f.pointer) for f in told] == [("extraction.field-differs", "/snapshots/1/title")]


def test_another_extractor_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = checked("plain@1", monkeypatch)
    told = [f for f in found.findings if f.code == "extraction.unrepeatable"]
    assert (len(told), found.checked["texts made again"], codes(found)) == (7, 0, set())
    assert found.inconclusive


def test_it_asks_for_deep(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", str(tmp_path), "--re-extract"]) == 2
    assert "--deep" in capfd.readouterr().err


def test_without_the_archive_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.reextract.find_spec", lambda _: None)
    with ExitStack() as scratch, pytest.raises(RefusedInputError, match=r"\[archive\]"):
        ReExtractor(scratch)


def test_the_checker_never_imports_the_extractor() -> None:
    code = "import sys, validator.cli; print(sorted({m.partition('.')[0] for m in sys.modules}))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert not {"workers", "trafilatura", "lxml"} & set(ast.literal_eval(ran.stdout))
