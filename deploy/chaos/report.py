"""Runs as text for people, and as JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from deploy.chaos.broker import Drilled
from deploy.chaos.clocks import Result as Jumped
from deploy.chaos.failover import Result as TakenOver
from deploy.chaos.full_disk import Result as Filled
from deploy.chaos.kills import Result
from deploy.chaos.outages import Result as Stranded
from deploy.chaos.partition import Absence
from deploy.chaos.partition import Result as Partitioned
from deploy.chaos.plan import Target
from deploy.chaos.verdict import Finding


def of_kills(result: Result) -> str:
    """What was done, what was found, and how to do it again."""
    given = result.given
    killed = Counter(each.target for each in result.dealt)
    lines = [
        f"seed {given.seed}: {given.urls} URLs on {given.hosts} hosts captured in {result.seconds:.0f} s",
        f"  {len(result.dealt)} blows, {result.longest_pause:.1f} s apart at most: "
        + ", ".join(f"{count} x {target}" for target, count in sorted(killed.items())),
        f"  {result.receipts} receipts of epochs {result.epochs}, {result.records} records, "
        f"{result.revisits} originals of revisits, {len(result.extras)} extras, "
        f"{result.uploads} uploads left to be aborted",
        *(f"  extra: {extra.url}: {extra.explained or 'NOT EXPLAINED'}" for extra in result.extras),
        *_judged(result.findings),
        f"  again: python -m deploy.chaos kills --seed {given.seed} --urls {given.urls} --hosts {given.hosts}"
        f" --answer-seconds {given.answer_seconds:g}",
    ]
    return "\n".join(lines)


COLUMNS: Final = (
    "seed",
    "URLs",
    "seconds",
    "kills",
    "longest pause",
    "extras",
    "epochs",
    "records",
    "uploads left",
    "findings",
)


def table_of_kills(results: Sequence[Result]) -> str:
    """All seeds of a run, a line each."""
    rows = [
        (
            *(result.given.seed, result.given.urls, round(result.seconds)),
            sum(each.target in set(Target) for each in result.dealt),
            f"{result.longest_pause:.1f} s",
            *(len(result.extras), len(result.epochs), result.records, result.uploads),
            ", ".join(sorted({finding.code for finding in result.findings})) or "none",
        )
        for result in results
    ]
    cells = [COLUMNS, *(tuple(map(str, row)) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def document_of_kills(result: Result) -> dict[str, Any]:
    """The same, for programs."""
    return {**document("kills", result), "longest_pause_seconds": result.longest_pause}


def of_drill(drilled: Drilled) -> str:
    """What became of the tasks."""
    return (
        f"broker: {drilled.tasks} tasks through {drilled.kills} kills of Valkey in {drilled.seconds:.0f} s: "
        f"{drilled.lost} lost\n  {drilled.sent_again} messages sent again by the sweep, {drilled.done_twice} tasks "
        f"done more than once, the worker started {drilled.worker_starts} times\n  "
        + ("whole" if drilled.whole else "NOT WHOLE")
    )


def document_of_drill(drilled: Drilled) -> dict[str, Any]:
    """The same, for programs."""
    return {"run": "broker", **asdict(drilled), "whole": drilled.whole}


def of_partition(result: Partitioned) -> str:
    """What the host that was away had, what was refused to it, and how soon it was at work again."""
    given = result.given
    by_host = ", ".join(f"{count} of {name}" for name, count in sorted(result.receipts.items()))
    lines = [
        f"namespaces: {given.urls} URLs on {given.hosts} sites by three hosts in {result.seconds:.0f} s, "
        f"leases of {given.lease_seconds:g} s",
        *(f"  {_absence(each)}" for each in result.absences),
        f"  receipts: {by_host}; {result.records} records, {result.extras} extras; "
        f"{result.fenced} times its log says that a lease was lost or a commit fenced off",
        *_judged(result.findings),
    ]
    return "\n".join(lines)


def _absence(absence: Absence) -> str:
    back = (
        "nothing was left to claim"
        if absence.back_seconds is None
        else f"{absence.back_seconds:.1f} s to the next claim"
    )
    return (
        f"cut off from {' and '.join(absence.from_what)} for {absence.seconds:g} s with {absence.held} batches: "
        f"{absence.taken_over} went to others, {absence.refused} old tokens were refused; back: {back}"
    )


def of_failover(result: TakenOver) -> str:
    """What the replica had not heard, how soon that was noticed, and what became of the job."""
    given = result.given
    noticed = "nobody noticed" if result.noticed_seconds is None else f"noticed after {result.noticed_seconds:.1f} s"
    lines = [
        f"failover: {given.urls} URLs on {given.hosts} hosts in {result.seconds:.0f} s; a replica took over "
        f"{result.lag_seconds:.1f} s behind, without {result.forgotten} URLs that were done",
        f"  {noticed}: {result.reason}",
        f"  {len(result.extras)} extras",
        *(f"  extra: {extra.url}: {extra.explained or 'NOT EXPLAINED'}" for extra in result.extras),
        *_judged(result.findings),
    ]
    return "\n".join(lines)


def of_clocks(result: Jumped) -> str:
    """What was said while the clock was wrong, and what became of the job."""
    given = result.given
    lines = [
        f"clocks: {given.urls} URLs on {given.hosts} hosts in {result.seconds:.0f} s, "
        f"with the clock wrong for {given.wrong_seconds:g} s each time",
        *(
            f"  {jump.by_seconds:+d} s: told {jump.told} times; doctor: {jump.doctor}; right again: the next URL "
            f"{jump.resumed_seconds:.1f} s later"
            for jump in result.jumps
        ),
        f"  times in Redis moved {result.shifts} times, {result.lost_leases} leases given up, {result.extras} extras",
        *_judged(result.findings),
    ]
    return "\n".join(lines)


def of_outages(result: Stranded) -> str:
    """How the store was away, what was said, and how soon work went on."""
    given = result.given
    lines = [
        f"outages: {given.urls} URLs on {given.hosts} hosts in {result.seconds:.0f} s, "
        f"with the store away for {given.away_seconds:g} s each time",
        *(
            f"  {each.mode}: told {each.told} times, {each.done_meanwhile} URLs done meanwhile; "
            f"back: the next URL {each.resumed_seconds:.1f} s later; doctor: {each.doctor or 'not asked, or no fault'}"
            for each in result.outages
        ),
        f"  {result.extras} extras",
        *_judged(result.findings),
    ]
    return "\n".join(lines)


def of_full_disk(result: Filled) -> str:
    """What was said while the disk was full, and how soon work went on."""
    given = result.given
    lines = [
        f"full-disk: {given.urls} URLs on {given.hosts} hosts in {result.seconds:.0f} s, "
        f"with the disk full for {given.full_seconds:g} s each time",
        *(
            f"  {each.left_bytes} bytes left: told {each.told} times, {each.done_meanwhile} URLs done meanwhile; room: "
            f"the next URL {each.resumed_seconds:.1f} s later\n    doctor: {each.doctor}\n    status: {each.status}\n"
            f"    archive: {' '.join(each.command.split())}"
            for each in result.filled
        ),
        f"  {result.extras} extras",
        *_judged(result.findings),
    ]
    return "\n".join(lines)


def document(what: str, result: Result | Partitioned | TakenOver | Jumped | Stranded | Filled) -> dict[str, Any]:
    """A run of the whole stack, for programs."""
    return {"run": what, **asdict(result), "whole": not result.findings}


def _judged(findings: Sequence[Finding]) -> list[str]:
    verdict = "NOT WHOLE" if findings else "whole: every URL once in effect, every file and digest right"
    return [*(f"  WRONG {finding.code}: {finding.text}" for finding in findings), f"  {verdict}"]
