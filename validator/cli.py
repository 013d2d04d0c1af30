"""`citevault-validate`: reads options, runs one check, writes one report.

Exit 0 clean, 1 findings, 2 bad input, 3 inconclusive (`schemas/README.md, Findings and exits`). The
only module that reads arguments and the environment.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from schemas.canonical import canonical_bytes
from schemas.reading import DocumentError, read_document
from schemas.records.base import TIME_PATTERN
from schemas.records.finding import Report
from schemas.records.manifest import Checkpoint
from validator.bundle import check_bundle
from validator.found import Found
from validator.limits import LIMITS
from validator.log_place import find_log
from validator.manifest import LogState, check_manifest
from validator.paths import Folder
from validator.report import as_json, as_text, bundle_report, log_report
from validator.settings import Profile, RefusedInputError, Settings
from validator.trust import TrustedKeys, read_keys

S3_ENDPOINT = "CITEVAULT_S3_ENDPOINT"
TRUSTED_KEYS = "CITEVAULT_TRUSTED_KEYS"
FORMATS = {"text": as_text, "json": as_json}


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of the console script."""
    options = _parser().parse_args(arguments)
    try:
        report = _run(options)
        _write(FORMATS[options.format](report).encode("utf-8", "backslashreplace"), options.output)
    except RefusedInputError as error:
        print(f"citevault-validate: {error}", file=sys.stderr)
        return 2
    return report.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="citevault-validate",
        description="Check Citevault bundles and manifest logs, trusting nothing in them.",
        epilog="exit: 0 clean, 1 findings, 2 bad input, 3 inconclusive",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    bundle = commands.add_parser("bundle", help="check a bundle directory")
    bundle.add_argument("input", metavar="DIR")
    bundle.add_argument(
        "--trust-author",
        action="append",
        default=[],
        metavar="KEYS",
        help="PEM file of keys trusted to sign bundles, but no log; repeatable",
    )
    manifest = commands.add_parser("manifest", help="check a manifest log, from its first head")
    manifest.add_argument("input", metavar="PATH-or-s3://…")
    manifest.set_defaults(trust_author=[])
    manifest.add_argument("--save-checkpoint", metavar="FILE", help="write the state that was found clean (exit 0)")
    for command in (bundle, manifest):
        _shared(command)
    bundle.add_argument(
        "--max-age", metavar="AGE", help="evidence retrieved longer before --time is an error (90s, 15m, 12h, 30d)"
    )
    manifest.set_defaults(max_age=None)
    return parser


def _shared(command: argparse.ArgumentParser) -> None:
    command.add_argument("--deep", action="store_true", help="read the WARC records too, and recompute their digests")
    command.add_argument("--format", choices=sorted(FORMATS), default="text")
    command.add_argument("--profile", choices=[p.value for p in Profile], default=Profile.CLAIM.value)
    command.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="KEYS",
        help=f"PEM file of trusted public keys; repeatable (or {TRUSTED_KEYS}, separated by {os.pathsep!r})",
    )
    command.add_argument("--checkpoint", metavar="FILE", help="last accepted state of the log")
    command.add_argument("--time", metavar="T", help="what is later than this is an error (2026-01-31T12:00:00Z)")
    command.add_argument("--output", metavar="FILE", help="write the report there instead of standard output")


def _run(options: argparse.Namespace) -> Report:
    settings = _settings(options)
    found = Found()
    if options.command == "manifest":
        log = find_log(options.input, os.environ.get(S3_ENDPOINT))
        state = check_manifest(log.place, log.folder, log.last, settings, found)
        if options.save_checkpoint is not None and state is not None and found.exit_code == 0:
            _write(canonical_bytes(_state(state)), options.save_checkpoint, "--save-checkpoint")
        return log_report(state, settings, found)
    return bundle_report(check_bundle(_folder(options.input), settings, found), settings, found)


def _folder(name: str) -> Folder:
    try:
        folder = Folder.at(Path(name))
    except (OSError, RuntimeError, ValueError):
        raise RefusedInputError("the directory does not exist; name the folder that holds bundle.json") from None
    if not folder.root.is_dir():
        raise RefusedInputError("not a directory; name the folder that holds bundle.json")
    return folder


def _settings(options: argparse.Namespace) -> Settings:
    if options.time is not None and not _is_time(options.time):
        raise RefusedInputError("--time takes a time such as 2026-01-31T12:00:00Z")
    max_age = None if options.max_age is None else _seconds(options.max_age)
    if max_age is not None and options.time is None:
        raise RefusedInputError("--max-age counts back from --time, so give that too")
    return Settings(
        profile=Profile(options.profile),
        deep=options.deep,
        trusted=_trusted(options.trust or _of_environment(TRUSTED_KEYS), "--trust"),
        trusted_authors=_trusted(options.trust_author, "--trust-author"),
        checkpoint=None if options.checkpoint is None else _checkpoint(options.checkpoint),
        time=options.time,
        max_age_seconds=max_age,
    )


def _seconds(age: str) -> int:
    """A number with its unit, as of `--max-age`."""
    match = re.fullmatch(r"([0-9]{1,9})([smhd])", age)
    if match is None:
        raise RefusedInputError("--max-age takes a number and a unit: 90s, 15m, 12h, 30d")
    return int(match[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[match[2]]


def _is_time(text: str) -> bool:
    """Whether a time has the format's form and a day that the calendar has."""
    if re.fullmatch(TIME_PATTERN, text) is None:
        return False
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def _of_environment(variable: str) -> list[str]:
    return [name for name in os.environ.get(variable, "").split(os.pathsep) if name]


def _trusted(files: Sequence[str], option: str) -> TrustedKeys:
    """All keys of these files."""
    keys: dict[str, Ed25519PublicKey] = {}
    for name in files:
        read = read_keys(_small_file(name, option))
        if isinstance(read, str):
            raise RefusedInputError(f"{option} {name}: {read}")
        keys |= read
    return TrustedKeys(keys)


def _checkpoint(name: str) -> Checkpoint:
    read = read_document(_small_file(name, "--checkpoint"), Checkpoint)
    if isinstance(read, DocumentError):
        raise RefusedInputError(f"--checkpoint {name}: {read}")
    return read


def _small_file(name: str, option: str) -> bytes:
    try:
        with Path(name).open("rb") as stream:
            data = stream.read(LIMITS.small_file + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise RefusedInputError(f"{option} {name}: {reason}") from None
    if len(data) > LIMITS.small_file:
        raise RefusedInputError(f"{option} {name}: larger than {LIMITS.small_file} bytes")
    return data


def _state(log: LogState) -> Checkpoint:
    return Checkpoint(
        schema="citevault/checkpoint@1",
        sequence=log.head.sequence,
        tree_size=log.head.tree_size,
        root_sha256=log.head.root_sha256,
        head_sha256=log.head_sha256,
    )


def _write(data: bytes, file: str | None, option: str = "--output") -> None:
    try:
        if file is None:
            sys.stdout.buffer.write(data)
            sys.stdout.flush()
            return

        Path(file).write_bytes(data)
    except BrokenPipeError:
        # Whoever read the report had enough of it (`… | head`); the exit code is still the answer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        raise RefusedInputError(f"{option} {file or 'standard output'}: cannot be written") from None


if __name__ == "__main__":
    sys.exit(main())
