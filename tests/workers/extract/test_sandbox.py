"""The sandbox: a page costs itself and no more; nothing is left running."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from schemas.records.snapshot import ReaderStatus
from workers.errors import RetryableError
from workers.extract import sandbox as sandbox_module
from workers.extract.extraction import Extracted, ExtractionRequest, NotExtracted
from workers.extract.limits import SandboxLimits
from workers.extract.options import VISIBLE_EXTRACTOR
from workers.extract.pipeline import extract_payload
from workers.extract.sandbox import Sandbox

HTML = ExtractionRequest(content_type="text/html; charset=utf-8", retrieved_on="2026-11-29")
GOOD = (
    "<article><h1>T</h1>" + "".join(f"<p>Sentence number {n} stands here.</p>" for n in range(20)) + "</article>"
).encode()
MANY_PARAGRAPHS = b"<html><body>" + b"<p>words that take the extractor its time to look at</p>" * 250_000
MIB = 1024 * 1024


def failed(reason: str) -> NotExtracted:
    return NotExtracted(status=ReaderStatus.EXTRACT_FAILED, reason=reason)


def child_of(box: Sandbox) -> int:
    assert box._child is not None
    return box._child.process.pid


def test_the_sandbox_answers_what_the_pipeline_answers(sandbox: Sandbox) -> None:
    assert asyncio.run(sandbox.extract(GOOD, HTML)) == extract_payload(GOOD, HTML)


def test_one_child_serves_many_pages_and_many_event_loops(sandbox: Sandbox) -> None:
    before = asyncio.run(sandbox.extract(GOOD, HTML))
    started = sandbox.children_started

    async def several() -> list[Extracted | NotExtracted]:
        return list(await asyncio.gather(*(sandbox.extract(GOOD, HTML) for _ in range(5))))

    assert asyncio.run(several()) == [before] * 5
    assert sandbox.children_started == started


def test_a_page_that_takes_too_long_costs_only_itself() -> None:
    box = Sandbox(SandboxLimits(cpu_milliseconds=500))

    async def pages() -> list[Extracted | NotExtracted]:
        return [await box.extract(page, HTML) for page in (GOOD, MANY_PARAGRAPHS, GOOD)]

    try:
        first, slow, last = asyncio.run(pages())
    finally:
        box.close()
    assert slow == failed("sandbox.cpu-limit")
    assert isinstance(first, Extracted)
    assert first == last
    assert box.children_started == 3  # one for each extractor that the page defeated, and one for what came after


def test_a_page_that_hangs_is_ended_by_the_wall_clock() -> None:
    box = Sandbox(SandboxLimits(cpu_milliseconds=60_000, wall_milliseconds=700))
    started = time.monotonic()
    try:
        asyncio.run(box.start())
        started = time.monotonic()
        assert asyncio.run(box.extract(MANY_PARAGRAPHS, HTML)) == failed("sandbox.wall-limit")
    finally:
        box.close()
    assert time.monotonic() - started < 30  # two extractors, on a machine with other work


def test_a_page_that_eats_memory_costs_only_itself() -> None:
    box = Sandbox(SandboxLimits(memory_bytes=260 * MIB))
    page = b"<html><body>" + b"<p>x</p>" * 1_500_000
    try:
        found = asyncio.run(box.extract(page, HTML))
        again = asyncio.run(box.extract(GOOD, HTML))
    finally:
        box.close()
    assert isinstance(found, NotExtracted) or found.extractor == VISIBLE_EXTRACTOR
    assert isinstance(again, Extracted)


@pytest.mark.parametrize(
    "page",
    [
        b"<div>" * 3_000_000,
        b"<p " + b" ".join(b"a%d=1" % n for n in range(200_000)) + b">x</p>",
        b"<table><tr>" * 100_000,
        b"<b><i>" * 50_000 + b"text",
        b"<!--" * 1_000_000,
        b"&" * 1_000_000 + b"lt;",
    ],
    ids=["nested", "attributes", "tables", "inline", "comments", "entities"],
)
def test_a_bomb_gives_an_answer_within_its_limits(page: bytes) -> None:
    box = Sandbox(SandboxLimits(cpu_milliseconds=3_000))
    started = time.monotonic()
    try:
        asyncio.run(box.extract(page, HTML))
        assert isinstance(asyncio.run(box.extract(GOOD, HTML)), Extracted)
    finally:
        box.close()
    assert time.monotonic() - started < 120


def test_a_child_that_was_killed_between_pages_is_replaced() -> None:
    box = Sandbox()
    try:
        asyncio.run(box.extract(GOOD, HTML))
        os.kill(child_of(box), signal.SIGKILL)
        assert isinstance(asyncio.run(box.extract(GOOD, HTML)), Extracted)
        assert box.children_started == 2
    finally:
        box.close()


def test_a_page_is_judged_by_a_child_of_its_own_before_it_is_given_up() -> None:
    box = Sandbox(SandboxLimits(memory_bytes=260 * MIB))
    page = b"<html><body>" + b"<p>x</p>" * 1_500_000
    try:
        asyncio.run(box.extract(GOOD, HTML))
        asyncio.run(box.extract(page, HTML))
        assert box.children_started == 3  # its own, and that of the second extractor
    finally:
        box.close()


def test_a_child_retires_after_its_pages() -> None:
    box = Sandbox(SandboxLimits(pages_per_child=1))
    try:
        first = asyncio.run(box.extract(GOOD, HTML))
        assert asyncio.run(box.extract(GOOD, HTML)) == first
        assert box.children_started == 2
    finally:
        box.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_child_knows_no_secret_and_can_write_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    box = Sandbox()
    try:
        asyncio.run(box.extract(GOOD, HTML))
        process = Path(f"/proc/{child_of(box)}")
        assert b"hunter2" not in (process / "environ").read_bytes()
        limits = (process / "limits").read_text()
        sockets = [link for link in (process / "fd").iterdir() if "socket" in str(link.readlink())]
    finally:
        box.close()
    assert "Max file size             0" in limits
    assert sockets == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_child_dies_with_a_killed_parent() -> None:
    program = (
        "import asyncio, os, time\n"
        "from workers.extract.sandbox import Sandbox\n"
        "box = Sandbox()\n"
        "asyncio.run(box.start())\n"
        "print(box._child.process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    root = Path(sandbox_module.__file__).resolve().parents[2]
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=root, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
    for _ in range(100):
        if not Path(f"/proc/{child}").exists() or ") Z" in Path(f"/proc/{child}/stat").read_text():
            return
        time.sleep(0.05)
    pytest.fail("the child outlived its parent")


def test_a_sandbox_that_cannot_start_says_so_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "_ENVIRONMENT", {"PYTHONHOME": "/nonexistent"})
    box = Sandbox()
    try:
        with pytest.raises(RetryableError, match=r"does not start: ") as caught:
            asyncio.run(box.start())
    finally:
        box.close()
    assert "python -m workers.extract.child" in str(caught.value)


def test_closing_leaves_no_child() -> None:
    box = Sandbox()
    asyncio.run(box.start())
    child = child_of(box)
    box.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
