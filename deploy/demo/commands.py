"""Runs the real commands, as a person would, and gives back what they said."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from deploy.demo.failure import StepFailedError

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
COMMAND_SECONDS = 200.0  # `up` gives its parts 180
SHOWN_CHARACTERS = 2_000
_ENTRIES = {"citevault": "scheduler.cli", "citevault-validate": "validator.cli"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One finished command."""

    line: str
    """As it would be typed."""
    exit_code: int
    stdout: str
    stderr: str
    seconds: float

    def read(self, kind: type[T]) -> T:
        """The JSON document on stdout."""
        try:
            return TypeAdapter(kind).validate_json(self.stdout)
        except ValidationError as error:
            raise StepFailedError(f"`{self.line}` printed other JSON than expected: {error}", self.said()) from error

    def must_exit(self, *codes: int) -> Answer:
        """This answer, if it ended with one of these codes."""
        if self.exit_code not in codes:
            wanted = " or ".join(map(str, codes))
            raise StepFailedError(f"`{self.line}` ended with {self.exit_code}, not {wanted}", self.said())
        return self

    def said(self) -> str:
        """The end of what it wrote, for a person."""
        return (self.stdout[-SHOWN_CHARACTERS:] + "\n" + self.stderr[-SHOWN_CHARACTERS:]).strip()


@dataclass(frozen=True, slots=True)
class Commands:
    """`citevault` on one data directory, and `citevault-validate`. `told` is called with each line before it runs."""

    data_dir: Path
    told: Callable[[str], None]

    def citevault(self, *arguments: str, signing_key: Path | None = None) -> Answer:
        """Run `citevault`. `signing_key` names another key than that of the data directory."""
        extra = {} if signing_key is None else {"CITEVAULT_SIGNING_KEY": str(signing_key)}
        return self._run("citevault", ("--data-dir", str(self.data_dir), *arguments), extra)

    def validate(self, *arguments: str) -> Answer:
        """Run `citevault-validate`."""
        return self._run("citevault-validate", arguments, {})

    def down(self) -> Answer:
        """End the local stack. In a session of its own, so that a second Ctrl-C does not end it half-way."""
        return self._run("citevault", ("--data-dir", str(self.data_dir), "down"), {}, own_session=True)

    def _run(
        self, program: str, arguments: tuple[str, ...], extra: Mapping[str, str], *, own_session: bool = False
    ) -> Answer:
        shown = [f"{name}={value}" for name, value in extra.items()]
        line = " ".join(self.shorter(word) for word in (*shown, program, *arguments))
        self.told(line)
        started = time.monotonic()
        try:
            done = subprocess.run(  # noqa: S603 (our own commands)
                [*_start_of(program), *arguments],
                env=_environment(extra),
                cwd=self.data_dir,  # so that no `.env` of the working folder has a say
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=COMMAND_SECONDS,
                check=False,
                start_new_session=own_session,
            )
        except subprocess.TimeoutExpired as late:
            raise StepFailedError(f"`{line}` did not end within {COMMAND_SECONDS:g} s", str(late.stderr)) from late
        return Answer(line, done.returncode, done.stdout, done.stderr, time.monotonic() - started)

    def shorter(self, word: str) -> str:
        """Paths below the working folder as a person would type them."""
        here = str(Path.cwd()) + os.sep
        return word.replace(here, "")

    def typed(self, program: str) -> str:
        """How a person starts a program from here: by name where the shell finds it, else by path."""
        script = Path(sys.executable).parent / program
        return program if shutil.which(program) or not script.is_file() else self.shorter(str(script))


def _start_of(program: str) -> list[str]:
    """The console script of this environment; in a checkout that is not installed, its entry point."""
    script = Path(sys.executable).parent / program
    if script.is_file():
        return [str(script)]
    return [sys.executable, "-c", f"import sys; from {_ENTRIES[program]} import main; sys.exit(main())"]


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Ours, without settings that would lead the demo to other stores than its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITEVAULT_")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **extra}
