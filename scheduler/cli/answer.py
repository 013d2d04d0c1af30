"""`answer`: check a model's answer against its source map, and repair it."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
import tempfile
from pathlib import Path

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.files import read_record, read_text_file
from scheduler.cli.output import json_option, print_json, say
from schemas.citations.answer import claims_document, mechanical_document, parsed_document, read_answer
from schemas.counted import counted
from schemas.records.source_map import SourceMap
from workers.cite.answer_changes import Change
from workers.cite.model_prompt import repair_request, text_of
from workers.config import Settings
from workers.errors import PermanentError, RetryableError
from workers.flows.repair import MOST_ATTEMPTS, Ask, Checked, Repaired, repair_answer

MAX_ANSWER_BYTES = 2 * 1024 * 1024
MAX_REPORT_BYTES = 64 * 1024 * 1024
"""Of a long answer that is all wrong: a thousand findings of each kind, each with a passage."""
MODEL_SECONDS = 300.0
CHECK_SECONDS = 120.0
PROFILES = ("paragraph", "claim", "strict")

map_option = click.option("--map", "map_file", required=True, metavar="MAP", type=click.Path(dir_okay=False))
profile_option = click.option("--profile", type=click.Choice(PROFILES), default="claim", show_default=True)


def register(cli: click.Group) -> None:
    cli.add_command(answer)


@click.group()
def answer() -> None:
    """Answers of language models: are their citations those of the source map?"""


@answer.command("check")
@click.argument("file", metavar="ANSWER", type=click.Path(dir_okay=False))
@map_option
@profile_option
@json_option
def check(file: str, map_file: str, profile: str, as_json: bool) -> int:
    """Check an answer with citevault-validate, which runs as a program of its own. Exit as it does."""
    parsed, document = read_answer(_text(file)), read_record(Path(map_file), SourceMap)
    if not as_json:
        code, out = asyncio.run(_validate(file, map_file, profile, "text"))
        click.echo(out, nl=False)
        return code
    code, out = asyncio.run(_validate(file, map_file, profile, "json"))
    print_json(
        {
            "parsed": parsed_document(parsed),
            "mechanical": mechanical_document(parsed, document),
            "claims": claims_document(parsed, document),
            "report": json.loads(out),
        }
    )
    return code


@answer.command("repair")
@click.argument("file", metavar="ANSWER", type=click.Path(dir_okay=False))
@map_option
@profile_option
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Where the repaired answer is written (default: standard output).",
)
@click.option("--model-command", metavar="CMD", help="A program that reads a prompt and writes an answer.")
@click.option(
    "--model", "model", metavar="NAME", help="Ask this model, at the endpoint of CITEVAULT_JUDGE_URL, with its key."
)
@click.option("--attempts", default=2, show_default=True, type=click.IntRange(1, MOST_ATTEMPTS), help="Of the model.")
@click.option("--critical", multiple=True, metavar="TEXT", help="Words of a sentence that must not go; repeatable.")
@click.option("--allow-critical", is_flag=True, help="Let even these be changed or taken out.")
@json_option
@pass_context
def repair(
    context: Context,
    file: str,
    map_file: str,
    profile: str,
    output: str | None,
    model_command: str | None,
    model: str | None,
    attempts: int,
    critical: tuple[str, ...],
    allow_critical: bool,
    as_json: bool,
) -> int:
    """Repair an answer, never its evidence. Exit 1, and nothing written, if no repair could be accepted."""
    if model is not None and model_command is not None:
        raise click.UsageError("give one of --model and --model-command")
    ask, named = None, ""
    if model_command is not None:
        ask, named = _command(model_command), f"command {shlex.split(model_command)[0]}"
    elif model is not None:
        ask, named = _endpoint(model, context.settings()), model
    text, document = _text(file), read_record(Path(map_file), SourceMap)
    for words in critical:
        if words not in text:
            raise click.UsageError(f"--critical {words[:60]!r}: the answer has no such words; next: copy them from it")

    async def verdict(candidate: str) -> Checked:
        with tempfile.TemporaryDirectory(prefix="citevault-answer-") as folder:
            path = Path(folder) / "answer.md"
            path.write_bytes(candidate.encode("utf-8"))
            code, out = await _validate(str(path), map_file, profile, "json")
        findings = [one for one in json.loads(out)["findings"] if one["severity"] == "error"]
        errors = tuple(f"{one['code']}: {one['message']} {one['actual'] or ''}".strip() for one in findings)
        return Checked(code == 0, errors)

    done = asyncio.run(
        repair_answer(
            text,
            document,
            verdict,
            ask=ask,
            model=named,
            attempts=attempts,
            critical=critical,
            allow_critical=allow_critical,
            every_sentence=profile == "strict",
        )
    )
    _report(done, as_json, wrote=output is not None)
    if done.text is None:
        return 1
    if output is not None:
        Path(output).write_bytes(done.text.encode("utf-8"))
    elif not as_json:
        click.echo(done.text, nl=False)
    return 0


def _report(done: Repaired, as_json: bool, *, wrote: bool) -> None:
    """What became of each sentence; the answer itself where it goes nowhere else."""
    for attempt in done.attempts:
        for reason in attempt.refused:
            say(f"{attempt.by}: refused: {reason}")
    if as_json:
        document: dict[str, JsonValue] = {
            "accepted": done.text is not None,
            "answer": None if wrote else done.text,
            "evidence_sha256": done.evidence_sha256,
            "changes": [_change(one) for one in done.changes],
            "attempts": [{"by": one.by, "refused": [*one.refused]} for one in done.attempts],
        }
        print_json(document)
        return
    for one in done.changes:
        _tell(one)
    own = [one for one in done.changes if one.claims and one.kind != "added"]  # what `answer check` counts
    kept = sum(one.kind == "kept" for one in own)
    uncited = sum(one.uncited for one in own)
    without = f", {uncited} without a citation" if uncited else ""
    say(f"{kept} of {counted(len(own), 'sentence')} kept{without}; evidence {done.evidence_sha256[:16]} untouched")


def _tell(one: Change) -> None:
    """A sentence that is not as it was: where, what is gone and why, before and after."""
    if one.kind == "kept" and not one.cuts and not one.uncited:
        return
    reason = f": {one.why}" if one.why else ", without a citation" if one.uncited else ""
    say(f"line {one.line}: sentence {one.kind}{' (critical)' if one.critical else ''}{reason}")
    for cut in one.cuts:
        say(f"  cut {cut.what}: {cut.why}")
    if one.stood:
        say(f"  before: {one.stood}")
    if one.stands:
        say(f"  after:  {one.stands}")


def _change(one: Change) -> JsonValue:
    return {
        "kind": one.kind,
        "before": one.before,
        "after": one.after,
        "critical": one.critical,
        "line": one.line,
        "why": one.why,
        "uncited": one.uncited,
        "cut": [{"what": cut.what, "why": cut.why} for cut in one.cuts],
        "text_before": one.stood or None,
        "text_after": one.stands or None,
    }


def _text(file: str) -> str:
    path = Path(file)
    if path.is_file() and path.stat().st_size > MAX_ANSWER_BYTES:
        raise click.UsageError(
            f"{path}: an answer has at most {MAX_ANSWER_BYTES} bytes, some 300,000 words; "
            "next: split it at a heading, and check each part against the same map"
        )
    return read_text_file(path, MAX_ANSWER_BYTES)


async def _validate(file: str, map_file: str, profile: str, kind: str) -> tuple[int, str]:
    """The validator as a program of its own: nobody imports it."""
    program = [sys.executable, "-m", "validator.cli", "answer", file, "--map", map_file]
    code, out, err = await _run(
        [*program, "--profile", profile, "--format", kind], b"", CHECK_SECONDS, MAX_REPORT_BYTES
    )
    if code not in (0, 1, 3):
        raise PermanentError(
            f"citevault-validate refused it: {err.strip()[:500]}", where=file, next_step="correct the answer or the map"
        )
    return code, out


def _command(line: str) -> Ask:
    """A model behind a program: the prompt on its standard input, its answer on its standard output."""
    arguments = shlex.split(line)
    if not arguments:
        raise click.UsageError("--model-command: no program is named")

    async def ask(prompt: str) -> str:
        code, out, err = await _run(arguments, prompt.encode("utf-8"), MODEL_SECONDS)
        if code != 0:
            raise PermanentError(
                f"the model's program ended with {code}: {err.strip()[-300:]}",
                where=arguments[0],
                next_step="try the program by hand; it reads a prompt and writes an answer",
            )
        return out

    return ask


def _endpoint(model: str, settings: Settings) -> Ask:
    """A model behind a chat-completions endpoint, the one that judges are asked at."""
    from workers.adapters.chat import open_endpoint

    if not settings.judge_url:
        raise click.UsageError("--model: no endpoint is set; next: CITEVAULT_JUDGE_URL=https://models.example/v1")

    async def ask(prompt: str) -> str:
        async with open_endpoint(
            settings.judge_url, settings.judge_api_key, seconds=settings.judge_seconds
        ) as endpoint:
            said = text_of(await endpoint.ask(repair_request(model, prompt)))
        if said is None:
            raise PermanentError(
                "the model's answer has no whole text",
                where=endpoint.host,
                next_step="see that it speaks chat completions, and that its answers are not cut short",
            )
        return said

    return ask


async def _run(
    arguments: list[str], given: bytes, seconds: float, most: int = MAX_ANSWER_BYTES
) -> tuple[int, str, str]:
    try:
        process = await asyncio.create_subprocess_exec(
            *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
    except OSError as error:
        raise PermanentError(
            f"the program cannot be started: {error.strerror}", where=arguments[0], next_step="correct its name"
        ) from error
    try:
        out, err = await asyncio.wait_for(process.communicate(given), seconds)
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise RetryableError(f"no answer within {seconds:.0f} s", where=arguments[0], next_step="try again") from error
    if len(out) > most:
        raise PermanentError(
            f"it wrote {len(out)} bytes; {most} are read",
            where=arguments[0],
            next_step="let it write less: a shorter answer, or a part of it at a time",
        )
    return process.returncode or 0, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
