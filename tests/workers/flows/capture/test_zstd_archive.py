"""An archive of zstd frames, from the capture to what a stranger checks: after the file nothing knows it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workers.flows.bundle import BuiltBundle
from workers.flows.publish import publish
from workers.ports import ObjectStore

pytestmark = pytest.mark.real


def test_a_page_in_a_zstd_archive_is_extracted_revisited_bundled_and_checked(
    visiting, server, whole, barrier_page, cite_the_barrier, tmp_path
):
    url = server.says("/page", whole(barrier_page))
    again = server.says("/copy", whole(barrier_page))

    async def scenario(visits):
        archive = visits.plane.archive
        archive.settings = replace(archive.settings, warc_compression="zstd")
        outcomes = [await visits.visit(url), await visits.visit(again)]
        await visits.plane.deliver()
        await publish(await archive.publish_ports())
        (snapshot_id,) = await archive.catalog.snapshots_of_job(visits.receipts[1].job_id)
        built = await cite_the_barrier(archive, snapshot_id, tmp_path / "bundle")
        (tmp_path / "key.pem").write_text(archive.signer().public_pem())
        await copied(archive.store, tmp_path / "copy")
        return outcomes, [receipt.warc.key for receipt in visits.receipts], built

    outcomes, files, built = visiting(scenario)
    assert [outcome.outcome.value for outcome in outcomes] == ["captured", "revisit"]
    assert all(name.endswith(".warc.zst") for name in files)
    assert isinstance(built, BuiltBundle), built
    assert (tmp_path / "bundle/archive/records.warc.gz").read_bytes()[:2] == b"\x1f\x8b"
    key = str(tmp_path / "key.pem")
    assert validated("bundle", tmp_path / "bundle", key) == (0, [])
    assert validated("manifest", tmp_path / "copy", key) == (0, [])


def test_a_frame_that_was_changed_is_found(visiting, server, whole, barrier_page, tmp_path):
    url = server.says("/page", whole(barrier_page))

    async def scenario(visits):
        archive = visits.plane.archive
        archive.settings = replace(archive.settings, warc_compression="zstd")
        await visits.visit(url)
        await visits.plane.deliver()
        await publish(await archive.publish_ports())
        (tmp_path / "key.pem").write_text(archive.signer().public_pem())
        await copied(archive.store, tmp_path / "copy")
        receipt = visits.receipts[0]
        return receipt.warc.key, receipt.outcomes[0].hops[0].record("response")

    key, place = visiting(scenario)
    path = tmp_path / "copy" / key
    data = bytearray(path.read_bytes())
    data[place.offset + place.length // 2] ^= 0x10
    path.write_bytes(data)
    code, found = validated("manifest", tmp_path / "copy", str(tmp_path / "key.pem"))
    assert code == 1, found
    assert found


async def copied(store: ObjectStore, folder: Path) -> None:
    """Every object, as a file."""
    async for key in store.list(""):
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(await store.get(key))


def validated(what: str, place: Path, key: str) -> tuple[int, list[str]]:
    """Exit code of the validator, and what it found beside notes."""
    command = [
        sys.executable,
        "-c",
        "import sys; from validator.cli import main; sys.exit(main())",
        what,
        str(place),
        "--deep",
    ]
    done = subprocess.run([*command, "--trust", key, "--format", "json"], capture_output=True, text=True, timeout=120)
    report: Any = json.loads(done.stdout)
    return done.returncode, [finding["code"] for finding in report["findings"] if finding["severity"] != "note"]
