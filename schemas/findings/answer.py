"""Findings on a model's answer against its source map."""

from __future__ import annotations

from schemas.findings.wording import error, note, warning

MAP_CHUNK_ID = error(
    "map.chunk-id",
    "A chunk's id does not begin with the number of its source.",
    "Build the source map again; do not edit it.",
)
MAP_CHUNK_SPAN = error(
    "map.chunk-span",
    "A chunk's text is not as long as its span.",
    "Build the source map again; do not edit it.",
)
MAP_DUPLICATE_ID = error(
    "map.duplicate-id",
    "An id stands for two sources or two chunks of the map.",
    "Build the source map again; do not edit it.",
)
ANSWER_EMPTY = error(
    "answer.empty",
    "The answer has no sentence; nothing is no pass.",
    "Ask the model again.",
)
ANSWER_INVALID_CITATION = error(
    "answer.invalid-citation",
    "A citation names an id that is not in the source map.",
    "Have the answer repaired; a citation is never guessed.",
)
ANSWER_SOURCE_CITED = warning(
    "answer.source-cited",
    "A citation names a source as a whole, which is too broad to check a claim by.",
    "Cite the chunks that support the claim.",
)
ANSWER_NO_CITATION = warning(
    "answer.no-citation",
    "What looks like a citation is none, so it speaks of nothing: brackets or ids are not those of a citation.",
    "Write it as a citation, with ids of the map; what it was meant to cite is never guessed.",
)
ANSWER_RAW_URL = error(
    "answer.raw-url",
    "The address of a mapped source stands in the answer.",
    "Put the citation of a chunk in its place.",
)
ANSWER_UNOPENED_URL = error(
    "answer.unopened-url",
    "An address stands in the answer that no source of the map has: nobody opened it.",
    "Take it out; or open the page and build the source map again.",
)
ANSWER_UNCITED_PARAGRAPH = error(
    "answer.uncited-paragraph",
    "A paragraph or list item has no citation.",
    "Have the answer repaired, or take the paragraph out.",
)
ANSWER_UNCITED_CLAIM = warning(
    "answer.uncited-claim",
    "No citation speaks of a sentence (an error in profile strict, not looked at in profile paragraph).",
    "Cite the chunk that supports it, or take the sentence out.",
)
ANSWER_FIGURE_NOT_IN_CHUNK = warning(
    "answer.figure-not-in-chunk",
    "A figure of a sentence is in none of the chunks that it cites: weak support.",
    "Compare the sentence with the chunks.",
)
ANSWER_UNCITED_SOURCE = note(
    "answer.uncited-source",
    "No citation names a source of the map, so it is no reference of the answer.",
    "Leave it out of the list of references.",
)
