"""What many ask at one moment, asked as one.

A batch begins with a question for each of its hosts, and a round trip costs a worker most of a millisecond, whether it
is for one of them or for all. Nobody waits longer for it: what is asked in one turn of the event loop goes out at its
end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")

MOST = 500
"""Questions in one call."""


class Together(Generic[Q, A]):
    """`ask` takes questions and gives an answer to each, in their order. Belongs to one event loop."""

    def __init__(self, ask: Callable[[Sequence[Q]], Awaitable[Sequence[A]]]) -> None:
        self._ask = ask
        self._questions: list[Q] = []
        self._answers: asyncio.Task[list[A]] | None = None
        """To what is being gathered."""

    async def one(self, question: Q) -> A:
        """The answer to one; raises what the call for it raised. Who is cancelled takes nobody's answer away."""
        answers = self._answers = self._answers or asyncio.create_task(self._call())
        place = len(self._questions)
        self._questions.append(question)
        return (await asyncio.shield(answers))[place]

    async def _call(self) -> list[A]:
        questions, self._questions, self._answers = self._questions, [], None
        answers: list[A] = []
        for start in range(0, len(questions), MOST):
            answers += await self._ask(questions[start : start + MOST])
        return answers
