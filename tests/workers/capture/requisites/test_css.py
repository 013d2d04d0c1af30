"""What a style sheet names, in every form that CSS has for an address."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.requisite import RequisiteKind as Kind
from workers.capture.requisites.css import PIECE_CHARACTERS, css_text, find_in_css

SHEET = "https://cdn.example/css/main.css"


def found(text: str) -> list[tuple[str, Kind, str]]:
    prefix = "https://cdn.example/css/"
    return [(each.url.removeprefix(prefix), each.kind, each.place) for each in find_in_css(text, SHEET).found]


@pytest.mark.parametrize(
    ("text", "url", "kind", "place"),
    [
        ("p{background:url(a.png)}", "a.png", Kind.IMAGE, "css/url()"),
        ("p{background:URL( 'a.png' )}", "a.png", Kind.IMAGE, "css/url()"),
        ('p{background:u\\72l("a.png")}', "a.png", Kind.IMAGE, "css/url()"),
        ("p{background:url(a\\2e png)}", "a.png", Kind.IMAGE, "css/url()"),
        ('p{background:src("a.png")}', "a.png", Kind.IMAGE, "css/url()"),
        ("p{--later:url(a.png)}", "a.png", Kind.IMAGE, "css/url()"),
        ("p{cursor:url(c.cur),auto}", "c.cur", Kind.IMAGE, "css/url()"),
        ("@media print{p{background:url(a.png)}}", "a.png", Kind.IMAGE, "css/url()"),
        ("p{&:hover{background:url(a.png)}}", "a.png", Kind.IMAGE, "css/url()"),
        ("p{background:image-set('a.png' 1x)}", "a.png", Kind.IMAGE, "css/image-set()"),
        ("p{background:-webkit-image-set(url(a.png) 1x)}", "a.png", Kind.IMAGE, "css/url()"),
        ("p{background:image-set('a.png' type('image/png'))}", "a.png", Kind.IMAGE, "css/image-set()"),
        ("@import 'b.css';", "b.css", Kind.STYLE, "css/@import"),
        ("@IMPORT url(b.css) screen;", "b.css", Kind.STYLE, "css/@import"),
        ("@import url('b.css') layer(x) supports(display:grid);", "b.css", Kind.STYLE, "css/@import"),
        ("@charset 'utf-8';@import 'b.css';", "b.css", Kind.STYLE, "css/@import"),
        ("@font-face{src:url(f.woff2) format('woff2')}", "f.woff2", Kind.FONT, "css/@font-face"),
        ("@media all{@font-face{src:url(f.woff2)}}", "f.woff2", Kind.FONT, "css/@font-face"),
        ("<!-- p{background:url(a.png)} -->", "a.png", Kind.IMAGE, "css/url()"),
        ("p{background:url(a.png", "a.png", Kind.IMAGE, "css/url()"),
        ("} ] ) p{background:url(a.png)}", "a.png", Kind.IMAGE, "css/url()"),
    ],
)  # fmt: skip
def test_every_form_of_an_address_is_found(text: str, url: str, kind: Kind, place: str) -> None:
    assert found(text) == [(url, kind, place)]


@pytest.mark.parametrize(
    "text",
    [
        "/* url(a.png) */",
        "p{content:'url(a.png)'}",
        "p{background:url(a b.png)}",
        "p{background:url()}",
        "p{background:url(data:image/png;base64,AA)}",
        "p{filter:url(#blur)}",
        "@namespace svg url(http://www.w3.org/2000/svg);",
        "p{background:my-url('a.png')}",
        "p{width:calc(1px)}",
    ],
)
def test_what_is_no_address_of_a_requisite_is_not_found(text: str) -> None:
    assert found(text) == []


def test_only_the_address_of_an_import_is_a_sheet() -> None:
    text = "@import 'b.css' supports(background: url(x.png)); p{background:url(a.png)}"
    assert [kind for _, kind, _ in found(text)] == [Kind.STYLE, Kind.IMAGE, Kind.IMAGE]


def test_a_long_sheet_is_read_in_pieces_without_losing_what_a_cut_meets() -> None:
    rules = [f"p.c{number:06d}{{background:url({number:06d}.png)}}\n" for number in range(900)]
    text = rules[0] + "/* " + "x" * (PIECE_CHARACTERS - 60) + " */" + "".join(rules[1:])
    assert [url for url, _, _ in found(text)] == [f"{number:06d}.png" for number in range(900)]


@pytest.mark.parametrize(
    "text", ["{" * 500_000, "url(" * 200_000, "a(" * 300_000, "\\" * 500_000, '"' * 300_000, "@" * 300_000]
)
def test_a_hostile_sheet_costs_little(text: str) -> None:
    started = time.process_time()
    find_in_css(text, SHEET)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("data", "protocol", "environment", "url"),
    [
        ("p{background:url(ä.png)}".encode(), None, None, "%C3%A4.png"),
        ("p{background:url(ä.png)}".encode("latin-1"), "iso-8859-1", None, "%C3%A4.png"),
        ('@charset "iso-8859-1";p{background:url(ä.png)}'.encode("latin-1"), None, "utf-8", "%C3%A4.png"),
        ("p{background:url(ä.png)}".encode("latin-1"), None, "windows-1252", "%C3%A4.png"),
        (b"\xef\xbb\xbf" + "p{background:url(ä.png)}".encode(), "iso-8859-1", None, "%C3%A4.png"),
        ("p{background:url(ä.png)}".encode(), "no-such-charset", "no-such-either", "%C3%A4.png"),
    ],
)  # fmt: skip
def test_the_charset_of_a_sheet_follows_the_standard(data: bytes, protocol: str, environment: str, url: str) -> None:
    assert [each[0] for each in found(css_text(data, protocol=protocol, environment=environment))] == [url]


@given(st.text(alphabet=st.sampled_from("urlsc()'\"\\{}[]@;: /*import-setfacax.\n"), max_size=120))
def test_no_sheet_is_refused(text: str) -> None:
    for each in find_in_css(text, SHEET).found:
        assert each.url.startswith("https://")
