"""What stands around a span: the prefix and suffix that evidence carries, and excerpts for people."""

from __future__ import annotations

CONTEXT: int = 32
"""Code points on each side (`schemas/README.md, Bundle`; Web Annotation calls them prefix and suffix)."""
EXCERPT = 300


def prefix_of(text: str, start: int) -> str:
    """Up to 32 code points before a span; fewer only at the beginning of the text."""
    return text[max(0, start - CONTEXT) : start]


def suffix_of(text: str, end: int) -> str:
    """Up to 32 code points after a span; fewer only at the end of the text."""
    return text[end : end + CONTEXT]


def in_context(text: str, start: int, end: int) -> str:
    """A span between its neighbours, on one line, for a message: `…before [the span] after…`."""
    span = text[start:end]
    if len(span) > EXCERPT:
        span = f"{span[: EXCERPT // 2]} … {span[-EXCERPT // 2 :]}"
    before, after = prefix_of(text, start), suffix_of(text, end)
    left = "…" if start > CONTEXT else ""
    right = "…" if end + CONTEXT < len(text) else ""
    return " ".join(f"{left}{before}[{span}]{after}{right}".split())
