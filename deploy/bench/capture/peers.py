"""The other sides: each with two processes, each process with half of the hosts, the same pages.

wget is started with its clock running, which costs it a few milliseconds; a peer in Python is told to begin when it
has imported what it needs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from deploy.bench.capture.origin import MissingProgramError
from deploy.bench.capture.pages import Page
from deploy.bench.capture.reading import WrongAnswerError, check_archives
from deploy.bench.capture.run import Run
from deploy.bench.ended import ended

SCRIPTS = Path(__file__).parents[1] / "peers"
PROCESSES = 2
CONCURRENCY = 64
"""Of each process, where the origin is near."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a peer is to fetch, and where it may write."""

    urls: Sequence[str]
    pages: Sequence[Page]
    scratch: Path
    python: Path
    """Interpreter of the peers' environment."""
    concurrency: int = CONCURRENCY


Peer = Callable[[Task], Run]


def wget(task: Task) -> Run:
    """`wget --warc-file`: gzip, no request and response at a time, pages sorted by host so that connections last."""
    program = shutil.which("wget")
    if program is None:
        raise MissingProgramError("wget is missing: install the Debian package wget (as root: make bench-tools)")
    commands = []
    for number, half in enumerate(halves(task.urls)):
        listed = _list(task, number, sorted(half, key=lambda url: urlsplit(url).netloc))
        warc = task.scratch / f"wget-{number}"
        flags = ["--no-config", "--quiet", "--tries=1", "--no-warc-keep-log", "--output-document=/dev/null"]
        commands.append([program, *flags, f"--warc-file={warc}", f"--input-file={listed}"])
    started = time.monotonic()
    running = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        for command in commands
    ]
    cpu = 0.0
    for process in running:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu += used.ru_utime + used.ru_stime
    seconds = time.monotonic() - started
    codes = [process.returncode for process in running]
    if any(codes):
        raise WrongAnswerError(f"wget ended with {codes}")
    return _checked("wget", task, "wget-*.warc.gz", seconds, cpu)


def scrapy_warcio(task: Task) -> Run:
    return _python("scrapy+warcio", task, "fetch_scrapy.py", writes=True)


def aiohttp_warcio(task: Task) -> Run:
    return _python("aiohttp+warcio", task, "fetch_aiohttp.py", writes=True)


def aiohttp_bare(task: Task) -> Run:
    """Nothing is written: the most that two such processes can fetch."""
    return _python("bare aiohttp", task, "fetch_aiohttp.py", writes=False)


def halves(urls: Sequence[str]) -> list[list[str]]:
    """Every second host to one process, the others to the other; URLs stay in their order."""
    hosts = {host: number for number, host in enumerate(dict.fromkeys(urlsplit(url).netloc for url in urls))}
    out: list[list[str]] = [[] for _ in range(PROCESSES)]
    for url in urls:
        out[hosts[urlsplit(url).netloc] % PROCESSES].append(url)
    return out


def _python(who: str, task: Task, script: str, *, writes: bool) -> Run:
    if not task.python.exists():
        raise MissingProgramError(f"{who} is missing: make bench-peers")
    running = []
    for number, half in enumerate(halves(task.urls)):
        command = [str(task.python), str(SCRIPTS / script), str(_list(task, number, half)), str(task.concurrency)]
        if writes:
            command.append(str(task.scratch / f"peer-{number}.warc.gz"))
        running.append(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
        )
    try:
        for process in running:
            _expect(who, process, "ready")
        started = time.monotonic()
        for process in running:
            _begin(who, process)
        cpu = sum(float(_expect(who, process, "done")) for process in running)
        seconds = time.monotonic() - started
    finally:
        for process in running:
            process.kill()
            process.communicate()
    if writes:
        return _checked(who, task, "peer-*.warc.gz", seconds, cpu)
    return Run(who, len(task.urls), seconds, cpu, 0)


def _begin(who: str, process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        try:
            process.stdin.write("go\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise ended(who, process) from None


def _expect(who: str, process: subprocess.Popen[str], word: str) -> str:
    """The rest of the line that begins with this word. WrongAnswerError where something else comes, PeerEndedError
    where nothing does."""
    line = "" if process.stdout is None else process.stdout.readline()
    if not line:
        raise ended(who, process)
    said, _, rest = line.strip().partition(" ")
    if said != word:
        raise WrongAnswerError(f"{who} said {line!r} instead of {word!r}")
    return rest


def _list(task: Task, number: int, urls: Sequence[str]) -> Path:
    listed = task.scratch / f"urls-{number}.txt"
    listed.write_text("\n".join(urls) + "\n", encoding="utf-8")
    return listed


def _checked(who: str, task: Task, pattern: str, seconds: float, cpu: float) -> Run:
    files = sorted(task.scratch.glob(pattern))
    try:
        size = check_archives(who, files, task.urls, task.pages)
    finally:
        for file in files:
            file.unlink()
    return Run(who, len(task.urls), seconds, cpu, size)
