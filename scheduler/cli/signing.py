"""What is wrong with who signs a decision and why, in words of our own."""

from __future__ import annotations

import click
from pydantic import ValidationError

from schemas.judging import MIN_WHY, gives_reason

_TOO_SHORT = f"--why: the reason is kept for good; give {MIN_WHY} characters at least"


def check_why(why: str) -> None:
    """click.UsageError where a reason is none, or too short to be kept."""
    if not gives_reason(why):
        raise click.UsageError(_TOO_SHORT)


def said_wrongly(error: ValidationError) -> str:
    """One sentence for the first fault of a decision's `by` or `why`, with what to do."""
    fault = error.errors()[0]
    place, kind = str(fault["loc"][0]), fault["type"]
    if (place, kind) == ("why", "string_too_short"):
        return _TOO_SHORT
    if (place, kind) == ("by", "string_too_short"):
        return "--by: say who decides"
    if kind == "string_too_long":
        most = fault["ctx"]["max_length"]
        return f"--{place}: longer than the {most} characters that are kept; shorten it"
    return f"--{place}: it cannot be kept as it is ({fault['msg']}); give plain text"
