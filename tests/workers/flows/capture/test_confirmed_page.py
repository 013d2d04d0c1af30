"""A page that its server calls unchanged, from the 304 to what a stranger sees: replay in pywb, bundle, validator."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schemas.records.outcome import Outcome
from workers.flows.bundle import BuiltBundle
from workers.flows.publish import publish
from workers.flows.reading import read_answer

pytestmark = pytest.mark.real

ETAG = 'ETag: "v1"'


def stamp(time: str) -> str:
    return "".join(character for character in time if character.isdigit())[:14]


@pytest.mark.slow
def test_pywb_replays_the_original_200_for_a_304(visiting, server, whole, unchanged, pywb_over, barrier_page, tmp_path):
    """Also for a second 304, and for one whose page had come again in full in between: each refers to the one
    response. (What others report as "original could not be loaded", or as an empty page.)"""
    url = server.says(
        "/page",
        whole(barrier_page, ETAG),
        unchanged(ETAG),
        whole(barrier_page, 'ETag: "v2"'),
        unchanged(),
        unchanged('ETag: "v2"'),
    )
    folder = tmp_path / "archive"

    async def scenario(visits):
        outcomes = [await visits.visit(url) for _ in range(5)]
        lines: list[bytes] = []
        for number, receipt in enumerate(visits.receipts):
            path = folder / receipt.warc.key.removeprefix("warc/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(await visits.warc(number))
            lines += (await visits.plane.archive.store.get(receipt.cdxj.key)).splitlines(keepends=True)
        return outcomes, b"".join(sorted(lines))

    outcomes, cdxj = visiting(scenario)
    assert [outcome.outcome.value for outcome in outcomes] == [
        "captured", "not_modified", "revisit", "not_modified", "not_modified",
    ]  # fmt: skip
    with pywb_over(folder, cdxj) as pywb:
        for outcome in outcomes:
            status, headers, body = pywb.replayed(stamp(outcome.hops[0].retrieved_at), url)
            assert (status, body) == (200, barrier_page), outcome.outcome
            assert headers["content-type"] == "text/html; charset=utf-8"


def test_a_quote_of_a_confirmed_page_passes_the_deep_check(
    visiting, server, whole, unchanged, barrier_page, cite_the_barrier, tmp_path
):
    """From archive to validator: the snapshot of the 304 has the original's text under a time of its own, and the
    bundle carries the original."""
    url = server.says(
        "/page", whole(barrier_page, ETAG, "Last-Modified: Fri, 21 Aug 2026 10:00:00 GMT"), unchanged(ETAG)
    )

    async def scenario(visits):
        archive = visits.plane.archive
        first, second = await visits.visit(url), await visits.visit(url)
        await visits.plane.deliver()
        await publish(await archive.publish_ports())
        (before, after) = [
            (await archive.catalog.snapshot((await archive.catalog.snapshots_of_job(receipt.job_id))[0])).snapshot
            for receipt in visits.receipts
        ]
        built = await cite_the_barrier(archive, after.id, tmp_path / "bundle")
        (tmp_path / "key.pem").write_text(archive.signer().public_pem())
        shown = await read_answer(archive.store, archive.catalog, after.records)
        return first, second, before, after, built, shown

    first, second, before, after, built, shown = visiting(scenario)
    assert second.outcome is Outcome.NOT_MODIFIED
    assert isinstance(built, BuiltBundle), built
    assert (after.retrieved_at, after.http_status) == (second.hops[0].retrieved_at, 304)
    assert after.retrieved_at > before.retrieved_at
    assert after.id != before.id
    same = ("text_sha256", "content_sha256", "decoded_sha256", "repr_sha256", "content_type", "reader_status", "etag")
    assert {name: getattr(after, name) for name in same} == {name: getattr(before, name) for name in same}
    assert after.records.payload == first.hops[0].record("response").record_id
    (snapshot,) = built.bundle.snapshots
    assert {member.type for member in snapshot.warc.members} == {
        "warcinfo", "request", "response", "revisit", "metadata", "conversion",
    }  # fmt: skip
    assert shown.head == unchanged(ETAG)
    assert shown.block.endswith(barrier_page)
    assert validated(tmp_path / "bundle", tmp_path / "key.pem") == (0, [])


def validated(bundle: Path, key: Path) -> tuple[int, list[str]]:
    """Exit code of the validator, and what it found beside notes."""
    command = [
        sys.executable,
        "-c",
        "import sys; from validator.cli import main; sys.exit(main())",
        "bundle",
        str(bundle),
        "--deep",
    ]
    done = subprocess.run(
        [*command, "--trust", str(key), "--format", "json"], capture_output=True, text=True, timeout=120
    )
    report: Any = json.loads(done.stdout)
    return done.returncode, [finding["code"] for finding in report["findings"] if finding["severity"] != "note"]
