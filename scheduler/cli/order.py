"""The order of a command line's words: people write options where they think of them."""

from __future__ import annotations

from collections import deque

STAGES = ("captured", "extracted", "published")
"""What `--wait` may wait for; the last where it names none."""


def in_order(arguments: list[str]) -> list[str]:
    """Global options before the command wherever they stand; `--wait` with its default where no stage follows it."""
    first: list[str] = []
    rest: list[str] = []
    waiting = deque(arguments)
    while waiting:
        argument = waiting.popleft()
        if argument == "--":
            rest += [argument, *waiting]
            break
        if argument == "--data-dir":
            first += [argument, *([waiting.popleft()] if waiting else [])]
        elif argument == "--debug" or argument.startswith("--data-dir="):
            first.append(argument)
        elif argument == "--wait":
            rest.append(f"--wait={waiting.popleft() if waiting and waiting[0] in STAGES else STAGES[-1]}")
        else:
            rest.append(argument)
    return [*first, *rest]
