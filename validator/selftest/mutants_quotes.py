"""Forgeries of quotes, spans and texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace

from schemas.canonical import sha256_hex
from schemas.findings import FindingKind as K
from validator.selftest.document import place
from validator.selftest.forgery import BUNDLE, Forgery, Stage
from validator.selftest.mutants import Mutant

Edit = Callable[[Forgery], object]


def on_edge(identifier: str, **values: object) -> Edit:
    """The author writes other values into an edge and has it judged so."""

    def edit(forgery: Forgery) -> None:
        edge = forgery.edge(identifier)
        edge.update(values)
        forgery.judge(edge)

    return edit


def quote(identifier: str, old: str, new: str) -> Edit:
    """The author quotes other words than stand there."""

    def edit(forgery: Forgery) -> None:
        edge = forgery.edge(identifier)
        assert old in edge["quote"], old
        edge["quote"] = edge["quote"].replace(old, new)
        forgery.judge(edge)

    return edit


def moved(identifier: str, start: int, end: int) -> Edit:
    """Start and end are moved, the quote stays."""

    def edit(forgery: Forgery) -> None:
        edge = forgery.edge(identifier)
        edge["quote_start"] += start
        edge["quote_end"] += end

    return edit


def narrowed(identifier: str, within: str, to: str) -> Edit:
    """The quote is cut down to a part that says something else; span and context fit it."""

    def edit(forgery: Forgery) -> None:
        edge = forgery.edge(identifier)
        text = forgery.text_of(edge)
        start = text.index(within) + within.index(to)
        place(edge, text, start, start + len(to))
        forgery.judge(edge)

    return edit


def utf16_offsets(forgery: Forgery) -> None:
    edge = forgery.edge("ev-001")
    text = forgery.text_of(edge)
    for name in ("quote_start", "quote_end"):
        edge[name] = len(text[: edge[name]].encode("utf-16-le")) // 2


def byte_offsets(forgery: Forgery) -> None:
    edge = forgery.edge("ev-009")
    text = forgery.text_of(edge)
    for name in ("quote_start", "quote_end"):
        edge[name] = len(text[: edge[name]].encode())


def decomposed(forgery: Forgery) -> None:
    edge = forgery.edge("ev-009")
    edge["quote"] = unicodedata.normalize("NFD", edge["quote"])
    forgery.judge(edge)


def swapped_snapshots(forgery: Forgery) -> None:
    one, other = forgery.edge("ev-001"), forgery.edge("ev-002")
    for name in ("snapshot_id", "source_id", "independence_group"):
        one[name], other[name] = other[name], one[name]
    for edge in (one, other):
        forgery.judge(edge)


def text(change: Callable[[bytes], bytes], name: str = "guide") -> Edit:
    """Whoever carries the bundle changes a text file."""

    def edit(forgery: Forgery) -> None:
        path = forgery.text_file(name)
        changed = change(forgery.files[path])
        assert changed != forgery.files[path]
        forgery.files[path] = changed

    return edit


def retold(change: Callable[[bytes], bytes]) -> Edit:
    """The author changes a text and gives its new digest; the log knows better."""

    def edit(forgery: Forgery) -> None:
        data = change(forgery.texts["story"])
        forgery.texts["story"] = data
        for snapshot in forgery.document["snapshots"]:
            if snapshot["id"] == forgery.snapshots["story"]["id"]:
                snapshot |= {"text_sha256": sha256_hex(data), "text_chars": len(data.decode())}
                forgery.snapshots["story"] = snapshot
        for edge in forgery.document["evidence"]:
            forgery.judge(edge)

    return edit


def extracted(change: Callable[[str], str]) -> Edit:
    """The extractor's text is not in text-v1, and the log holds it so."""

    def edit(forgery: Forgery) -> None:
        at, page = next((i, page) for i, page in enumerate(forgery.pages) if page.name == "guide")
        shown = page.sentences
        forgery.pages[at] = replace(page, sentences=tuple(map(change, page.sentences)), shown=shown)

    return edit


def invented(forgery: Forgery) -> None:
    """The extractor made a sentence up; text, conversion record and log agree on it."""
    at, page = next((i, page) for i, page in enumerate(forgery.pages) if page.name == "story")
    forgery.pages[at] = replace(page, shown=(page.sentences[0], "Nothing happened on Monday.", page.sentences[2]))


def dropped_text(forgery: Forgery) -> None:
    del forgery.files[forgery.text_file("guide")]


def raw(old: bytes, new: bytes) -> Edit:
    """The stored document is changed as bytes."""

    def edit(forgery: Forgery) -> None:
        assert old in forgery.files[BUNDLE], old
        forgery.files[BUNDLE] = forgery.files[BUNDLE].replace(old, new, 1)

    return edit


