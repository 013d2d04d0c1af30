"""`citevault-validate`: reads options, runs one check, writes one report.

Exit 0 clean, 1 findings, 2 bad input, 3 inconclusive (`schemas/README.md, Findings and exits`). The
only module that reads the environment and writes to standard output.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from schemas.canonical import canonical_bytes
from schemas.records.finding import Report
from schemas.records.manifest import Checkpoint
from validator import answer, explain, passing
from validator.attested import check_attestation
from validator.bundle import BundleResult, check_bundle
from validator.bundle_place import open_bundle
from validator.formats.attestation import FILE, as_attestation, load_signing_key
from validator.formats.junit import as_junit
from validator.formats.sarif import as_sarif
from validator.found import Found
from validator.log_place import find_log
from validator.manifest import LogState, check_manifest
from validator.options import parser, settings_of, small_file
from validator.passed import standing
from validator.paths import Folder
from validator.report import as_json, as_text, bundle_report, log_report
from validator.settings import Profile, RefusedInputError, Settings
from validator.wacz import check_wacz

S3_ENDPOINT = "CITEVAULT_S3_ENDPOINT"
_UNSAVED_ERRORS = (
    "the log has errors (exit 1); correct what the findings name, or ask its publisher, and check it again"
)
_UNSAVED_UNREAD = "not all of the log could be checked (exit 3); give what the findings name, and check it again"
_UNSAVED_UNSEEN = (
    "not all of the log could be checked (exit 3); give what the findings name; for an exported log leave out --deep, "
    "which needs the whole archive: s3://BUCKET, or a folder that is a copy of it"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of the console script."""
    options = parser().parse_args(arguments)
    commands = {
        "bundle": _bundle,
        "manifest": _manifest,
        "attestation": _attestation,
        "explain": _explain,
        "selftest": _selftest,
        "answer": _answer,
    }
    try:
        with _without_collector(), ExitStack() as scratch:
            return commands[options.command](options, scratch)
    except RefusedInputError as error:
        print(f"citevault-validate: {error}", file=sys.stderr)
        return 2


@contextmanager
def _without_collector() -> Iterator[None]:
    """A run is short and makes many records and no cycles; looking for cycles would cost a third of its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _bundle(options: argparse.Namespace, scratch: ExitStack) -> int:
    settings = settings_of(options, os.environ)
    if (options.only is None) != (options.write is None):
        raise RefusedInputError("--only passing and -o DIR go together")
    if (options.format == "attestation") != (options.sign is not None):
        raise RefusedInputError("--format attestation and --sign KEY go together")
    if options.re_extract and not options.deep:
        raise RefusedInputError("--re-extract reads payloads, so give --deep too")
    key = None if options.sign is None else load_signing_key(small_file(options.sign, "--sign"))
    result, found = _checked(options, settings, scratch)
    report = bundle_report(result, settings, found)
    written, told = (True, []) if options.only is None else _write_passing(result, report, options.write)
    if key is not None:
        envelope = as_attestation(report, result, settings, key)
        file = options.output or _beside(result)
        _write(envelope.encode("ascii"), file)
        if file is not None:
            print(f"{report.exit_code}: attested in {file}", file=sys.stderr)
    else:
        _report(report, result, options)
    for line in told:  # behind the report, which is of the whole bundle
        print(line, file=sys.stderr)
    return report.exit_code if written else report.exit_code or 1


def _write_passing(result: BundleResult, report: Report, directory: str) -> tuple[bool, list[str]]:
    """Whether some claims were written, and what is said of it: which were not and why, how many were."""
    try:
        *left_out, written = passing.write_passing(result, report, Path(directory))
    except passing.NothingPassesError as error:
        return False, [f"citevault-validate: nothing written to {directory}: {error}"]
    records = "" if report.deep else "; their records were not looked at (--deep)"
    whole = f"; exit {report.exit_code} is of the whole bundle" if report.exit_code else ""
    return True, [*left_out, f"{written} written to {directory}{records}{whole}"]


def _checked(options: argparse.Namespace, settings: Settings, scratch: ExitStack) -> tuple[BundleResult, Found]:
    found = Found()
    place = open_bundle(options.input, os.environ.get(S3_ENDPOINT), scratch)
    beside = check_wacz(place, found)
    return check_bundle(place, settings, found, beside=beside), found


def _beside(result: BundleResult) -> str | None:
    """Where an attestation lies in a bundle that is a folder."""
    place = result.given.place
    return str(place.root / FILE) if isinstance(place, Folder) else None


def _manifest(options: argparse.Namespace, _scratch: ExitStack) -> int:
    settings = settings_of(options, os.environ)
    found = Found()
    log = find_log(options.input, os.environ.get(S3_ENDPOINT))
    state = check_manifest(log.place, log.folder, log.last, settings, found)
    unsaved = None
    if options.save_checkpoint is not None and state is not None and found.exit_code == 0:
        _write(canonical_bytes(_state(state)), options.save_checkpoint, "--save-checkpoint")
    elif options.save_checkpoint is not None:
        unsaved = _UNSAVED_ERRORS if found.failed else _UNSAVED_UNSEEN if options.deep else _UNSAVED_UNREAD
    report = log_report(state, settings, found)
    _report(report, None, options)
    if unsaved is not None:  # behind the report, which it speaks of
        print(f"citevault-validate: no checkpoint saved: {unsaved}", file=sys.stderr)
    return report.exit_code


def _attestation(options: argparse.Namespace, scratch: ExitStack) -> int:
    settings = settings_of(options, os.environ)
    place = open_bundle(options.input, os.environ.get(S3_ENDPOINT), scratch)
    report = check_attestation(place, settings, Found())
    _report(report, None, options)
    return report.exit_code


def _explain(options: argparse.Namespace, scratch: ExitStack) -> int:
    settings = settings_of(options, os.environ)
    result, found = _checked(options, settings, scratch)
    chain = explain.chain_of(result, options.evidence, found)
    text = explain.as_json(chain) if options.format == "json" else explain.as_text(chain)
    _write(_encoded(text), options.output)
    return chain.exit_code


def _answer(options: argparse.Namespace, _scratch: ExitStack) -> int:
    report = answer.run(Path(options.input), Path(options.map), Profile(options.profile))
    _write(_encoded(as_json(report) if options.format == "json" else as_text(report)), options.output)
    return report.exit_code


def _selftest(options: argparse.Namespace, _scratch: ExitStack) -> int:
    from validator.selftest import report, run  # forgeries are built only where they are asked for

    result = run.run()
    text = report.as_json(result) if options.format == "json" else report.as_text(result)
    _write(_encoded(text), options.output)
    return result.exit_code


def _report(report: Report, result: BundleResult | None, options: argparse.Namespace) -> None:
    match options.format:
        case "sarif":
            text = as_sarif(report, result)
        case "junit":
            text = as_junit(report, result)
        case "json":
            text = as_json(report)
        case _:
            text = as_text(report, frozenset() if result is None else standing(result, report).kept)
    _write(_encoded(text), options.output)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


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
