"""What a process costs, from the kernel's figures."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

from deploy.bench.capture import processes

CHILD = "import sys; held = bytearray(40 << 20); sys.stdout.write('up\\n'); sys.stdout.flush(); sys.stdin.read()"


def test_cpu_seconds_are_those_of_getrusage() -> None:
    own, ended = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    expected = own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime
    assert abs(processes.cpu_seconds([os.getpid()]) - expected) < 0.5


def test_a_child_is_found_with_its_memory_and_its_peak_can_begin_anew() -> None:
    command = [sys.executable, "-c", CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert child.pid in list(processes.tree(os.getpid()))
        assert processes.peak_bytes(child.pid) >= processes.resident_bytes(child.pid) > 40 << 20
        processes.reset_peak(child.pid)
        assert processes.peak_bytes(child.pid) - processes.resident_bytes(child.pid) < 1 << 20


def test_a_process_that_is_gone_costs_nothing_more() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert processes.cpu_seconds([gone.pid]) == 0
