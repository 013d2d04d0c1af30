"""A run as text for people, and as one JSON document."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from deploy.chaos.kills import Result


def as_text(result: Result) -> str:
    """What was done, what was found, and how to do it again."""
    given = result.given
    killed = Counter(each.target for each in result.dealt)
    lines = [
        f"seed {given.seed}: {given.urls} URLs on {given.hosts} hosts captured in {result.seconds:.0f} s",
        f"  {len(result.dealt)} blows, {result.longest_pause:.1f} s apart at most: "
        + ", ".join(f"{count} x {target}" for target, count in sorted(killed.items())),
        f"  {result.receipts} receipts of epochs {result.epochs}, {result.records} records, "
        f"{result.revisits} originals of revisits, {len(result.extras)} extras",
        *(f"  extra: {extra.url}: {extra.explained or 'NOT EXPLAINED'}" for extra in result.extras),
        *(f"  WRONG {finding.code}: {finding.text}" for finding in result.findings),
        "  " + ("NOT WHOLE" if result.findings else "whole: every URL once in effect, every file and digest right"),
        f"  again: python -m deploy.chaos kills --seed {given.seed} --urls {given.urls} --hosts {given.hosts}"
        f" --answer-seconds {given.answer_seconds:g}",
    ]
    return "\n".join(lines)


def as_document(result: Result) -> dict[str, Any]:
    """The same, for programs."""
    return {**asdict(result), "longest_pause_seconds": result.longest_pause, "whole": not result.findings}
