"""`compact`: an archive of real captures whose files are joined and deleted, and everything that reads it reads on:
extraction, `show`, `index`, `bundle build`, `rebuild`, the validator, and readers that are not ours."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import redis

from schemas import keys
from schemas.records.receipt import Receipt
from validator.cli import main as validate
from workers.adapters.stores import ClosableStore, open_store
from workers.config import Settings, process_environment
from workers.flows.documents import read_object
from workers.flows.publish import publish

pytestmark = pytest.mark.real
QUOTE = "The barrier consists of 14 gates of structural steel."
PAGES = [
    [("authority", "/barrier"), ("authority", "/status")],
    [("authority", "/barrier"), ("courier", "/news/tidal-barrier")],  # the first is a revisit now
    [("portal", "/stories/tidal-barrier"), ("authority", "/status")],
]


@dataclass
class Captured:
    """An archive of three jobs, published, and a fourth that was captured alone."""

    settings: Settings
    folder: Path
    barrier: str
    messages: list[object]
    """What was announced of the fourth job, and not delivered yet."""
    store: ClosableStore

    def check(self, *arguments: str) -> dict[str, object]:
        """The validator's report; it must find nothing."""
        report = self.folder / "report.json"
        trust = ["--trust", str(self.settings.signing_key.with_suffix(".pub.pem"))]
        code = validate([*arguments, "--deep", *trust, "--format", "json", "--output", str(report)])
        found: dict[str, object] = json.loads(report.read_text())
        assert (code, [each for each in found["findings"] if each["severity"] != "note"]) == (0, [])
        return found

    def stored(self, prefix: str) -> list[str]:
        async def listing() -> list[str]:
            return sorted([key async for key in self.store.list(prefix)])

        return asyncio.run(listing())

    def fetched(self, key: str) -> bytes:
        return asyncio.run(self.store.get(key))


@pytest.fixture
def captured(settings_in, plane_over, web, tmp_path, monkeypatch):
    settings = replace(settings_in(tmp_path), compact_grace_seconds=0.0)
    for name, value in process_environment(settings).items():
        if name.startswith(("AWS_", "CITEVAULT_S3")):
            monkeypatch.setenv(name, value)

    async def fill():
        async with plane_over(settings) as plane:
            for number, pages in enumerate([*PAGES, [("hydrology", "/measurements")]]):
                await plane.job([web.url(*page) for page in pages])
                for batch in await plane.release():
                    await plane.capture(batch)
                if number < len(PAGES):
                    await plane.deliver()
            await publish(await plane.archive.publish_ports())
            return list(plane.inbox.messages)

    messages = asyncio.run(fill())
    store = open_store(settings)
    yield Captured(settings, tmp_path, web.url("authority", "/barrier"), messages, store)
    store.close()


def draft(folder: Path, url: str) -> str:
    claim = {"id": "c-001", "text": "The barrier has fourteen gates.", "importance": "ordinary"}
    evidence = {"claim_id": "c-001", "support": "full", "url": url, "quote": QUOTE}
    path = folder / "draft.json"
    path.write_text(
        json.dumps({"schema": "citevault/draft@1", "id": "report", "claims": [claim], "evidence": [evidence]})
    )
    return str(path)


