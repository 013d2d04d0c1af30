"""The main job on 201 real pages: every one archived, every digest right, every second reader content."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from schemas.records.outcome import Outcome
from schemas.records.receipt import Receipt

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.allow_hosts(["127.0.0.0/8", "::1", "localhost"]),
    pytest.mark.timeout(600),
]

LOOPBACK = ("--allow-network", "127.0.0.0/8", "--no-requisites")
"""What the pages need lies on hosts that this machine cannot reach; other tests are about that."""


@dataclass(frozen=True)
class Archived:
    """A finished job over all pages, with its WARC files at hand."""

    answer: dict[str, Any]
    receipts: list[Receipt]
    folder: Path
    paths: list[Path]
    urls: list[str]
    pages: dict[str, Any]


@pytest.fixture(scope="module")
def archived(stack: Any, server: Any, real_pages: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Archived:
    folder = tmp_path_factory.mktemp("archived")
    seeds = folder / "seeds.txt"
    seeds.write_text("".join(f"{url}\n" for url in server.urls), encoding="utf-8")
    answer = stack.json("archive", "--from", str(seeds), "--collection", "pages", "--wait", *LOOPBACK)
    receipts = stack.receipts(answer["job_id"])
    return Archived(answer, receipts, folder, stack.download(receipts, folder), server.urls, real_pages)


def test_every_page_is_captured_once(archived: Archived) -> None:
    outcomes = [outcome for receipt in archived.receipts for outcome in receipt.outcomes]
    assert Counter(outcome.requested_url for outcome in outcomes) == Counter(archived.urls)
    assert len(archived.urls) == 201
    assert {outcome.outcome for outcome in outcomes} <= {Outcome.CAPTURED, Outcome.REVISIT}


def test_the_stored_payload_is_what_the_server_sent(archived: Archived) -> None:
    seen = 0
    for path in archived.paths:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, parse_http=True):
                if record.headers["WARC-Type"] == "response" and "/robots.txt" not in record.headers["WARC-Target-URI"]:
                    sent = archived.pages["/" + record.headers["WARC-Target-URI"].split("/", 3)[3]].body
                    assert record.reader.read() == sent
                    seen += 1
    revisits = sum(o.outcome is Outcome.REVISIT for receipt in archived.receipts for o in receipt.outcomes)
    assert seen + revisits == 201


def test_fastwarc_finds_every_digest_right_and_skips_nothing(archived: Archived) -> None:
    checked: Counter[str] = Counter()
    for path, receipt in zip(archived.paths, archived.receipts, strict=True):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, parse_http=False):
                kind = record.headers["WARC-Type"]
                assert record.verify_block_digest(), record.headers["WARC-Record-ID"]
                checked[kind] += 1
                if kind == "response":
                    record.parse_http()
                    assert record.verify_payload_digest(), record.headers["WARC-Record-ID"]
        assert receipt.warc is not None
    assert sum(checked.values()) == sum(receipt.warc.entries for receipt in archived.receipts if receipt.warc)
    assert checked["request"] == checked["response"] + checked["revisit"]


def test_warcio_finds_every_digest_right_and_skips_only_what_has_none(archived: Archived) -> None:
    unchecked: Counter[str] = Counter()
    for path in archived.paths:
        with path.open("rb") as stream:
            for record in WarcioIterator(stream, check_digests="raise"):
                record.raw_stream.read()
                digests = record.digest_checker
                assert digests.passed is not False, (path.name, record.rec_headers)
                if digests.passed is None:
                    unchecked[record.rec_type] += 1
    assert not unchecked


def test_cdxj_indexer_gives_the_same_lines(archived: Archived, stack: Any, peers: Path, tmp_path: Path) -> None:
    merged = tmp_path / "index.cdxj"
    stack.citevault("index", "-o", str(merged))
    ours = {
        (fields["filename"].rpartition("/")[2], fields["offset"]): (key, stamp, fields)
        for key, stamp, fields in parsed(merged.read_bytes())
    }
    theirs = subprocess.run(
        [str(peers / "cdxj-indexer"), "--sort", *map(str, archived.paths)], check=True, capture_output=True, timeout=300
    ).stdout
    compared = 0
    for key, stamp, fields in parsed(theirs):
        our_key, our_stamp, our_fields = ours[fields["filename"].rpartition("/")[2], fields["offset"]]
        assert (our_key, our_stamp) == (key, stamp)
        both = (fields.keys() & our_fields.keys()) - {"filename"}
        assert {name: fields[name] for name in both} == {name: our_fields[name] for name in both}
        compared += 1
    assert compared == sum(receipt.cdxj.entries for receipt in archived.receipts if receipt.cdxj)


def test_pywb_serves_pages_from_our_files(archived: Archived, stack: Any, peers: Path, tmp_path: Path) -> None:
    merged = tmp_path / "index.cdxj"
    stack.citevault("index", "-o", str(merged))
    local = [
        f"{key} {stamp} {json.dumps({**fields, 'filename': fields['filename'].rpartition('/')[2]})}\n"
        for key, stamp, fields in parsed(merged.read_bytes())
    ]
    merged.write_text("".join(local), encoding="utf-8")
    (tmp_path / "config.yaml").write_text(
        "framed_replay: false\ncollections:\n  all:\n"
        f"    archive_paths: {archived.folder}/\n    index_paths: {merged}\n",
        encoding="utf-8",
    )
    port = free_port()
    log = tmp_path / "pywb.log"
    with log.open("wb") as out:
        pywb = subprocess.Popen(
            [str(peers / "wayback"), "-b", "127.0.0.1", "-p", str(port), "-d", str(tmp_path)], stdout=out, stderr=out
        )
    try:
        wait_for_port(port, pywb, log)
        for url in (archived.urls[0], archived.urls[95], archived.urls[200]):
            page = archived.pages["/" + url.split("/", 3)[3]]
            status, body = fetch(port, f"/all/2026id_/{url}")
            assert status == 200
            assert body == page.body or body == gzip.decompress(page.body)
    finally:
        pywb.terminate()
        pywb.wait(timeout=30)


def test_a_second_capture_stores_revisits_and_no_second_payload(archived: Archived, stack: Any, tmp_path: Path) -> None:
    seeds = archived.folder / "seeds.txt"
    answer = stack.json("archive", "--from", str(seeds), "--collection", "pages", "--wait", "captured", *LOOPBACK)
    assert answer["ended"]["outcomes"] == {"revisit": 201}
    receipts = stack.receipts(answer["job_id"])
    for path in stack.download(receipts, tmp_path):
        with path.open("rb") as stream:
            pages = [
                record.headers["WARC-Type"]
                for record in ArchiveIterator(stream, parse_http=False)
                if "/robots.txt" not in record.headers.get("WARC-Target-URI", "")
            ]
        assert "response" not in pages


def test_no_password_of_a_url_is_left_in_any_file_of_the_stack(stack: Any, raw_web: Any) -> None:
    """R022, over real processes: their logs, Redis' file of commands, the volumes of the store, the spool."""
    password = "hunter2secret"
    site = raw_web("127.0.0.71")
    site.says("/", b"<p>A page.</p>", "Content-Type: text/html")
    userinfo = f"user:{password}@"
    urls = [site.url("/", userinfo=userinfo), f"http://{userinfo}127.0.0.1:1/", f"ftp://{userinfo}a/"]
    done = stack.citevault("archive", *urls, "--wait", *LOOPBACK, "--json", check=1)
    told = stack.citevault("status", json.loads(done.stdout)["job_id"])
    assert "port 1 belongs to another protocol" in told.stdout
    assert "next, for guard_denied" in told.stdout
    assert password not in done.stdout + done.stderr + told.stdout + told.stderr
    files = [path for path in stack.data_dir.rglob("*") if path.is_file()]
    assert {"log", "redis", "s3"} <= {path.relative_to(stack.data_dir).parts[0] for path in files}
    assert [path for path in files if password.encode() in path.read_bytes()] == []


