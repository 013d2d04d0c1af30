"""What users of other citation systems complained about, as far as a checker of bundles can be asked: each row by its
number, with what this one says."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from schemas.text_v1 import normalize
from validator.bundle import check_bundle
from validator.found import Found
from validator.selftest.document import ClaimPlan, EdgePlan, place
from validator.selftest.files import Files
from validator.selftest.forgery import BUNDLE, Forgery, Stage
from validator.selftest.pages import Page
from validator.selftest.signing import AUTHOR, PUBLISHER
from validator.settings import RefusedInputError, Settings

Edit = Callable[[Forgery], object]


def codes(pages: list[str], edit: Edit | None = None, *, deep: bool = True) -> set[str]:
    """Errors and warnings of a bundle with one ordinary claim and a quote: the second line of the first page."""
    forgery = Forgery(
        [Page(f"p{n}", f"https://site{n}.example/", tuple(text.split("\n"))) for n, text in enumerate(pages)],
        [ClaimPlan("c-01", "It is said there.")],
        [EdgePlan("c-01", f"p{n}", 1) for n in range(len(pages))],
    ).made(Stage.DOCUMENT, edit)
    return findings(forgery, deep=deep)


def findings(forgery: Forgery, *, deep: bool = True) -> set[str]:
    found = Found()
    settings = Settings(deep=deep, trusted=PUBLISHER.trusted, trusted_authors=AUTHOR.trusted)
    check_bundle(Files(forgery.files), settings, found)
    return {f.code for f in found.findings if f.severity != "note"}


def requoted(quote: str) -> Edit:
    """The author quotes this where the text has something else."""

    def edit(forgery: Forgery) -> None:
        edge = forgery.edge("ev-001")
        edge["quote"] = quote
        forgery.judge(edge)

    return edit


NEVER = [
    ("p < 0.05 was found.", "p > 0.05 was found."),
    ("It fell to -5 degrees.", "It fell to 5 degrees."),
    ("It costs $5 in the shop.", "It costs €5 in the shop."),
    ("A loss of 10% is usual.", "A loss of 10 is usual."),
    ("It grew 1.5 times since.", "It grew 15 times since."),
    ("It is not sold abroad.", "It is sold abroad."),
    ("It opened in 2025 or so.", "It opened in 2026 or so."),
    ("The area is x² in all.", "The area is x2 in all."),
    ("First this, then that.", "then that. First this,"),
    ("the [2Fe-2S] cluster is", "the cluster is"),
    ("95% CI [1.3-1.7] found", "95% CI found"),
    ("“quoted” words stand here", '"quoted" words stand here'),
    ("wait… for the rest of it", "wait... for the rest of it"),
]


@pytest.mark.parametrize(("text", "quote"), NEVER)
def test_what_is_stored_as_a_quote_is_the_text_to_the_code_point(text: str, quote: str) -> None:
    """C21, C23: signs, comparators, currency, percent, decimals, negation, years, superscripts, brackets. What may be
    told from each other by eye alone is matched by whoever builds the bundle, and stored as the text has it."""
    assert codes([f"Head.\n{text}\nEnd."]) == set()
    assert "bundle.quote-drifted" in codes([f"Head.\n{text}\nEnd."], requoted(quote))


def test_offsets_are_code_points_and_say_so() -> None:
    """C17: four faces before the quote are four, not eight; another unit is no bundle of this version."""
    page = "🤔🤔🤔🤔:thinking aloud\nWe were thinking of it.\nEnd."

    def utf16(forgery: Forgery) -> None:
        edge = forgery.edge("ev-001")
        edge |= {"quote_start": edge["quote_start"] + 4, "quote_end": edge["quote_end"] + 4}

    def unit(forgery: Forgery) -> None:
        forgery.document["offset_unit"] = "utf16_code_unit"

    assert codes([page]) == set()
    assert "bundle.quote-drifted" in codes([page], utf16)
    with pytest.raises(RefusedInputError, match="/offset_unit"):
        codes([page], unit)


def test_a_quote_whose_span_covers_two_of_its_characters_is_not_anchored() -> None:
    """C19."""
    page = "題\n東京は日本の首都であると書いてある\n終"

    def partial(forgery: Forgery) -> None:
        edge = forgery.edge("ev-001")
        edge["quote_end"] = edge["quote_start"] + 2

    assert codes([page]) == set()
    assert "bundle.quote-drifted" in codes([page], partial)


def test_a_figure_that_the_page_does_not_have_is_told() -> None:
    """C07: a real address, an exact quote, and a number that stands in neither."""

    def claims(forgery: Forgery) -> None:
        forgery.document["claims"][0]["text"] = "Sales rose by 17 percent."
        forgery.judge(forgery.edge("ev-001"))

    assert codes(["Head.\nSales rose by 12 percent last year.\nEnd."], claims) == {"claim.figure-not-quoted"}


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("It shows 214 ship models and opened in 1987.", set()),
        ("博物館は214点の模型を展示している。", set()),
        ("博物館は999点の模型を展示している。", {"claim.figure-not-quoted"}),
    ],
)
def test_a_figure_that_a_word_is_written_onto_is_read_in_claim_and_quote(claim: str, told: set[str]) -> None:
    """C07, in a script without blanks."""

    def claims(forgery: Forgery) -> None:
        forgery.document["claims"][0]["text"] = claim
        forgery.judge(forgery.edge("ev-001"))

    page = "題\n同館は1987年5月3日に開館し、九つの部屋に214点の船舶模型を展示しています\n終"
    assert codes([page], claims) & {"claim.figure-not-quoted"} == told


def test_two_passages_of_one_source_are_two_pieces_of_evidence() -> None:
    """C15: sources are deduplicated, evidence never."""

    def second(forgery: Forgery) -> None:
        edge = {**forgery.edge("ev-001"), "id": "ev-002", "judgement_id": "j-002"}
        text = forgery.text_of(edge)
        place(edge, text, text.index("Another"), text.index("Another") + len("Another passage says so too."))
        forgery.document["evidence"].append(edge)
        forgery.document["judgements"].append(
            {**forgery.document["judgements"][0], "id": "j-002", "evidence_id": "ev-002"}
        )
        forgery.judge(edge)

    assert codes(["Head.\nOne passage says it.\nAnother passage says so too.\nEnd."], second) == set()


def test_bytes_are_hashed_and_a_carriage_return_is_an_error() -> None:
    """C25."""
    forgery = Forgery().made()
    path = forgery.text_file("guide")
    forgery.files[path] = forgery.files[path].replace(b"\n", b"\r\n")
    assert "text.digest-differs" in findings(forgery)


@pytest.mark.parametrize(
    ("extracted", "stored"),
    [("Po\u00adlitik heute", "Politik heute"), ("zero\u200bwidth", "zerowidth"), ("cafe\u0301", "café")],
)
def test_what_is_invisible_is_gone_from_the_text_and_a_rejoined_word_anchors(extracted: str, stored: str) -> None:
    """C27: and the page that still has it is found to hold the quote."""
    assert normalize(extracted).text == stored + "\n"
    forgery = Forgery(
        [
            Page(
                "x",
                "https://site.example/",
                ("Head.", f"Es geht um {stored}."),
                shown=("Head.", f"Es geht um {extracted}."),
            )
        ],
        [ClaimPlan("c-01", "It is said there.")],
        [EdgePlan("c-01", "x", 1)],
    ).made()
    assert "bundle.quote-not-in-payload" not in findings(forgery)


def test_a_match_without_blanks_is_flagged_for_a_critical_claim() -> None:
    """C29."""

    def loose(forgery: Forgery) -> None:
        forgery.edge("ev-001")["match_level"] = "whitespace"

    assert "bundle.loose-match" in findings(Forgery().made(Stage.DOCUMENT, loose))


def test_a_look_alike_passage_is_no_anchor() -> None:
    """C31: the passage on one team is gone, a like one on another stands there."""
    page = "Head.\nTeam Beta won the cup in spring.\nEnd."
    assert "bundle.quote-drifted" in codes([page], requoted("Team Alpha won the cup in spring."))


@pytest.mark.parametrize("status", ["empty", "blocked", "paywall", "soft_404", "http_error", "truncated"])
def test_a_capture_that_went_wrong_is_not_citeable(status: str) -> None:
    """C35, C39, X18: fetched is not read."""

    def edit(forgery: Forgery) -> None:
        forgery.snapshots["story"]["reader_status"] = status

    assert "bundle.not-citeable" in findings(Forgery().made(Stage.SNAPSHOTS, edit))


@pytest.mark.parametrize("support", ["supports", "Full", "0.67", "", "NaN"])
def test_a_judgement_outside_of_the_four_is_no_judgement(support: str) -> None:
    """C37, R073: never a number, never averaged."""
    forgery = Forgery().made()
    forgery.edit_document(lambda document: document["evidence"][0].update(support=support))
    with pytest.raises(RefusedInputError, match="/evidence/0/support"):
        findings(forgery)


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-1", b"1e400", b"9007199254740992"])
def test_a_number_that_is_none_is_refused(number: bytes) -> None:
    """C37."""
    forgery = Forgery().made()
    assert b'"quote_start":44' in forgery.files[BUNDLE]
    forgery.files[BUNDLE] = forgery.files[BUNDLE].replace(b'"quote_start":44', b'"quote_start":' + number, 1)
    with pytest.raises(RefusedInputError):
        findings(forgery)


def test_a_template_wide_canonical_merges_nothing() -> None:
    """C45, R033: every page says that the home page is its canonical; they stay two sources."""

    def edit(forgery: Forgery) -> None:
        for snapshot in forgery.snapshots.values():
            snapshot["declared_canonical"] = "https://shop.example/"

    forgery = Forgery().made(Stage.SNAPSHOTS, edit)
    assert findings(forgery) == set()


def test_every_digest_is_recomputed_and_an_unknown_field_of_a_signature_is_refused() -> None:
    """C47: see selftest for each digest; here the names."""

    def edit(forgery: Forgery) -> None:
        name = next(n for n in forgery.files if n.startswith("manifest/") and n.endswith(".dsse.json"))
        forgery.files[name] = forgery.files[name].replace(b'"signatures"', b'"signatureData":1,"signatures"')

    assert "signature.unreadable" in findings(Forgery().made(Stage.FILES, edit))


@pytest.mark.parametrize("form", ["NFD", "NFKC", "NFKD"])
def test_another_normal_form_of_a_quote_is_another_quote(form: Any) -> None:
    """C23: `x²` is not `x2`, and what a search matched is stored as the text has it."""
    text = "L'été vaut x² dans le café."
    assert codes([f"Tête.\n{text}\nFin."]) == set()
    assert "bundle.quote-drifted" in codes([f"Tête.\n{text}\nFin."], requoted(unicodedata.normalize(form, text)))
