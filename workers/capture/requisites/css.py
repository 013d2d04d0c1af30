"""What a style sheet, a `style` element or a `style` attribute names (CSS Syntax 3, by tinycss2's tokenizer).

`url()` and `src()`, `@import` in both forms, `image-set()` with bare strings, and `@font-face`, whose
addresses are fonts. The text is tokenized in pieces of 64 KiB that end after a `}`: memory then does not
depend on the sheet, and what a cut leaves unbalanced (only brackets, in CSS that was written by no enemy) changes
nothing for a search that looks at tokens, not at rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import tinycss2
import webencodings
from tinycss2.ast import (
    AtKeywordToken,
    CurlyBracketsBlock,
    FunctionBlock,
    LiteralToken,
    Node,
    ParenthesesBlock,
    SquareBracketsBlock,
    StringToken,
    URLToken,
)

from schemas.records.requisite import RequisiteKind
from workers.capture.requisites.found import Findings, References

MAX_SHEET_CHARACTERS = (
    2_000_000  # of one sheet or element, some 4 s of a core; the largest sheets of large sites have 1
)
PIECE_CHARACTERS = 64 * 1024

_NAMES_SOMETHING = re.compile(r"url|@|image-set|src\s*\(|\\", re.IGNORECASE)
_IMAGE_SETS = frozenset({"image-set", "-webkit-image-set"})
_ADDRESS_FUNCTIONS = frozenset({"url", "src"})
_NO_REQUISITES = frozenset({"namespace", "charset"})


def find_in_css(text: str, sheet_url: str) -> Findings:
    """Requisites of an external style sheet; references are relative to the sheet (CSS Values 4, 4.5.1)."""
    references = References()
    read_css(text, "css", references)
    return references.resolved(sheet_url)


def css_text(data: bytes, *, protocol: str | None, environment: str | None) -> str:
    """A sheet's characters (CSS Syntax 3, 3.2): byte order mark, HTTP, `@charset`, the document that asks, UTF-8."""
    text, _ = tinycss2.bytes.decode_stylesheet_bytes(
        data,
        protocol_encoding=protocol,
        environment_encoding=None if environment is None else webencodings.lookup(environment),
    )
    return str(text)


def read_css(text: str, where: str, references: References) -> None:
    """Note what the text names. `where`: the element or `css`, first half of the place in `Found`."""
    if len(text) > MAX_SHEET_CHARACTERS:
        text = text[:MAX_SHEET_CHARACTERS]
        references.complete = False
    for piece in _pieces(text):
        if _NAMES_SOMETHING.search(piece):
            _read(tinycss2.parse_component_value_list(piece, skip_comments=True), where, references)


def _pieces(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        end = position + PIECE_CHARACTERS
        if end < len(text):
            brace = text.rfind("}", position, end)
            end = end if brace < 0 else brace + 1
        yield text[position:end]
        position = end


@dataclass(slots=True)
class _Level:
    """One bracket that is being read."""

    nodes: Iterator[Node]
    font: bool
    rule: str | None = None
    """The at-keyword that what follows belongs to."""


def _read(nodes: Sequence[Node], where: str, references: References) -> None:
    """In order of the text, without recursion, since brackets nest as deep as somebody likes."""
    open_levels = [_Level(iter(nodes), font=False)]
    while open_levels:
        level = open_levels[-1]
        node = next(level.nodes, None)
        if node is None:
            open_levels.pop()
            continue
        match node:
            case AtKeywordToken():
                level.rule = node.lower_value
            case LiteralToken() if node.value == ";":
                level.rule = None
            case _ if level.rule in _NO_REQUISITES:
                continue
            case URLToken() | FunctionBlock() | StringToken() if level.rule == "import":
                if (address := _address(node)) is not None:
                    references.add(address, RequisiteKind.STYLE, f"{where}/@import")
                    level.rule = "imported"
            case URLToken():
                _add(node, level.font, where, references)
            case FunctionBlock():
                _add(node, level.font, where, references)
                open_levels.append(_Level(iter(node.arguments), level.font))
            case CurlyBracketsBlock():
                open_levels.append(_Level(iter(node.content), level.font or level.rule == "font-face"))
                level.rule = None
            case ParenthesesBlock() | SquareBracketsBlock():
                open_levels.append(_Level(iter(node.content), level.font))


def _add(node: URLToken | FunctionBlock, font: bool, where: str, references: References) -> None:
    kind, place = (RequisiteKind.FONT, "@font-face") if font else (RequisiteKind.IMAGE, "url()")
    address = _address(node)
    if address is not None:
        references.add(address, kind, f"{where}/{place}")
    elif isinstance(node, FunctionBlock) and node.lower_name in _IMAGE_SETS:
        for argument in node.arguments:
            if isinstance(argument, StringToken):
                references.add(argument.value, RequisiteKind.IMAGE, f"{where}/{node.lower_name}()")


def _address(node: Node) -> str | None:
    """The address that a token stands for; None for any other function."""
    if isinstance(node, (URLToken, StringToken)):
        return str(node.value)
    if isinstance(node, FunctionBlock) and node.lower_name in _ADDRESS_FUNCTIONS:
        return next((str(argument.value) for argument in node.arguments if isinstance(argument, StringToken)), None)
    return None