def test_a_killed_capture_worker_loses_nothing_and_adds_nothing(stack: Any, slow_server: Any, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("".join(f"{url}\n" for url in slow_server.urls), encoding="utf-8")
    job_id = stack.citevault("archive", "--from", str(seeds), "--collection", "killed", *LOOPBACK).stdout.strip()
    deadline = time.monotonic() + 60
    while sum(slow_server.hits.values()) < 40 and time.monotonic() < deadline:
        time.sleep(0.05)
    killed = [pid for pid in processes(stack.data_dir) if "--queue capture" in command_line(pid)]
    assert killed
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    stack.citevault("watch", job_id)
    progress = stack.json("status", job_id)
    outcomes = [outcome for receipt in stack.receipts(job_id) for outcome in receipt.outcomes]
    assert progress["missing"] == []
    assert Counter(outcome.requested_url for outcome in outcomes) == Counter(slow_server.urls)


def parsed(index: bytes) -> list[tuple[str, str, dict[str, str]]]:
    lines = []
    for line in index.decode("utf-8").splitlines():
        key, stamp, fields = line.split(" ", 2)
        lines.append((key, stamp, json.loads(fields)))
    return lines


def processes(data_dir: Path) -> list[int]:
    """Processes of this stack: those whose environment names its data directory."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                environ = (folder / "environ").read_bytes()
            except OSError:
                continue
            if f"CITEVAULT_DATA_DIR={data_dir}".encode() in environ.split(b"\0"):
                found.append(int(folder.name))
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"pywb does not answer: {log.read_text()[-2000:]}")
            time.sleep(0.2)


def fetch(port: int, path: str) -> tuple[int, bytes]:
    """One GET, redirects to the exact time followed."""
    for _ in range(3):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", path, headers={"Accept-Encoding": "identity"})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        location = response.getheader("Location")
        if response.status not in (301, 302, 307) or not location:
            return response.status, body
        path = location if location.startswith("/") else "/" + location.split("/", 3)[3]
    return 0, b""
