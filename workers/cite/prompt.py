"""What a language model is shown: the chunks of a source map, and five rules (R108). Pure.

The example of the rules names no id that could exist, since models copy ids from instructions (R123).
"""

from __future__ import annotations

from collections.abc import Collection

from schemas.records.source_map import SourceMap

RULES = (
    "Use only the evidence below.",
    "Cite every factual claim with the ids of the chunks that support it, in brackets, right after the claim.",
    "If the evidence is insufficient, say so.",
    "Write no URLs.",
    "Cite no id that is not listed below.",
)


def render_prompt(source_map: SourceMap, question: str, only: Collection[str] | None = None) -> str:
    """The prompt. `only`: ids of the chunks that were selected; None: all of them."""
    parts = ["\n".join(f"- {rule}" for rule in RULES), f"Question: {question.strip()}", "Evidence:"]
    for source in source_map.sources:
        chunks = [chunk for chunk in source.chunks if only is None or chunk.chunk_id in only]
        if not chunks:
            continue
        title = " ".join((source.title or source.canonical_url).split())
        parts.append(f"Source [{source.source_id}]: {title}\nURL: {source.canonical_url}")
        for chunk in chunks:
            section = f" ({chunk.section})" if chunk.section else ""
            parts.append(f"Chunk [{chunk.chunk_id}]{section}\n{chunk.text}")
    return "\n\n".join(parts) + "\n"
