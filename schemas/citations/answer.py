"""A model's answer as it stands: what it cites, which addresses it names, sentence by sentence (R110, R111).

What an answer contains is told here; whether that is acceptable, by `citevault-validate answer`. The mechanical result
(R112) follows from the two documents alone.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.citations.grammar import Citation, find_citations
from schemas.citations.lookalikes import find_lookalikes
from schemas.citations.prose import Prose, read_prose
from schemas.citations.sentences import UNJUDGED, Sentence, read_sentences
from schemas.records.source_map import SourceMap


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """An answer with its prose, citations and sentences. Offsets are code points of `text`."""

    text: str
    prose: Prose
    citations: tuple[Citation, ...]
    sentences: tuple[Sentence, ...]

    @property
    def chunk_ids(self) -> list[str]:
        """Chunks that are cited, each once, in order."""
        return list(dict.fromkeys(name for one in self.citations for name in one.chunk_ids))

    @property
    def source_ids(self) -> list[str]:
        """Sources that are cited as a whole, each once, in order."""
        return list(dict.fromkeys(name for one in self.citations for name in one.source_ids))


def read_answer(text: str) -> ParsedAnswer:
    """Parse a Markdown answer."""
    prose = read_prose(text)
    citations = find_citations(text, prose)
    return ParsedAnswer(text, prose, tuple(citations), tuple(read_sentences(text, prose, citations)))


def parsed_document(parsed: ParsedAnswer) -> dict[str, JsonValue]:
    """The parser's output in the shape that seed S4 gives it (R110)."""
    return {
        "answer": parsed.text,
        "detected_chunk_citations": [*parsed.chunk_ids],
        "detected_source_citations": [*parsed.source_ids],
        "detected_urls": [one.url for one in parsed.prose.addresses],
        "citation_spans": [
            {"citation": parsed.text[one.start : one.end], "start": one.start, "end": one.end}
            for one in parsed.citations
        ],
    }


def mechanical_document(parsed: ParsedAnswer, source_map: SourceMap) -> dict[str, JsonValue]:
    """The mechanical result (R112): which ids are in the map, and which sources nobody cites."""
    known = known_ids(source_map)
    cited = [*parsed.source_ids, *parsed.chunk_ids]
    used = {name.partition(".")[0] for name in cited if name in known}
    warnings = [f"[{name}] names a source, not a chunk" for name in parsed.source_ids if name in known]
    return {
        "valid_citations": [name for name in cited if name in known],
        "invalid_citations": [name for name in cited if name not in known],
        "uncited_sources": [one.source_id for one in source_map.sources if str(one.source_id) not in used],
        "warnings": [*warnings],
    }


def claims_document(parsed: ParsedAnswer, source_map: SourceMap) -> list[JsonValue]:
    """Sentence by sentence (R114): `cited`, `invalid` where an id is in no map, or `uncited`. Headings are no claims.
    What looks like a citation and is none is named in the reason. Whether a chunk supports its sentence is for a judge.
    """
    known = known_ids(source_map)
    begins = [one.start for one in parsed.sentences]
    none: dict[int, list[str]] = {}
    for like in find_lookalikes(parsed, known):
        told = f"{parsed.text[like.start : like.end]} is no citation, wanted: {like.wanted}"
        none.setdefault(max(0, bisect_right(begins, like.start) - 1), []).append(told)
    rows: list[JsonValue] = []
    for number, one in enumerate(parsed.sentences):
        if one.kind in UNJUDGED:
            continue
        ids = [name for place in one.citations for name in parsed.citations[place].ids]
        bad = [name for name in ids if name not in known]
        status, reason = ("uncited", "no citation speaks of it") if not ids else ("cited", "every id is in the map")
        if bad:
            status, reason = "invalid", f"not in the map: {', '.join(bad)}"
        reason = "; ".join((reason, *none.get(number, ())))
        rows.append(
            {"claim": parsed.text[one.start : one.end], "citations": [*ids], "status": status, "reason": reason}
        )
    return rows


def known_ids(source_map: SourceMap) -> frozenset[str]:
    """Ids of sources and chunks that may be cited (R109)."""
    chunks = (chunk.chunk_id for source in source_map.sources for chunk in source.chunks)
    return frozenset((*(str(source.source_id) for source in source_map.sources), *chunks))
