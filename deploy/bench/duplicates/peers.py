"""Peers that run in a Python of their own, and are asked for one run after the other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from deploy.bench.ended import ended

SCRIPT = Path(__file__).parents[1] / "peers/sign_texts.py"


class Peers:
    """The running process. `there`: which programs it can ask. PeerEndedError where it ends before it has answered."""

    def __init__(self, process: subprocess.Popen[str], said: IO[bytes]) -> None:
        self._process, self._said = process, said
        self._stdin, self._stdout = _pipes(process)
        told = self._answer("the Python of rensa, text-dedup and datatrove")
        self.there: list[str] = told["there"]
        self.missing: dict[str, str] = told["missing"]

    def cpu_seconds(self, name: str, expected: int) -> float:
        """CPU time of one run over all texts. AssertionError where it made another number of signatures."""
        try:
            self._stdin.write(name + "\n")
            self._stdin.flush()
        except BrokenPipeError:
            raise ended(name, self._process, self._said) from None
        answer = self._answer(name)
        if answer["made"] != expected:
            raise AssertionError(f"{name} made {answer['made']} signatures of {expected} texts")
        return float(answer["seconds"])

    def _answer(self, who: str) -> Any:
        line = self._stdout.readline()
        if not line.endswith("\n"):
            raise ended(who, self._process, self._said)
        return json.loads(line)


@contextmanager
def running_peers(python: Path, texts: Sequence[str], folder: Path) -> Iterator[Peers | None]:
    """None where that Python is not there; which peers are missing is told on stderr."""
    if not python.exists():
        sys.stderr.write(f"rensa, text-dedup and datatrove are left out: there is no {python}; `make bench-peers`\n")
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "texts.json"
    file.write_text(json.dumps(list(texts)), encoding="utf-8")
    with TemporaryFile() as said:
        process = subprocess.Popen(  # noqa: S603 (our own script, by the Python that was named)
            [str(python), str(SCRIPT), str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
        try:
            peers = Peers(process, said)
            for name, why in peers.missing.items():
                sys.stderr.write(f"{name} is left out: {why}\n")
            yield peers
        finally:
            process.kill()
            process.communicate()


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the process has no pipes")
    return process.stdin, process.stdout
