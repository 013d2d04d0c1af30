"""The process that reads pages: `python -m workers.extract.child LIMITS`, frames on stdin and stdout.

It reads one request, answers, and waits for the next; end of input ends it. It holds no secret, opens
no socket and writes no file. Whatever goes wrong with a page is an answer, or the end of this process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import BinaryIO

from workers.extract.extraction import Answer, ExtractionRequest, NotExtracted
from workers.extract.frames import READY, read_request, write_answer
from workers.extract.limits import SandboxLimits, confine, die_with_parent, start_clock, stop_clock

OUT_OF_MEMORY = 77
"""Exit code after a page that did not fit the memory: what is left of the heap is not to be used again."""


def serve(requests: BinaryIO, answers: BinaryIO, limits: SandboxLimits) -> int:
    """Answer requests until there are none; the exit code."""
    while (request := read_request(requests)) is not None:
        start_clock(limits)
        try:
            answer = answer_to(*request)
        except MemoryError:
            return OUT_OF_MEMORY
        finally:
            stop_clock()
        write_answer(answers, answer)
    return 0


def answer_to(request: ExtractionRequest, payload: bytes) -> bytes:
    """The answer to one request as JSON. Only MemoryError passes."""
    from schemas.records.snapshot import ReaderStatus
    from workers.extract.pipeline import extract_payload

    try:
        result = extract_payload(payload, request)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  # the sandbox's border: parsers raise anything over hostile pages
        result = NotExtracted(status=ReaderStatus.EXTRACT_FAILED, reason=f"extractor.{type(error).__name__}")
    return Answer(result=result).model_dump_json(by_alias=True).encode("utf-8")


def main(arguments: list[str]) -> int:
    """Warm up, say so, confine, serve."""
    limits = SandboxLimits.model_validate_json(arguments[0])
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not look like an answer
    from workers.extract.html import warm_up

    warm_up()
    gc.freeze()  # what is warm stays: no collection need look at it again
    write_answer(answers, READY)
    confine(limits)
    return serve(requests, answers, limits)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
