"""`manifest`, `keys`: the signed log, and the key that signs it."""

from __future__ import annotations

from pathlib import Path

import click
from pydantic import JsonValue

from scheduler.cli.context import Context, pass_context
from scheduler.cli.naming import line_named
from scheduler.cli.output import json_option, print_json, print_rows, say
from schemas.canonical import canonical_sha256
from schemas.counted import counted
from schemas.keys import MANIFESTS, PUBLIC_KEYS
from workers.adapters.keys import create_key, load_key
from workers.bootstrap import Archive
from workers.errors import PermanentError
from workers.flows.naming import is_id
from workers.flows.publish import publish as publish_waiting
from workers.flows.publish import sync


def register(cli: click.Group) -> None:
    cli.add_command(manifest)
    cli.add_command(keys)


@click.group()
def manifest() -> None:
    """The append-only log of what was archived."""


@manifest.command("list")
@json_option
@pass_context
def listing(context: Context, as_json: bool) -> int:
    """List the manifests, each verified as it is read."""

    async def work(opened: Archive) -> int:
        await sync(opened.store, opened.log_index)
        rows: list[dict[str, JsonValue]] = [
            {
                "sequence": head.sequence,
                "created_at": head.created_at,
                "leaves": head.tree_size - head.first_leaf,
                "tree_size": head.tree_size,
                "root_sha256": head.root_sha256,
                "head_sha256": canonical_sha256(head),
            }
            for head in opened.log_index.heads
        ]
        print_rows(
            rows,
            ("sequence", "created_at", "leaves", "tree_size", "root_sha256"),
            as_json=as_json,
            nothing="no manifests",
        )
        return 0

    return context.with_archive(work)


@manifest.command("show")
@click.argument("sequence", type=click.IntRange(1))
@pass_context
def show(context: Context, sequence: int) -> int:
    """Show one head as JSON."""

    async def work(opened: Archive) -> int:
        await sync(opened.store, opened.log_index)
        if sequence > len(opened.log_index.heads):
            raise PermanentError(
                "there is no such manifest", where=str(sequence), next_step="see `citevault manifest list`"
            )
        print_json(opened.log_index.heads[sequence - 1])
        return 0

    return context.with_archive(work)


@manifest.command("publish")
@pass_context
def publish(context: Context) -> int:
    """Publish now what waits. Exit 1 if nothing does."""

    async def work(opened: Archive) -> int:
        heads = await publish_waiting(await opened.publish_ports())
        for head in heads:
            leaves = counted(head.tree_size - head.first_leaf, "leaf", "leaves")
            click.echo(f"manifest {head.sequence}: {leaves}, {head.tree_size} in all")
        if not heads:
            say("nothing waits to be published")
        return 0 if heads else 1

    return context.with_archive(work)


@manifest.command("prove")
@click.argument("snapshot", metavar="SNAPSHOT|URL")
@click.option("--json", "as_json", is_flag=True, help="It is JSON in any case.")
@pass_context
def prove(context: Context, snapshot: str, as_json: bool) -> int:
    """Print the inclusion proof (RFC 9162) of a snapshot under the newest head. Exit 1 if it is not published.

    A URL stands for its newest snapshot that may be cited.
    """

    async def work(opened: Archive) -> int:
        name = snapshot if is_id(snapshot) else (await line_named(opened, snapshot)).snapshot.id
        index = opened.log_index
        await sync(opened.store, index)
        place = index.place(name)
        if place is None:
            await line_named(opened, name)  # what the archive does not have is bad input
            say(f"{name} is not in the log yet")
            say("  next: wait until its job is published, or `citevault manifest publish`")
            return 1
        print_json(
            {
                "snapshot_id": name,
                "leaf_index": place.index,
                "manifest": place.sequence,
                "tree_size": index.state.tree.size,
                "root_sha256": index.state.tree.root().hex(),
                "hashes": [item.hex() for item in index.inclusion(place.index)],
            }
        )
        return 0

    return context.with_archive(work)


@manifest.command("export")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Folder to write: `manifests/` and `keys/` go into it.",
)
@pass_context
def export(context: Context, output: str) -> int:
    """Copy the log into a folder, as it is stored, for `citevault-validate manifest DIR`, without `--deep`: that
    needs the whole archive (`s3://BUCKET`, or a folder that is a copy of it)."""

    async def work(opened: Archive) -> int:
        await sync(opened.store, opened.log_index)
        count = 0
        for prefix in (MANIFESTS, PUBLIC_KEYS):
            async for key in opened.store.list(prefix):
                target = Path(output) / key
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(await opened.store.get(key))
                count += 1
        say(f"{counted(count, 'object')}, {counted(len(opened.log_index.heads), 'manifest')}: {output}")
        say(
            "to be checked without --deep, which needs the whole archive: s3://BUCKET, or a folder that is a copy of it"
        )
        return 0

    return context.with_archive(work)


@click.group()
def keys() -> None:
    """The key that signs the log."""


@keys.command("init")
@pass_context
def init(context: Context) -> int:
    """Make the signing key; one that is there is never overwritten."""
    path = context.settings().signing_key
    signer = create_key(path)
    click.echo(signer.keyid)
    say(f"private key: {path} (keep it secret)\npublic key: {path.with_suffix('.pub.pem')} (give it to who checks)")
    return 0


@keys.command("show")
@json_option
@pass_context
def show_key(context: Context, as_json: bool) -> int:
    """Print the public key as PEM, for `citevault-validate --trust`."""
    signer = load_key(context.settings().signing_key)
    if as_json:
        print_json({"keyid": signer.keyid, "spki_pem": signer.public_pem()})
    else:
        click.echo(signer.public_pem(), nl=False)
    return 0
