"""A source map as a run would have made it: two sources in English, one in Chinese."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import JsonValue

from schemas.canonical import canonical_bytes
from schemas.reading import read_document
from schemas.records.source_map import SourceMap

TEXTS = (
    ("The barrier has 14 gates of steel.", "It closed at dawn on Monday, when the surge was 3.2 metres."),
    ("水门在星期一黎明关闭，风暴潮高3.2米。",),
    ("Nobody was hurt.",),
)


@pytest.fixture(scope="session")
def map_document() -> Callable[[], dict[str, JsonValue]]:
    """The document of a source map, new with each call."""
    return lambda: _document()


@pytest.fixture(scope="session")
def source_map(map_document: Callable[[], dict[str, JsonValue]]) -> SourceMap:
    """The same as a record."""
    read = read_document(canonical_bytes(map_document()), SourceMap)
    assert isinstance(read, SourceMap)
    return read


def _document() -> dict[str, JsonValue]:
    return {
        "schema": "citevault/source-map@1",
        "run_id": "run-1",
        "query": "What of the barrier?",
        "created_at": "2026-08-22T03:15:00Z",
        "sources": [_source(number, texts) for number, texts in enumerate(TEXTS, 1)],
        "unopened": [{"url": "https://unopened.example/x", "why": "it was not opened"}],
    }


def _source(number: int, texts: tuple[str, ...]) -> JsonValue:
    url = f"https://s{number}.example/a"
    chunks: list[JsonValue] = []
    start = 0
    for place, text in enumerate(texts, 1):
        chunks.append(
            {
                "source_id": number,
                "chunk_id": f"{number}.{place}",
                "title": f"Source {number}",
                "url": url,
                "section": None,
                "text": text,
                "char_start": start,
                "char_end": start + len(text),
                "token_estimate": 10,
            }
        )
        start += len(text) + 1
    return {
        "source_id": number,
        "snapshot_id": f"snap-{number:012d}-20260822T031500Z-{number:08d}",
        "canonical_url": url,
        "original_url": f"{url}?utm_source=x",
        "title": f"Source {number}",
        "provider": "web",
        "search_rank": number,
        "retrieved_at": "2026-08-22T03:15:00Z",
        "opened": True,
        "content_type": "text/html",
        "reader_status": "ok",
        "text_sha256": "0" * 64,
        "chunks": chunks,
    }
