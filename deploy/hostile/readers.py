"""What four programs that others wrote make of each record: FastWARC, warcio, cdxj-indexer and pywb.

Each is asked for status and payload as any user of it would ask, and its answer is held against what was captured.
"""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fastwarc.warc import ArchiveIterator as FastWarcIterator
from fastwarc.warc import WarcRecord
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from deploy.hostile.held import HeldExchange
from deploy.hostile.run import Run
from workers.extract.decode import Decoded, read_codings, remove_codings

YES = "yes"
KINDS = ("response", "revisit")
COMPARED = ("url", "mime", "status", "digest", "length")
INDEXER_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader gave: the status, and the payload."""

    status: int | None
    payload: bytes
    digest_holds: bool | None = None
    """None where the reader had no payload digest to check."""


Readings = Mapping[str, Reading | str]
"""By record id; a text where the reader refuses the record."""


def verdict(reading: Reading | str | None, held: HeldExchange, status: int | None) -> str:
    """`yes`, or in what the reader differs from the capture. A payload without its content coding is right too."""
    if reading is None:
        return "nothing"
    if isinstance(reading, str):
        return f"refuses: {reading}"
    differs = []
    if status is not None and reading.status != status:
        differs.append("no status" if reading.status is None else f"status {reading.status}")
    if not gives_payload(reading, held):
        differs.append("other payload")
    if reading.digest_holds is False:
        differs.append("payload digest fails")
    return ", ".join(differs) or YES


def gives_payload(reading: Reading | str | None, held: HeldExchange) -> bool:
    """Whether a reader finds the payload in a record. That of a revisit lies elsewhere."""
    if not isinstance(reading, Reading):
        return False
    if reading.payload == held.content or (held.record_type == "revisit" and not reading.payload):
        return True
    decoded = remove_codings(held.content, read_codings(held.values("content-encoding")))
    return isinstance(decoded, Decoded) and decoded.data == reading.payload


def by_fastwarc(run: Run) -> Readings:
    """What FastWARC gives for each response and revisit."""
    found: dict[str, Reading | str] = {}
    for data in run.files.values():
        for record in FastWarcIterator(io.BytesIO(data), parse_http=False):
            if record.headers["WARC-Type"] not in KINDS:
                continue
            record_id = str(record.record_id).strip("<>")
            try:
                found[record_id] = _fastwarc_reading(record)
            except OSError as error:
                found[record_id] = str(error)
    return found


def _fastwarc_reading(record: WarcRecord) -> Reading:
    record.parse_http()
    checked = "WARC-Payload-Digest" in record.headers and record.headers["WARC-Type"] == "response"
    holds = bool(record.verify_payload_digest()) if checked else None
    http = record.http_headers
    return Reading(http.status_code if http is not None else None, bytes(record.reader.read()), holds)


def by_warcio(run: Run) -> Readings:
    """The same by warcio."""
    found: dict[str, Reading | str] = {}
    for data in run.files.values():
        for record in WarcioIterator(io.BytesIO(data), check_digests=True):
            if record.rec_type not in KINDS:
                continue
            payload = record.raw_stream.read()
            code = record.http_headers.get_statuscode() if record.http_headers is not None else ""
            status = int(code) if code.isascii() and code.isdigit() else None
            record_id = record.rec_headers.get_header("WARC-Record-ID").strip("<>")
            holds = record.digest_checker.passed if record.rec_type == "response" else None
            found[record_id] = Reading(status, payload, holds)
    return found


def by_indexer(run: Run, peers: Path, folder: Path) -> dict[str, str]:
    """By record id: `yes` where cdxj-indexer writes the line that we wrote, else in what it differs. `folder` gets
    the WARC files under their keys."""
    paths = {}
    for key, data in run.files.items():
        path = folder / key.removeprefix("warc/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        paths[path.name] = key.removeprefix("warc/")
    done = subprocess.run(  # noqa: S603 (a peer's own program, on our files)
        [str(peers / "cdxj-indexer"), *(str(folder / name) for name in paths.values())],
        capture_output=True,
        timeout=INDEXER_SECONDS,
        check=True,
    )
    ours = dict(_lines(run.index))
    theirs = {(paths[name], offset): line for (name, offset), line in _lines(done.stdout)}
    return {
        place.record_id: _compare(ours.get(where := (key.removeprefix("warc/"), place.offset)), theirs.get(where))
        for outcome, key in run.outcomes().values()
        for hop in outcome.hops
        if (place := hop.record(*KINDS)) is not None
    }


def _lines(index: bytes) -> Iterator[tuple[tuple[str, int], dict[str, str]]]:
    """Place of the record, and what the line says of it."""
    for line in index.decode("utf-8", "replace").splitlines():
        fields: dict[str, str] = json.loads(line.split(" ", 2)[2])
        yield (fields["filename"], int(fields["offset"])), fields


def _compare(ours: Mapping[str, str] | None, theirs: Mapping[str, str] | None) -> str:
    if ours is None or theirs is None:
        return "no line"
    differs = [_said(name, theirs) for name in COMPARED if ours.get(name) != theirs.get(name)]
    return ", ".join(differs) or YES


def _said(name: str, theirs: Mapping[str, str]) -> str:
    if name == "digest":
        return "a SHA-1 of its own"
    value = theirs.get(name, "")
    return f"{name} `{value[:40]}`" if value else f"no {name}"
