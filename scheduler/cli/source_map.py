"""`source-map` and `prompt`: what was opened, in chunks that a language model is shown and may cite."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from pathlib import Path

import click
from ulid import ULID

from scheduler.cli.context import Context, pass_context
from scheduler.cli.files import read_record
from scheduler.cli.output import print_json, say
from schemas.canonical import canonical_bytes
from schemas.counted import counted
from schemas.ids import utc_string
from schemas.records.source_map import SourceMap
from workers.bootstrap import Archive
from workers.cite.chunks import TARGET_TOKENS
from workers.cite.prompt import render_prompt

MAX_NAME = 65_536
"""Characters of a URL that a map can hold."""


def register(cli: click.Group) -> None:
    cli.add_command(source_map)
    cli.add_command(prompt)


@click.group("source-map")
def source_map() -> None:
    """Source maps: the chunks of opened pages that an answer may cite."""


@source_map.command("build")
@click.argument("pages", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Where the map is written (default: standard output).",
)
@click.option("--query", help="The question that the pages were found for.")
@click.option("--run", "run_id", default=lambda: f"run-{ULID()}", help="The run's id (default: a new one).")
@click.option("--provider", default="web", show_default=True, help="Who found the pages.")
@click.option("--tokens", default=TARGET_TOKENS, show_default=True, type=click.IntRange(20, 4_000), help="Chunk size.")
@pass_context
def build(
    context: Context,
    pages: tuple[str, ...],
    output: str | None,
    query: str | None,
    run_id: str,
    provider: str,
    tokens: int,
) -> int:
    """Make a map of PAGES: snapshot ids, or URLs (their newest citeable snapshot). Exit 1 if none was read."""
    for page in pages:
        if not 0 < len(page) <= MAX_NAME:
            raise click.UsageError(f"PAGES: a name of {len(page)} characters; next: give snapshot ids or URLs")

    from workers.flows.bundle_members import Members
    from workers.flows.source_map import Hit, build_source_map

    async def work(opened: Archive) -> int:
        made = await build_source_map(
            [Hit(name, provider, rank) for rank, name in enumerate(pages, 1)],
            opened.catalog,
            Members(opened.store, opened.catalog),
            run_id=run_id,
            query=query,
            now=utc_string(opened.clock.now()),
            target_tokens=tokens,
        )
        for page in made.unopened:
            say(f"not in the map: {page.url[:300]}: {page.why}")
        if output is None:
            print_json(made)
        else:
            await asyncio.to_thread(Path(output).write_bytes, canonical_bytes(made) + b"\n")
        chunks = sum(len(source.chunks) for source in made.sources)
        say(f"{counted(len(made.sources), 'source')} in {counted(chunks, 'chunk')}")
        return 0 if made.sources else 1

    return context.with_archive(work)


@click.command()
@click.argument("file", metavar="MAP", type=click.Path(dir_okay=False))
@click.option("--question", help="What the model is asked (default: the map's query).")
@click.option("--chunk", "chunks", multiple=True, help="Show these chunks only; repeatable.")
def prompt(file: str, question: str | None, chunks: tuple[str, ...]) -> int:
    """Print the prompt for a language model: rules, question, chunks."""
    document = read_record(Path(file), SourceMap)
    asked = question or document.query
    if not asked:
        raise click.UsageError("the map has no query; give --question")
    known = {chunk.chunk_id for source in document.sources for chunk in source.chunks}
    unknown = [name for name in chunks if name not in known]
    if unknown:
        raise click.UsageError(f"--chunk {unknown[0][:40]}: no chunk of this map; next: give one of {_some(known)}")
    click.echo(render_prompt(document, asked, set(chunks) or None), nl=False)
    return 0


def _some(names: Collection[str]) -> str:
    """The first few of these."""
    return ", ".join(sorted(names)[:5]) + (" …" if len(names) > 5 else "")
