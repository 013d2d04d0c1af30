"""The child's own loop, in this process: frames in, frames out, and what becomes of errors."""

import io

import pytest

from schemas.records.snapshot import ReaderStatus
from workers.extract import child, pipeline
from workers.extract.extraction import Answer, Extracted, ExtractionRequest, NotExtracted
from workers.extract.frames import ANSWER_HEAD, read_request, request_bytes
from workers.extract.limits import SandboxLimits

PLAIN = ExtractionRequest(content_type="text/plain", retrieved_on="2026-11-29")


def served(*payloads: bytes) -> tuple[int, list[Extracted | NotExtracted]]:
    requests = io.BytesIO(b"".join(request_bytes(PLAIN, len(payload)) + payload for payload in payloads))
    answers = io.BytesIO()
    code = child.serve(requests, answers, SandboxLimits())
    answers.seek(0)
    results = []
    while head := answers.read(ANSWER_HEAD.size):
        results.append(Answer.model_validate_json(answers.read(ANSWER_HEAD.unpack(head)[0])).result)
    return code, results


def test_requests_are_answered_in_order_until_there_are_none() -> None:
    code, results = served(b"one", b"", b"three")
    assert code == 0
    assert [r.text for r in results if isinstance(r, Extracted)] == ["one\n", "", "three\n"]


def test_whatever_a_parser_raises_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(data: bytes, request: ExtractionRequest) -> Extracted:
        raise RecursionError("deep")

    monkeypatch.setattr(pipeline, "extract_payload", raises)
    failed = NotExtracted(status=ReaderStatus.EXTRACT_FAILED, reason="extractor.RecursionError")
    assert served(b"one", b"two") == (0, [failed, failed])


def test_a_child_without_memory_ends_with_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(data: bytes, request: ExtractionRequest) -> Extracted:
        raise MemoryError

    monkeypatch.setattr(pipeline, "extract_payload", raises)
    assert served(b"one") == (child.OUT_OF_MEMORY, [])


@pytest.mark.parametrize("cut", [0, 5, 20, -1])
def test_a_request_that_is_cut_off_is_the_end_of_the_input(cut: int) -> None:
    whole = request_bytes(PLAIN, 3) + b"one"
    assert read_request(io.BytesIO(whole[:cut])) is None
