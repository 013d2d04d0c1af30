"""Bombs through the whole stack; `python -m deploy.bombs --stack` is the run at full size."""

from __future__ import annotations

import sys
import tempfile
import urllib.request
from collections.abc import Callable

import pytest

from deploy.bombs import __main__ as command
from deploy.bombs.run import Bomb, bombs
from deploy.bombs.serving import serving
from deploy.bombs.stack import _passed
from schemas.records.receipt import Receipt
from schemas.records.snapshot import ReaderStatus, SnapshotLine

BOMB = Bomb("some", "text/html", lambda: b"<div>" * 10)


@pytest.mark.real
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_the_server_sends_each_bomb_as_its_kind_is_sent() -> None:
    coded = next(bomb for bomb in bombs(0.001) if bomb.codings == ("gzip",))
    with serving([BOMB, coded]) as web:
        for number, bomb in enumerate(web.bombs):
            with urllib.request.urlopen(web.url(str(number))) as answer:
                assert answer.read() == bomb.body()
                assert answer.headers["Content-Encoding"] == (", ".join(bomb.codings) or None)
        with urllib.request.urlopen(web.url("good-1")) as answer:
            assert b"fourteen gates" in answer.read()


def test_a_bomb_without_a_snapshot_or_a_reason_and_a_page_that_was_not_read_are_findings(
    receipt_of: Callable[..., Receipt], snapshot_lines_of: Callable[..., list[SnapshotLine]]
) -> None:
    (line,) = snapshot_lines_of(receipt_of(["https://example.org/good"]))
    good = line.snapshot
    silent = good.model_copy(update={"reader_status": ReaderStatus.EXTRACT_FAILED, "reader_reason": None})
    told = silent.model_copy(update={"reader_reason": "sandbox.cpu-limit"})
    assert _passed(BOMB, told, good, 1.0, 0).findings == []
    assert _passed(BOMB, silent, good, 1.0, 0).findings == ["nobody says why the bomb has no text"]
    assert _passed(BOMB, None, told, 1.0, 0).findings == [
        "the bomb has no snapshot",
        "the page behind it was not read",
    ]


@pytest.mark.drill
@pytest.mark.real
@pytest.mark.timeout(300)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes through /proc")
def test_real_workers_survive_bombs_and_their_jobs_are_published(capsys: pytest.CaptureFixture[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="cv-bombs-", ignore_cleanup_errors=True) as folder:
        assert command.main(["--stack", "--scale", "0.01", "--only", "loop", "--folder", folder]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("ok ") for line in lines)
