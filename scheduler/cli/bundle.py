"""`bundle`: from a draft to a bundle that anybody can check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from scheduler.cli.context import Context, pass_context
from scheduler.cli.explain import explain
from scheduler.cli.files import read_record
from scheduler.cli.grouping import remark
from scheduler.cli.output import json_option, print_json, say, shown
from schemas.counted import counted
from schemas.ids import utc_string
from schemas.judging import Rank, rank_of
from schemas.people import is_unresolved
from schemas.records.claim import Judgement
from schemas.records.draft import Draft
from workers.adapters.keys import load_key
from workers.bootstrap import Archive
from workers.cite.remarks import compound, unquoted_figures
from workers.cite.shortfall import Shortfall, shortfalls
from workers.flows.bundle import BuiltBundle, build_bundle


def register(cli: click.Group) -> None:
    bundle.add_command(explain)
    cli.add_command(bundle)


@click.group()
def bundle() -> None:
    """Bundles: claims, the evidence for them, and everything needed to check it."""


@bundle.command("build")
@click.argument("draft", type=click.Path(dir_okay=False))
@click.option("-o", "--output", required=True, metavar="DIR", help="Directory to write; an older bundle is replaced.")
@click.option("--sign", "key", metavar="KEY", help="PEM file with the author's Ed25519 key; it stands for the claims.")
@click.option(
    "--judged-by",
    "evaluators",
    multiple=True,
    metavar="CHECKER",
    help="Of evaluators (chat@1+…) take this one's judgements alone; people's always come along. Repeatable.",
)
@click.option(
    "--quote-only",
    "quote_only",
    multiple=True,
    metavar="URL|SNAPSHOT",
    help="Hand on quotes of this page and no copy of it: neither text nor answer. Repeatable.",
)
@json_option
@pass_context
def build(
    context: Context,
    draft: str,
    output: str,
    key: str | None,
    evaluators: tuple[str, ...],
    quote_only: tuple[str, ...],
    as_json: bool,
) -> int:
    """Locate a draft's quotes and write a bundle, with all that was judged of them. Exit 1, and nothing written, if a
    quote cannot be placed.

    Claims that the checker will refuse are named with the reason; the bundle is written all the same.
    """
    for name in evaluators:
        if rank_of(name) is not Rank.EVALUATOR:
            raise click.UsageError(
                f"--judged-by {shown(name[:60])}: no evaluator; `citevault judge agreement` lists them"
            )
    document = read_record(Path(draft), Draft)
    for one in compound(document.claims):
        say(str(one))
    signer = None if key is None else load_key(Path(key))

    async def work(opened: Archive) -> int:
        ports = await opened.bundle_ports()
        built = await build_bundle(
            document,
            Path(output),
            ports,
            now=utc_string(opened.clock.now()),
            sign=signer,
            evaluators=evaluators,
            quote_only=quote_only,
        )
        if not isinstance(built, BuiltBundle):
            for problem in built:
                say(f"{problem.code}: {problem}")
            if as_json:
                print_json(
                    {
                        "problems": [
                            {
                                "code": problem.code,
                                "pointer": problem.pointer,
                                "message": problem.message,
                                "next_step": problem.next_step,
                                "details": list(problem.details),
                            }
                            for problem in built
                        ]
                    }
                )
            return 1
        _report(built, as_json)
        _judged(built, evaluators)
        await remark(opened, [snapshot.id for snapshot in built.bundle.snapshots], output)
        return 0

    return context.with_archive(work)


def _judged(built: BuiltBundle, evaluators: tuple[str, ...]) -> None:
    """Whose word counts, and what was asked for and is not there."""
    ranks = Counter(rank_of(edge.checker_version) for edge in built.bundle.evidence)
    if any(ranks[rank] for rank in (Rank.HUMAN, Rank.ARBITER, Rank.EVALUATOR)):
        people = ranks[Rank.HUMAN] + ranks[Rank.ARBITER]
        say(
            f"judged by people: {people}, by evaluators: {ranks[Rank.EVALUATOR]}, "
            f"by the author alone: {ranks[Rank.AUTHOR]}"
        )
    told: dict[str, list[Judgement]] = {}
    for judgement in built.bundle.judgements:
        told.setdefault(judgement.evidence_id, []).append(judgement)
    for evidence, words in told.items():
        if is_unresolved(words):
            say(f"{evidence} is unresolved: people disagree (`citevault judge arbitrate DIR {evidence}`)")
    there = {judgement.checker_version for judgement in built.bundle.judgements}
    for name in evaluators:
        if name not in there:
            say(f"{shown(name[:60])} has judged none of these quotes (`citevault judge run DIR`)")


def _report(built: BuiltBundle, as_json: bool) -> None:
    verdicts = Counter(claim.status.value for claim in built.bundle.claims)
    refused = shortfalls(built.bundle)
    figures = unquoted_figures(built.bundle)
    for one in figures:
        say(str(one))
    if as_json:
        print_json(
            {
                "directory": str(built.directory),
                "bundle_sha256": built.bundle_sha256,
                "signed": built.signed,
                "claims": len(built.bundle.claims),
                "evidence": len(built.bundle.evidence),
                "snapshots": len(built.bundle.snapshots),
                "verdicts": dict(sorted(verdicts.items())),
                "manifest": built.bundle.head.sequence,
                "will_not_pass": [
                    {
                        "claim_id": each.claim_id,
                        "verdict": each.verdict.value,
                        "why": each.why,
                        "next_step": each.next_step,
                    }
                    for each in refused
                ],
                "remarks": [asdict(one) for one in (*compound(built.bundle.claims), *figures)],
            }
        )
        return
    each = ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items()))
    click.echo(str(built.directory))
    say(
        f"{counted(len(built.bundle.claims), 'claim')} ({each}), {counted(len(built.bundle.evidence), 'quote')} from "
        f"{counted(len(built.bundle.snapshots), 'snapshot')}, under manifest {built.bundle.head.sequence}"
    )
    _tell_refused(refused, len(built.bundle.claims), built.directory)
    say(f"check it: citevault-validate bundle {built.directory} --deep --trust KEY (`citevault keys show` prints ours)")


def _tell_refused(refused: Sequence[Shortfall], claims: int, directory: Path) -> None:
    """Each claim that the checker will refuse, and what can be done."""
    if not refused:
        return
    say(f"{len(refused)} of {counted(claims, 'claim')} will not pass:")
    for each in refused:
        say(f"  {each.claim_id} is {each.verdict.value}: {each.why}")
        say(f"    next: {each.next_step}")
    if len(refused) < claims:
        say(f"  or keep the others alone: citevault-validate bundle {directory} --only passing -o PASSING")
