"""`--re-extract`: the text made again by the archive's own extractor, as an extra beside the independent check.

The extractor is a program of its own (`python -m workers.extract.child`), spoken to over its pipes and never
imported: lengths, a JSON request and the payload go in, one JSON answer comes out. It confines itself, since it reads
hostile pages. What another version of it makes proves nothing, so an other extractor id is inconclusive.
"""

from __future__ import annotations

import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from typing import IO, Final, cast

from pydantic import JsonValue

from schemas.canonical import canonical_bytes, sha256_hex
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.reading import DocumentError, ReadingLimits, read_json
from schemas.records.bundle import BundleSnapshot
from validator.found import Found
from validator.leaf_records import Payload
from validator.limits import LIMITS
from validator.settings import RefusedInputError

PROGRAM: Final = "workers.extract.child"
START_SECONDS: Final = 90.0
PAGE_SECONDS: Final = 90.0
"""The child gives a page up after 60 s by itself."""
MAX_ANSWER: Final = 128 * 1024 * 1024
READY: Final = b'"ready"'
READ: Final = ("title", "author", "publisher", "published_at", "published_source", "modified_at", "language", "charset")
"""Fields of a snapshot that are the extractor's answer, as it gave it."""


@dataclass(frozen=True, slots=True)
class Again:
    """A text that was made again, by which extractor, and what that read of the page beside it."""

    extractor: str
    text: str
    read: Mapping[str, JsonValue]


class ReExtractor:
    """One child, for all snapshots; started anew where it ended. Ends with `scratch`."""

    def __init__(self, scratch: ExitStack) -> None:
        if find_spec("trafilatura") is None or find_spec("workers") is None:
            raise RefusedInputError(
                "--re-extract needs the archive's extractor: pip install './[archive]' in Citevault's checkout"
            )
        self._child: subprocess.Popen[bytes] | None = None
        scratch.callback(self._end)

    def extract(self, payload: bytes, content_type: str | None, day: str) -> Again | str:
        """The text of a decoded payload, or why there is none."""
        request = canonical_bytes({"content_type": content_type and content_type[:8192], "retrieved_on": day})
        try:
            child = self._started()
            cast("IO[bytes]", child.stdin).write(struct.pack(">IQ", len(request), len(payload)) + request + payload)
            cast("IO[bytes]", child.stdin).flush()
            answer = self._answer(child, PAGE_SECONDS)
        except (OSError, TimeoutError, EOFError) as error:
            self._end()
            return f"the extractor did not answer ({type(error).__name__})"
        return _read(answer)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            self._child = subprocess.Popen(  # noqa: S603 -- our own program, no shell
                [sys.executable, "-m", PROGRAM, "{}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            if self._answer(self._child, START_SECONDS) != READY:
                raise EOFError
        return self._child

    def _answer(self, child: subprocess.Popen[bytes], seconds: float) -> bytes:
        until = time.monotonic() + seconds
        (length,) = struct.unpack(">I", _exactly(child, 4, until))
        if length > MAX_ANSWER:
            raise EOFError
        return _exactly(child, length, until)

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for stream in (self._child.stdin, self._child.stdout):
                if stream is not None:
                    try:
                        stream.close()
                    except OSError:
                        continue  # what was not taken is lost with the child
            self._child = None


def _exactly(child: subprocess.Popen[bytes], count: int, until: float) -> bytes:
    out = bytearray()
    descriptor = cast("IO[bytes]", child.stdout).fileno()
    while len(out) < count:
        left = until - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            raise TimeoutError
        piece = os.read(descriptor, min(count - len(out), LIMITS.piece))
        if not piece:
            raise EOFError
        out += piece
    return bytes(out)


def _read(answer: bytes) -> Again | str:
    """The answer of a program that has just read a stranger's page: input like any other."""
    value = read_json(answer, limits=ReadingLimits(max_bytes=MAX_ANSWER))
    if isinstance(value, DocumentError) or not isinstance(value, dict):
        return "an answer that is no JSON"
    result = value.get("result")
    if not isinstance(result, dict):
        return "an answer without a result"
    extractor, text = result.get("extractor"), result.get("text")
    if isinstance(extractor, str) and isinstance(text, str):
        return Again(extractor, text, result)
    return str(result.get("reason") or "no text")


def check_again(snapshot: BundleSnapshot, index: int, payload: Payload, extractor: ReExtractor, found: Found) -> None:
    """Compare the text of one snapshot with what the extractor makes of its payload now."""
    if snapshot.text_sha256 is None:
        return
    at, ids = pointer(("snapshots", index, "text_sha256")), (snapshot.id,)
    payload.decoded.stream.seek(0)
    if payload.decoded.size > LIMITS.readable_payload:
        found.add(FindingKind.EXTRACTION_UNREPEATABLE, pointer=at, ids=ids, actual=f"{payload.decoded.size} bytes")
        return
    content_type = payload.content_type or snapshot.content_type
    made = extractor.extract(payload.decoded.stream.read(), content_type, snapshot.retrieved_at[:10])
    if isinstance(made, str) or made.extractor != snapshot.extractor:
        actual = made if isinstance(made, str) else made.extractor
        kind = FindingKind.EXTRACTION_UNREPEATABLE
        found.add(kind, pointer=at, ids=ids, expected=snapshot.extractor, actual=actual)
        return
    found.looked_at("texts made again")
    digest = sha256_hex(made.text.encode("utf-8", "surrogatepass"))
    if digest != snapshot.text_sha256:
        kind = FindingKind.EXTRACTION_DIFFERS
        found.add(kind, pointer=at, ids=ids, expected=snapshot.text_sha256, actual=digest)
    _check_read(snapshot, index, made.read, found)


def _check_read(snapshot: BundleSnapshot, index: int, read: Mapping[str, JsonValue], found: Found) -> None:
    """What the page says of itself, read again; also of snapshots whose leaves promise nothing of it."""
    told = snapshot.model_dump(mode="json", include={*READ, "headings", "pages", "robots_directives"})
    told |= {name: told.get(name, []) for name in ("headings", "pages")}  # left out where there are none
    told["robots_directives"] = [wish for wish in told["robots_directives"] if wish["source"] == "meta"]
    if snapshot.inclusion.leaf.description_sha256 is None and not snapshot.headings and not snapshot.pages:
        del told["headings"], told["pages"]  # older bundles carry no outline
    for name, actual in told.items():
        found.looked_at("fields read again")
        if actual != read.get(name):
            found.add(
                FindingKind.EXTRACTION_FIELD,
                pointer=pointer(("snapshots", index, name)),
                ids=(snapshot.id,),
                expected=read.get(name),
                actual=actual,
            )
