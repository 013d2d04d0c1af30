"""`python -m deploy.demo --data-dir DIR`: the main job on a small made-up web, with real commands and real stores.

Exit 0: every step did what it must. 1: one did not. 2: the folder is not the demo's. 3: it was interrupted.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from types import FrameType

from deploy.demo.commands import Commands
from deploy.demo.failure import StepFailedError
from deploy.demo.folder import DemoFolder, NotOursError
from deploy.demo.server import sample_web
from deploy.demo.story import Demo, tell_it
from deploy.demo.telling import Telling

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 3
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> int:
    """Run the demo. Nothing runs on when it has ended, however it ends."""
    options = _parser().parse_args()
    folder = DemoFolder(Path(options.data_dir).absolute())
    tell = Telling()
    run = Commands(folder.path, tell.command)
    for number in ENDING:
        signal.signal(number, _as_interrupt)
    try:
        if folder.has_earlier_demo():
            run.down()
        folder.make_fresh()
    except NotOursError as error:
        print(f"demo: {error}", file=sys.stderr)
        return USAGE
    code = _run(folder, run, tell)
    print(f"\n{_ENDINGS[code]} in {tell.seconds:.1f} s. Data: {run.shorter(str(folder.path))}", flush=True)
    return code


def _run(folder: DemoFolder, run: Commands, tell: Telling) -> int:
    try:
        try:
            with sample_web() as web:
                where = "addresses of their own" if web.own_addresses else "ports of 127.0.0.1"
                tell.say(f"a made-up web of {len(web.origins)} sites on {where}")
                tell_it(Demo(folder, web, run, tell))
        finally:
            print(flush=True)
            ended = run.down()
    except StepFailedError as failure:
        print(f"\ndemo: {failure.what}", file=sys.stderr)
        if failure.said:
            print(failure.said, file=sys.stderr)
        print(f"demo: logs are in {folder.path / 'log'}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return DONE if ended.exit_code == DONE else FAILED


_ENDINGS = {DONE: "The demo is done", FAILED: "The demo failed", INTERRUPTED: "The demo was interrupted"}


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    """SIGTERM and SIGHUP end the demo as Ctrl-C does: with `down`, which a second one does not break off."""
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m deploy.demo", description="Archive a small made-up web end to end, and validate the bundle."
    )
    parser.add_argument(
        "--data-dir", required=True, metavar="DIR", help="where to leave the data; replaced if a demo made it"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
