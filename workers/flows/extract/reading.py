"""One answer's content to text: codings off, type known, and the extractor asked once for equal payloads."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256

from workers.extract.decode import (
    DEFAULT_LIMITS,
    DecodeFailure,
    DecodeLimits,
    DecodeProblem,
    read_codings,
    remove_codings,
)
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.options import Focus
from workers.extract.sniff import HEADER_BYTES, not_readable
from workers.flows.extract.answer import StoredAnswer
from workers.flows.extract.ports import TextExtractor

CACHED_RESULTS = 64
CACHED_CHARACTERS = 200_000
"""A longer text is not kept: 64 of these in four bytes each are 50 MB."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from an answer. `decoded_sha256` is None where the content codings could not be undone."""

    decoded_sha256: str | None
    result: Extracted | NotExtracted | DecodeFailure


class Reader:
    """Reads the answers of one segment. Equal payloads of equal type on one day are extracted once
    (`schemas/README.md, Parameter ids`): a revisit's headers may differ from its original's."""

    def __init__(
        self, extractor: TextExtractor, limits: DecodeLimits = DEFAULT_LIMITS, focus: Focus = "balanced"
    ) -> None:
        self._extractor = extractor
        self._focus: Focus = focus
        self._limits = limits
        self._cache: OrderedDict[tuple[str, str | None, str], Extracted | NotExtracted] = OrderedDict()

    async def read(self, answer: StoredAnswer) -> Reading:
        """Decode and extract. Never raises for what a page holds."""
        content_type = ", ".join(answer.header_values("Content-Type"))[:8192] or None
        codings = read_codings(answer.header_values("Content-Encoding"))
        if answer.content.payload_bytes > self._limits.max_bytes:
            return _too_large(answer, content_type, codings, self._limits.max_bytes)
        decoded = remove_codings(answer.content.payload(), codings, self._limits)
        if isinstance(decoded, DecodeFailure):
            return Reading(None, decoded)
        digest = sha256(decoded.data).hexdigest() if codings else answer.content_sha256
        request = ExtractionRequest(
            content_type=content_type, retrieved_on=answer.hop.retrieved_at[:10], focus=self._focus
        )
        return Reading(digest, await self._result(digest, decoded.data, request))

    async def _result(self, digest: str, data: bytes, request: ExtractionRequest) -> Extracted | NotExtracted:
        unreadable = not_readable(request.content_type, data[:HEADER_BYTES])
        if unreadable is not None:
            return unreadable
        key = (digest, request.content_type, request.retrieved_on)
        result = self._cache.get(key)
        if result is None:
            result = await self._extractor.extract(data, request)
            if not isinstance(result, Extracted) or len(result.text) <= CACHED_CHARACTERS:
                self._cache[key] = result
            if len(self._cache) > CACHED_RESULTS:
                self._cache.popitem(last=False)
        return result


def _too_large(answer: StoredAnswer, content_type: str | None, codings: tuple[str, ...], most: int) -> Reading:
    """A body that is not brought into memory. Its digests are known all the same."""
    unreadable = not_readable(content_type, answer.content.block.read(answer.content.start, answer.content.start + 64))
    if unreadable is not None and not codings:
        return Reading(answer.content_sha256, unreadable)
    message = f"the content has {answer.content.payload_bytes} bytes; {most} are read at most"
    failure = DecodeFailure(DecodeProblem.TOO_LARGE, codings[-1] if codings else "identity", message)
    return Reading(None if codings else answer.content_sha256, failure)