def test_everything_that_reads_an_archive_reads_on_after_its_files_were_joined_and_deleted(
    captured, over, plane_over, web, tmp_path, fastwarc_verdicts, warcio_verdicts, peers
):
    citevault = over(captured.settings)
    log = f"s3://{captured.settings.s3_bucket}/{captured.settings.s3_prefix}"
    source = draft(tmp_path, captured.barrier)
    assert citevault("bundle", "build", source, "-o", str(tmp_path / "before")).code == 0
    snapshots = [each["id"] for each in citevault("snapshots", "--json").json]
    shown = {each: citevault("show", each, "--record").stdout for each in snapshots}
    assert citevault("index", "-o", str(tmp_path / "before.cdxj")).code == 0
    checked = captured.check("manifest", log)["checked"]
    old = captured.stored("warc/")
    assert len(old) == 4

    plan = citevault("compact", "--dry-run", "--json").json
    assert (plan["files"], plan["files_after"], plan["damaged"]) == (4, 1, [])
    assert [group["join"] for group in plan["would_make"]] == [4]
    assert captured.stored("compactions/") == []
    said = citevault("compact", "--json")
    assert said.code == 0
    (made,) = said.json["made"]
    assert (made["joined"], said.json["files"], said.json["dropped"]) == (4, 1, 0)
    assert captured.check("manifest", log)["checked"] == checked
    dry = citevault("compact", "--delete-old", "--dry-run", "--json").json
    assert (dry["would_delete_files"], dry["entries"]) == (4, [1])
    assert set(old) < set(captured.stored("warc/"))
    gone = citevault("compact", "--delete-old", "--json")
    assert (gone.code, gone.json["deleted_files"], gone.json["deleted_garbage"]) == (0, 4, [])
    assert captured.stored("warc/") == [made["key"]]
    assert len(captured.stored("cdxj/")) == 1

    assert captured.check("manifest", log)["checked"] == checked
    captured.check("bundle", str(tmp_path / "before"))
    assert {each: citevault("show", each, "--record").stdout for each in snapshots} == shown
    assert citevault("bundle", "build", source, "-o", str(tmp_path / "after")).code == 0
    captured.check("bundle", str(tmp_path / "after"))
    assert (tmp_path / "after/archive/records.warc.gz").read_bytes() == (
        tmp_path / "before/archive/records.warc.gz"
    ).read_bytes()

    async def extract_the_fourth():
        async with plane_over(captured.settings) as plane:
            plane.inbox.messages += captured.messages
            await plane.deliver()

    asyncio.run(extract_the_fourth())
    assert len(citevault("snapshots", "--json").json) == len(snapshots) + 1
    with redis.Redis.from_url(captured.settings.redis_url) as client:
        client.flushall()
    assert citevault("rebuild").code == 0
    assert {each: citevault("show", each, "--record").stdout for each in snapshots} == shown

    assert citevault("index", "-o", str(tmp_path / "after.cdxj")).code == 0
    before, after = (read_index(tmp_path / f"{name}.cdxj") for name in ("before", "after"))
    assert [line[:-2] for line in after] == [line[:-2] for line in before], "all but where they lie"
    file = tmp_path / "files" / made["key"].removeprefix("warc/")
    file.parent.mkdir(parents=True)
    file.write_bytes(captured.fetched(made["key"]))
    with file.open("rb") as stream:
        verdicts = fastwarc_verdicts(stream)
    assert len(verdicts) == made["records"]
    assert all(verdict.block is True for verdict in verdicts)
    assert [verdict.type for verdict in verdicts].count("warcinfo") == 1 + 4
    with file.open("rb") as stream:
        assert all(passed is not False for _, passed in warcio_verdicts(stream))
    command = [str(peers / "cdxj-indexer"), "--sort", "--dir-root", str(tmp_path / "files"), str(file)]
    theirs = subprocess.run(command, check=True, capture_output=True, timeout=120).stdout.splitlines()
    ours = (tmp_path / "after.cdxj").read_bytes().splitlines()
    assert len(theirs) == len(ours)
    revisits = [line for line in ours if b'"warc/revisit"' in line]
    assert set(ours) - set(theirs) == set(revisits), "theirs give a revisit the status of its stored head"


def test_pywb_replays_a_joined_file(captured, over, tmp_path, pywb_over):
    citevault = over(captured.settings)
    (made,) = citevault("compact", "--json").json["made"]
    citevault("index", "-o", str(tmp_path / "all.cdxj"))
    file = tmp_path / "files" / made["key"].removeprefix("warc/")
    file.parent.mkdir(parents=True)
    file.write_bytes(captured.fetched(made["key"]))
    stamps = [line[1] for line in read_index(tmp_path / "all.cdxj") if line[2] == captured.barrier]
    assert len(stamps) == 2, "the page and its revisit"
    with pywb_over(tmp_path / "files", (tmp_path / "all.cdxj").read_bytes()) as pywb:
        bodies = [pywb.replayed(stamp, captured.barrier) for stamp in stamps]
    assert [(status, QUOTE.encode() in body) for status, _, body in bodies] == [(200, True), (200, True)]


