"""Extraction in a child process with limits on time and memory, kept warm, and replaced when it dies.

A page that hangs, eats memory or crashes a parser costs itself (`extract_failed`) and one child. Plain
pipes and `subprocess`, since Celery's prefork children are daemonic and may not use multiprocessing.
The child gets an environment of its own without anything secret in it, and fixed hash seeds, so that
the order of sets is the same in every run.

One thread starts the child and talks to it: Linux sends the parent-death signal when the *thread* that
forked is gone, so it must not be a thread that comes and goes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import IO, Final

from pydantic import ValidationError

from schemas.records.snapshot import ReaderStatus
from workers.errors import RetryableError
from workers.extract.child import OUT_OF_MEMORY
from workers.extract.extraction import Answer, Extracted, ExtractionRequest, NotExtracted
from workers.extract.frames import READY, request_bytes
from workers.extract.limits import SandboxLimits
from workers.extract.media_type import extract_media_type
from workers.extract.pipe import ClosedError, LateError, receive, send
from workers.extract.sniff import reading_for

_ROOT: Final = Path(__file__).resolve().parents[2]
_ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "LANG": "C.UTF-8",
        "MALLOC_ARENA_MAX": "2",
        "PATH": os.defpath,
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(_ROOT),
        "PYTHONUTF8": "1",
        "TZ": "UTC",
    }
)
_ENDINGS: Final[Mapping[int, str]] = MappingProxyType(
    {OUT_OF_MEMORY: "sandbox.memory-limit", -signal.SIGPROF: "sandbox.cpu-limit"}
)


class Sandbox:
    """One child at a time. `extract` may be called from any event loop; calls wait for each other."""

    def __init__(self, limits: SandboxLimits | None = None) -> None:
        """Nothing is started before `start` or the first page."""
        self.limits = limits or SandboxLimits()
        self.children_started = 0
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox")
        self._child: _Child | None = None

    async def start(self) -> None:
        """Have a warm child, so that the first page need not wait for it."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._ready_child)

    async def extract(self, payload: bytes, request: ExtractionRequest) -> Extracted | NotExtracted:
        """Extract one payload without content codings. RetryableError only where no child can be started."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._extract, payload, request)

    def close(self) -> None:
        """End the child and the thread."""
        self._thread.submit(self._drop_child).result()
        self._thread.shutdown()

    def _extract(self, payload: bytes, request: ExtractionRequest) -> Extracted | NotExtracted:
        """What the first extractor says; where a page defeats it, what the second one reads, under its own id."""
        result = self._ask(payload, request)
        if not defeated(result, payload, request):
            return result
        again = self._ask(payload, request.model_copy(update={"second": True}))
        return again if isinstance(again, Extracted) else result

    def _ask(self, payload: bytes, request: ExtractionRequest) -> Extracted | NotExtracted:
        child = self._ready_child()
        used_before = child.pages > 0
        outcome = child.ask(payload, request, self.limits)
        if isinstance(outcome, Answer):
            if child.pages >= self.limits.pages_per_child:
                self._drop_child()
            return outcome.result
        self._drop_child()
        if used_before and outcome not in ("sandbox.cpu-limit", "sandbox.wall-limit"):
            # What earlier pages left behind may be to blame: a page is judged by a child of its own.
            return self._ask(payload, request)
        return NotExtracted(status=ReaderStatus.EXTRACT_FAILED, reason=outcome)

    def _ready_child(self) -> _Child:
        if self._child is not None and self._child.process.poll() is not None:
            self._drop_child()
        if self._child is None:
            self._child = _Child(self.limits)
            self.children_started += 1
        return self._child

    def _drop_child(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


def defeated(result: Extracted | NotExtracted, payload: bytes, request: ExtractionRequest) -> bool:
    """Whether the second extractor is to be asked: of HTML that the first died of, ran out of time over, or refused
    for its size or depth. Not of a page in no charset: no reader makes text of that."""
    if request.second or isinstance(result, Extracted) or result.status is not ReaderStatus.EXTRACT_FAILED:
        return False
    declared = extract_media_type([request.content_type]) if request.content_type is not None else None
    return reading_for(declared, payload) == "html" and result.reason.startswith(("sandbox.", "extractor.", "html."))


class _Child:
    """A started and warm child process, until it is ended."""

    def __init__(self, limits: SandboxLimits) -> None:
        self.pages = 0
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the child
        self.process = subprocess.Popen(  # noqa: S603  # our own module under our own interpreter
            [sys.executable, "-P", "-m", "workers.extract.child", limits.model_dump_json()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=dict(_ENVIRONMENT),
            cwd="/",
            bufsize=0,
        )
        try:
            if receive(self._stream("stdout"), time.monotonic() + limits.start_milliseconds / 1000) != READY:
                raise ClosedError
        except (ClosedError, LateError):
            said = self._last_words()
            self.end()
            raise RetryableError(
                f"the extraction sandbox does not start: {said or 'it said nothing'}",
                next_step="run `python -m workers.extract.child '{}' </dev/null` and repair what it complains of",
            ) from None

    def ask(self, payload: bytes, request: ExtractionRequest, limits: SandboxLimits) -> Answer | str:
        """The answer, or the rule by which there is none; after a rule the child is not to be used again."""
        self.pages += 1
        deadline = time.monotonic() + limits.wall_milliseconds / 1000
        try:
            send(self._stream("stdin"), request_bytes(request, len(payload)), deadline)
            send(self._stream("stdin"), payload, deadline)
            return Answer.model_validate_json(receive(self._stream("stdout"), deadline))
        except LateError:
            return "sandbox.wall-limit"
        except ValidationError:
            return "sandbox.bad-answer"
        except ClosedError:
            return self._ending()

    def end(self) -> None:
        """Kill and reap it."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            if stream is not None:
                stream.close()

    def _ending(self) -> str:
        """How the child ended."""
        try:
            code = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "sandbox.bad-answer"
        if code in _ENDINGS:
            return _ENDINGS[code]
        return f"sandbox.killed-by-signal-{-code}" if code < 0 else f"sandbox.exit-{code}"

    def _stream(self, name: str) -> IO[bytes]:
        stream = self.process.stdin if name == "stdin" else self.process.stdout
        if stream is None:
            raise ClosedError
        return stream

    def _last_words(self) -> str:
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 2000))
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""
