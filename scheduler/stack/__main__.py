"""`python -m scheduler.stack [--detach] [--only NAMES]`: a supervisor process, configured by its environment.

With `--detach` it leaves the session of whoever started it, writes what happens to its log, and says on its standard
output how the start goes, `READY` at last; then it lets go of that too. Exit 0 ended in order, 3 did not come up.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime

from scheduler.stack.control import READY
from scheduler.stack.foreground import AlreadyRunning, serve
from scheduler.stack.state import StackInfo, StackPaths
from workers.config import Settings, load
from workers.errors import CitevaultError


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scheduler.stack", description=__doc__)
    parser.add_argument("--detach", action="store_true", help="go to the background; say READY when all parts answer")
    parser.add_argument("--only", default="", help="comma-separated names of parts, instead of all")
    options = parser.parse_args(arguments)
    say = _say_to_both if options.detach else _say
    try:
        settings = load()
        StackPaths(settings.data_dir).make()
        if options.detach:
            _leave_session(settings)
        only = frozenset(options.only.split(",")) if options.only else None
        serve(settings, say, only=only, on_ready=_ready_and_let_go if options.detach else _ready)
    except AlreadyRunning:
        say("the local stack is already running")
        return 0
    except CitevaultError as failed:
        say(str(failed))
        return 3
    return 0


def _say(line: str) -> None:
    """To the log, with its time. What cannot be written, as on a full disk, is not said: the parts are to live on."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with suppress(OSError):
        sys.stderr.write(f"{now} {line}\n")
        sys.stderr.flush()


def _say_to_both(line: str) -> None:
    """To the log, and to whoever started us, for as long as they listen."""
    _say(line)
    with suppress(OSError, ValueError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def _ready(_info: StackInfo) -> None:
    with suppress(OSError, ValueError):
        sys.stdout.write(READY + "\n")
        sys.stdout.flush()


def _ready_and_let_go(info: StackInfo) -> None:
    """Started: whoever waits for us reads READY and then the end of the stream."""
    _ready(info)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _leave_session(settings: Settings) -> None:
    """Become a background process. The one that was started ends at once, so that nobody has to reap us."""
    if os.fork() > 0:
        os._exit(0)
    os.setsid()
    log = os.open(StackPaths(settings.data_dir).supervisor_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 2)
    os.close(log)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