SENTENCE = "The valve closes in 40 milliseconds, p < 0.05, at -5 degrees."
_A, _F, _P = Stage.DOCUMENT, Stage.FILES, Stage.PAGES
MUTANTS = (
    Mutant("offsets shifted by one", _A, moved("ev-001", 1, 1), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("span one longer", _A, moved("ev-001", 0, 1), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("span outside of the text", _A, moved("ev-001", 10_000, 10_000), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("empty span", _A, on_edge("ev-001", quote_start=44, quote_end=44), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("offsets in UTF-16 units", _A, utf16_offsets, K.BUNDLE_QUOTE_DRIFTED),
    Mutant("offsets in bytes", _A, byte_offsets, K.BUNDLE_QUOTE_DRIFTED),
    Mutant("a letter of the quote changed", _A, quote("ev-002", "valve", "valse"), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("< turned to >", _A, quote("ev-001", "p < 0.05", "p > 0.05"), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("a sign flipped", _A, quote("ev-001", "-5 degrees", "+5 degrees"), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("a sign dropped", _A, quote("ev-001", "at -5", "at 5"), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("a currency changed", _A, quote("ev-004", "$5", "€5"), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("a negation dropped", _A, quote("ev-004", "is not sold", "is sold"), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("a figure changed by one", _A, quote("ev-003", "40", "41"), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("a decimal point moved", _A, quote("ev-001", "0.05", "0.5"), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("a percent sign dropped", _A, quote("ev-009", "10 %", "10"), K.BUNDLE_QUOTE_DRIFTED),
    Mutant("NFC turned to NFD in the quote", _A, decomposed, K.BUNDLE_QUOTE_DRIFTED),
    Mutant("the quote cut within a word", _A, narrowed("ev-001", SENTENCE, "alve closes in"), K.BUNDLE_QUOTE_CUT),
    Mutant("the quote cut within a figure", _A, narrowed("ev-001", SENTENCE, "5, at -5 degrees"), K.BUNDLE_QUOTE_CUT),
    Mutant("the quote cut behind a sign", _A, narrowed("ev-005", SENTENCE, "5 degrees."), K.BUNDLE_QUOTE_CUT),
    Mutant("a quote that says nothing", _A, narrowed("ev-001", SENTENCE, "at"), K.BUNDLE_QUOTE_SCANT),
    Mutant("a quote without a word", _A, narrowed("ev-001", SENTENCE, "<"), K.BUNDLE_QUOTE_WORDLESS),
    Mutant("context changed", _A, on_edge("ev-001", prefix="It is not so that "), K.BUNDLE_CONTEXT_DRIFTED),
    Mutant("snapshots of two edges swapped", _A, swapped_snapshots, K.BUNDLE_QUOTE_DRIFTED),
    Mutant("a byte of a text changed", _F, text(lambda data: data.replace(b"40", b"14")), K.TEXT_DIGEST),
    Mutant("CRLF in a text", _F, text(lambda data: data.replace(b"\n", b"\r\n")), K.TEXT_DIGEST),
    Mutant(
        "NFD in a text",
        _F,
        text(lambda data: unicodedata.normalize("NFD", data.decode()).encode()),
        K.TEXT_DIGEST,
    ),
    Mutant("a byte-order mark before a text", _F, text(lambda data: b"\xef\xbb\xbf" + data), K.TEXT_DIGEST),
    Mutant("a text cut off", _F, text(lambda data: data[:-9]), K.TEXT_DIGEST),
    Mutant("a text taken out", _F, dropped_text, K.FILE_MISSING),
    Mutant(
        "a text changed with its digest",
        _A,
        retold(lambda data: data.replace(b"Monday", b"Friday")),
        K.LEAF_DIFFERS,
    ),
    Mutant("CRLF from the extractor", _P, extracted(lambda s: s + "\r"), K.TEXT_NOT_NORMALIZED),
    Mutant("NFD from the extractor", _P, extracted(lambda s: unicodedata.normalize("NFD", s)), K.TEXT_NOT_NORMALIZED),
    Mutant("a sentence that the page never had", _P, invented, K.BUNDLE_QUOTE_NOT_IN_PAYLOAD),
    Mutant("offsets as text", _F, raw(b'"quote_start":44', b'"quote_start":"43"'), None),
    Mutant("an offset with a fraction", _F, raw(b'"quote_start":44', b'"quote_start":44.0'), None),
    Mutant("another unit of offsets", _F, raw(b"unicode_code_point", b"utf16_code_unit"), None),
)
