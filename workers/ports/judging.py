"""Whoever answers when an evaluator is asked."""

from __future__ import annotations

from typing import Protocol


class Endpoint(Protocol):
    """A chat-completions endpoint, or what stands for one."""

    @property
    def host(self) -> str:
        """Where it is, for the record of who judged; never a key, path or query."""

    async def ask(self, body: bytes) -> bytes:
        """The answer to one request. RetryableError: it may answer later; QuestionError: it will not, as asked;
        PermanentError: it answers no question of ours."""
