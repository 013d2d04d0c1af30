"""The command group, and what all commands share: the data directory, and errors as sentences."""

from __future__ import annotations

import logging
import sys

import click

from scheduler.cli.commands import Commands
from scheduler.cli.context import Context
from scheduler.cli.order import in_order
from scheduler.cli.output import say
from workers import config
from workers.errors import (
    CitevaultError,
    EpochError,
    ObjectMissingError,
    PermanentError,
    RetryableError,
    UnsafeStoreError,
)

DONE, USAGE, UNKNOWN = 0, 2, 3
MISPLACED = (FileExistsError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
"""The place is wrong, not the disk."""


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--data-dir", metavar="DIR", help="Folder of the local stack (default: CITEVAULT_DATA_DIR or ./data).")
@click.option("--debug", is_flag=True, help="Log more, and show where an error came from.")
@click.version_option(config.version(), prog_name="citevault")
@click.pass_context
def cli(click_context: click.Context, data_dir: str | None, debug: bool) -> None:
    """Archive web pages as evidence, and build bundles that anybody can check."""
    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, format="%(levelname)s %(name)s %(message)s")
    click_context.obj = Context(data_dir=data_dir, debug=debug)


def run(arguments: list[str] | None = None) -> int:
    """Run one command; its exit code. No error of ours ends in a traceback, unless `--debug` asks for it."""
    given = in_order(sys.argv[1:] if arguments is None else arguments)
    try:
        answer = cli.main(args=given, prog_name="citevault", standalone_mode=False)
    except click.exceptions.Abort:
        say("interrupted; what was handed in goes on (`citevault status`)")
        return UNKNOWN
    except click.ClickException as error:
        error.show(sys.stderr)
        return USAGE
    except CitevaultError as error:
        if "--debug" in given:
            logging.exception("the command failed")
        _explain(error, _full_disk(given) if isinstance(error, RetryableError) else None)
        return exit_of(error)
    except OSError as error:  # a file that an option names; stores and networks have errors of ours
        if "--debug" in given:
            logging.exception("the command failed")
        misplaced = isinstance(error, MISPLACED)
        say(f"citevault: {error.strerror or error}" + (f" ({error.filename})" if error.filename else ""))
        elsewhere = "name another place" if misplaced else "make room there, or name another place"
        say(f"  next: {_full_disk(given) or elsewhere}")
        return USAGE if misplaced else UNKNOWN
    return answer if isinstance(answer, int) else DONE


def exit_of(error: CitevaultError) -> int:
    """2 where the input is wrong; 3 where something could not be reached or is not what was stored."""
    if isinstance(error, EpochError | UnsafeStoreError | ObjectMissingError):
        return UNKNOWN  # what a record promises is not there: that says nothing about the question
    return USAGE if isinstance(error, PermanentError) else UNKNOWN


def _full_disk(given: list[str]) -> str | None:
    """What to do where a disk of this machine that we write to is full: then that is why a store fails."""
    from scheduler.in_hand import full_disk

    folder = next((part.partition("=")[2] for part in given if part.startswith("--data-dir=")), None)
    if "--data-dir" in given[:-1]:
        folder = given[given.index("--data-dir") + 1]
    try:
        settings = Context(data_dir=folder).settings()
    except CitevaultError:
        return None
    return full_disk(settings)


def _explain(error: CitevaultError, full: str | None) -> None:
    place = f" ({error.where})" if error.where else ""
    say(f"citevault: {error.what}{place}")
    if full or error.next_step:
        say(f"  next: {full or error.next_step}")
