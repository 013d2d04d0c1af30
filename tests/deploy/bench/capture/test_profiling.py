"""Samples become a story: whose time it is, and not the time of those who wait."""

from __future__ import annotations

from deploy.bench.capture.profiling import story

RAW = """\
run (threading.py:982);visit (workers/flows/capture/visit.py:40);update (hashlib.py:1) 30
run (threading.py:982);visit (workers/flows/capture/visit.py:77);compress (workers/archive/gzip_member.py:22) 60
run (threading.py:982);_run_once (asyncio/base_events.py:7) 10
run (threading.py:982);_worker (concurrent/futures/thread.py:81) 500
"""


def test_a_sample_belongs_to_the_innermost_of_our_modules() -> None:
    by_module = story(RAW).partition("\nown\n")[0]
    assert "60.0 %  workers/archive/gzip_member.py" in by_module
    assert "30.0 %  workers/flows/capture/visit.py" in by_module
    assert "10.0 %  elsewhere" in by_module


def test_lines_of_one_function_are_one_row() -> None:
    assert "90.0 %  visit (workers/flows/capture/visit.py)" in story(RAW)


def test_threads_that_wait_are_counted_but_not_told() -> None:
    told = story(RAW)
    assert told.startswith("100 samples of a thread at work, 500 of one that waited")
    assert "_worker" not in told
