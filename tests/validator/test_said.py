"""What a page says of itself, found in its payload without the extractor, or told as the archive's word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from validator.payload_words import PayloadWords, read_words

PAGE = """<html><head><title>The gate &amp; the sea | Paper</title><meta name=author content="Jos&eacute; P&eacute;rez">
<script type="application/ld+json">{"headline": "The gate \\u2013 closed"}</script></head>
<body><h1>The gate</h1></body>"""


@pytest.mark.parametrize("said", ["The gate & the sea", "José Pérez", "The gate – closed", "the GATE"])
def test_titles_and_names_are_found_wherever_a_page_says_them(said: str) -> None:
    words = read_words(PAGE.encode(), "text/html", "utf-8")
    assert isinstance(words, PayloadWords)
    assert words.says_of_itself(said)


@pytest.mark.parametrize("said", ["The gate opens", "José", "…", ""])
def test_what_a_page_does_not_say_is_not_found(said: str) -> None:
    words = read_words(PAGE.replace("Jos", "Jus").encode(), "text/html", "utf-8")
    assert isinstance(words, PayloadWords)
    assert not words.says_of_itself(said)


def test_a_report_names_what_it_took_from_the_archive(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    """R123: published times, languages and tiers are bound, and nobody here has read them; a found title has been."""

    def retitled(world: Any) -> None:
        world.snapshots["b"].update(title="Quite another thing")

    root, other = make_bundle(), make_bundle({"snapshots": retitled}, name="lying")
    shallow = validate("bundle", str(root), "--trust", key_files["both"]).report
    deep = validate("bundle", str(root), "--deep", "--trust", key_files["both"]).report
    lying = validate("bundle", str(other), "--deep", "--trust", key_files["both"])
    assert "/snapshots/*/title" in shallow["archives_word"]
    assert deep["checked"]["titles in payloads"] == lying.report["checked"]["titles in payloads"] + 1
    assert {"/snapshots/*/published_at", "/snapshots/*/inclusion/leaf/tier"} <= set(deep["archives_word"])
    assert "/snapshots/*/title" in lying.report["archives_word"], "bound by its leaf, and nowhere in the page"
