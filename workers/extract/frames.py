"""Messages on the sandbox's pipes: lengths first, then the bytes. Both sides know a limit before they read.

Request: two big-endian lengths (32 bit of the JSON, 64 bit of the payload), the JSON, the payload.
Answer: one 32 bit length, the JSON. The first answer is `READY`, when the child has warmed up.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Final

from workers.extract.extraction import ExtractionRequest

READY: Final = b'"ready"'
REQUEST_HEAD: Final = struct.Struct(">IQ")
ANSWER_HEAD: Final = struct.Struct(">I")
MAX_ANSWER_BYTES: Final = 128 * 1024 * 1024
"""A text of 16 million characters in four bytes each, its escapes, and metadata."""


def request_bytes(request: ExtractionRequest, payload_bytes: int) -> bytes:
    """Head and JSON of a request; its payload follows."""
    body = request.model_dump_json().encode("utf-8")
    return REQUEST_HEAD.pack(len(body), payload_bytes) + body


def read_request(stream: BinaryIO) -> tuple[ExtractionRequest, bytes] | None:
    """The next request, or None where the input ends."""
    head = stream.read(REQUEST_HEAD.size)
    if len(head) < REQUEST_HEAD.size:
        return None
    body_bytes, payload_bytes = REQUEST_HEAD.unpack(head)
    body, payload = stream.read(body_bytes), stream.read(payload_bytes)
    if len(body) + len(payload) < body_bytes + payload_bytes:
        return None
    return ExtractionRequest.model_validate_json(body), payload


def write_answer(stream: BinaryIO, answer: bytes) -> None:
    stream.write(ANSWER_HEAD.pack(len(answer)) + answer)
    stream.flush()
