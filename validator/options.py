"""The command line: which options there are, and what they come to."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from schemas.judging import HUMAN_SAMPLE_PPM, share_ppm
from schemas.reading import DocumentError, read_document
from schemas.records.base import TIME_PATTERN
from schemas.records.manifest import Checkpoint
from validator.limits import LIMITS
from validator.settings import Profile, RefusedInputError, Settings
from validator.trust import TrustedKeys, read_keys

TRUSTED_KEYS: Final = "CITEVAULT_TRUSTED_KEYS"
FORMATS: Final = ("attestation", "json", "junit", "sarif", "text")
UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def parser() -> argparse.ArgumentParser:
    """All commands."""
    whole = argparse.ArgumentParser(
        prog="citevault-validate",
        description="Check Citevault bundles and manifest logs, trusting nothing in them.",
        epilog="exit: 0 no errors, 1 findings, 2 bad input, 3 inconclusive",
    )
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    bundle = commands.add_parser("bundle", help="check a bundle")
    bundle.add_argument("input", metavar="DIR-or-WACZ-or-s3://…")
    _only_bundles(bundle)
    bundle.add_argument("--format", choices=FORMATS, default="text")
    bundle.add_argument(
        "--re-extract", action="store_true", help="with --deep: make each text again, by the archive's own extractor"
    )
    bundle.add_argument("--sign", metavar="KEY", help="of --format attestation: PEM file with the checker's own key")
    bundle.add_argument(
        "--only", choices=["passing"], help="write a bundle of the claims that pass, with -o; drops whole claims alone"
    )
    bundle.add_argument("-o", "--write", metavar="DIR", help="where --only passing writes; it must not be there yet")
    manifest = commands.add_parser("manifest", help="check a manifest log, from its first head")
    manifest.add_argument("input", metavar="PATH-or-s3://…")
    manifest.set_defaults(trust_author=[], max_age=None)
    manifest.add_argument("--format", choices=[name for name in FORMATS if name != "attestation"], default="text")
    manifest.add_argument("--save-checkpoint", metavar="FILE", help="write the state that was found clean (exit 0)")
    attestation = commands.add_parser("attestation", help="check that a trusted checker passed this very bundle")
    attestation.add_argument("input", metavar="DIR-or-WACZ-or-s3://…")
    attestation.set_defaults(trust_author=[], max_age=None)
    attestation.add_argument("--format", choices=["json", "text"], default="text")
    explain = commands.add_parser("explain", help="show the chain of proof of one quote, link by link")
    explain.add_argument("input", metavar="DIR-or-WACZ-or-s3://…")
    explain.add_argument("evidence", metavar="EVIDENCE", help="its id, such as ev-001")
    _only_bundles(explain)
    explain.add_argument("--format", choices=["json", "text"], default="text")
    for command in (bundle, manifest, attestation, explain):
        _shared(command)
    answer = commands.add_parser("answer", help="check a model's answer against the source map that it was made from")
    answer.add_argument("input", metavar="ANSWER", help="a Markdown file")
    answer.add_argument("--map", required=True, metavar="MAP", help="the source map")
    answer.add_argument("--format", choices=["json", "text"], default="text")
    answer.add_argument("--profile", choices=[p.value for p in Profile], default=Profile.CLAIM.value)
    answer.add_argument("--output", metavar="FILE", help="write the report there instead of standard output")
    selftest = commands.add_parser(
        "selftest",
        help="forge bundles and logs, and count those that are refused",
        description="Try this installation: it makes a bundle and a log of its own, forges them in every way that it "
        "knows, and counts the forgeries that are refused. All have to be (exit 0). It takes no bundle of yours: "
        "`bundle` checks that.",
    )
    selftest.add_argument("--format", choices=["json", "text"], default="text")
    selftest.add_argument("--output", metavar="FILE", help="write the report there instead of standard output")
    return whole


def _only_bundles(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--trust-author",
        action="append",
        default=[],
        metavar="KEYS",
        help="PEM file of keys trusted to sign bundles, but no log; repeatable",
    )
    command.add_argument(
        "--human-sample",
        metavar="SHARE",
        help="share of an evaluator's judgements that a person must have judged too (default: 10%%; 0%%: none)",
    )
    command.add_argument(
        "--max-age", metavar="AGE", help="evidence retrieved longer before --time is an error (90s, 15m, 12h, 30d)"
    )


def _shared(command: argparse.ArgumentParser) -> None:
    if command.prog.split()[-1] != "explain":
        command.add_argument(
            "--deep", action="store_true", help="read the WARC records too, and recompute their digests"
        )
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


def settings_of(options: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """The options, read and checked. Raises RefusedInputError."""
    if options.time is not None and not _is_time(options.time):
        raise RefusedInputError("--time takes a time such as 2026-01-31T12:00:00Z")
    max_age = None if options.max_age is None else _seconds(options.max_age)
    if max_age is not None and options.time is None:
        raise RefusedInputError("--max-age counts back from --time, so give that too")
    sample = getattr(options, "human_sample", None)
    named = [name for name in environment.get(TRUSTED_KEYS, "").split(os.pathsep) if name]
    return Settings(
        profile=Profile(options.profile),
        deep=getattr(options, "deep", True),
        re_extract=getattr(options, "re_extract", False),
        trusted=_trusted(options.trust or named, "--trust"),
        trusted_authors=_trusted(options.trust_author, "--trust-author"),
        checkpoint=None if options.checkpoint is None else _checkpoint(options.checkpoint),
        time=options.time,
        max_age_seconds=max_age,
        human_sample_ppm=HUMAN_SAMPLE_PPM if sample is None else _share(sample),
    )


def _seconds(age: str) -> int:
    """A number with its unit, as of `--max-age`."""
    match = re.fullmatch(r"([0-9]{1,9})([smhd])", age)
    if match is None:
        raise RefusedInputError("--max-age takes a number and a unit: 90s, 15m, 12h, 30d")
    return int(match[1]) * UNITS[match[2]]


def _share(text: str) -> int:
    """A share in parts per million, from per cent, as of `--human-sample`."""
    ppm = share_ppm(text)
    if ppm is None:
        raise RefusedInputError("--human-sample takes a share from 0% to 100%, such as 10%")
    return ppm


def _is_time(text: str) -> bool:
    """Whether a time has the format's form and a day that the calendar has."""
    if re.fullmatch(TIME_PATTERN, text) is None:
        return False
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def _trusted(files: Sequence[str], option: str) -> TrustedKeys:
    """All keys of these files."""
    keys: dict[str, Ed25519PublicKey] = {}
    for name in files:
        read = read_keys(small_file(name, option))
        if isinstance(read, str):
            raise RefusedInputError(f"{option} {name}: {read}")
        keys |= read
    return TrustedKeys(keys)


def _checkpoint(name: str) -> Checkpoint:
    read = read_document(small_file(name, "--checkpoint"), Checkpoint)
    if isinstance(read, DocumentError):
        raise RefusedInputError(f"--checkpoint {name}: {read}")
    return read


def small_file(name: str, option: str) -> bytes:
    """A file that an option names. Raises RefusedInputError."""
    try:
        with Path(name).open("rb") as stream:
            data = stream.read(LIMITS.small_file + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise RefusedInputError(f"{option} {name}: {reason}") from None
    if len(data) > LIMITS.small_file:
        raise RefusedInputError(f"{option} {name}: larger than {LIMITS.small_file} bytes")
    return data
