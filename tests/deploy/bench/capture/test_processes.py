"""What a process costs, from the kernel's figures."""

from __future__ import annotations

import os
import subprocess
import sys

from deploy.bench.capture import processes

CHILD = "import sys; held = bytearray(40 << 20); sys.stdout.write('up\\n'); sys.stdout.flush(); sys.stdin.read()"


BUSY = """
import resource, sys, time
while time.process_time() < 0.3: pass
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, flush=True)
sys.stdin.read()
"""


def test_cpu_seconds_are_those_of_getrusage() -> None:
    command = [sys.executable, "-c", BUSY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        expected = float(child.stdout.readline())
        assert expected >= 0.3
        assert abs(processes.cpu_seconds([child.pid]) - expected) < 0.1


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