def read_index(path: Path) -> list[tuple[str, ...]]:
    """Key, time, fields but for place, and then the place."""
    found = []
    for line in path.read_text().splitlines():
        key, stamp, rest = line.split(" ", 2)
        fields = json.loads(rest)
        place = (fields.pop("offset"), fields.pop("filename"))
        found.append((key, stamp, fields.pop("url"), *sorted(fields.items()), *place))
    return sorted(found, key=str)


MOMENTS = [
    ([], lambda found: any("-joined" in key for key in found("warc/"))),
    ([], lambda found: any("-joined" in key for key in found("cdxj/"))),
    ([], lambda found: found("compactions/")),
    (["--delete-old"], lambda found: len(found("warc/")) < 5),
    (["--delete-old"], lambda found: len(found("cdxj/")) < 3),
]
"""What to run, and what is true of the store when it is killed, or soon after."""


def test_runs_that_are_killed_lose_nothing(captured, over, tmp_path):
    citevault = over(captured.settings)
    log = f"s3://{captured.settings.s3_bucket}/{captured.settings.s3_prefix}"
    snapshots = [each["id"] for each in citevault("snapshots", "--json").json]
    shown = {each: citevault("show", each, "--record").stdout for each in snapshots}
    command = [sys.executable, "-c", "from scheduler.cli import main; main()", "compact"]
    environment = {**process_environment(captured.settings), "CITEVAULT_SPOOL_DIR": str(tmp_path / "spool")}
    for arguments, is_time in MOMENTS:
        process = subprocess.Popen([*command, *arguments], env=environment, stderr=subprocess.DEVNULL)
        while process.poll() is None and not is_time(captured.stored):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert {each: citevault("show", each, "--record").stdout for each in snapshots} == shown
    for arguments in ([], ["--delete-old"]):
        assert citevault("compact", *arguments).code == 0
    captured.check("manifest", log)
    (entry,) = [key for key in captured.stored("compactions/") if not key.endswith("-cleared.json")]
    assert captured.stored("compactions/") == [f"{entry.removesuffix('.json')}-cleared.json", entry]
    assert [key for key in captured.stored("warc/") if "-joined" not in key] == []


def test_a_person_is_told_what_was_done_and_what_comes_next(captured, over):
    citevault = over(captured.settings)
    said = citevault("compact", "--dry-run")
    assert (said.code, "4 files stand, 1 would" in said.err) == (0, True)
    said = citevault("compact")
    assert said.code == 0
    assert "-joined.warc.gz" in said.out
    assert "4 files joined into 1; 1 stand now" in said.err
    assert "can be deleted after 0 days: `citevault compact --delete-old`" in said.err
    said = citevault("compact")
    assert (said.code, "nothing to join" in said.err) == (0, True)
    said = citevault("compact", "--delete-old")
    assert (said.code, said.stdout) == (0, b"")
    assert "of 1 compaction deleted, their new files verified" in said.err


def test_a_damaged_file_is_told_with_what_to_do(captured, over):
    first, *_ = captured.stored(keys.COMMITS)

    async def damage():
        receipt = await read_object(captured.store, first, Receipt)
        await captured.store.put(receipt.warc.key, b"other bytes")
        return receipt.warc.key

    key = asyncio.run(damage())
    said = over(captured.settings)("compact")
    assert said.code == 3
    assert f"left alone, damaged: {key}" in said.err
    assert "next: restore it from a copy of the bucket" in said.err
    assert "3 files joined into 1; 2 stand now" in said.err
