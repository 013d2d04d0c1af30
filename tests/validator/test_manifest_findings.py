"""For each finding code of a log the smallest edit that triggers exactly it, and nothing else."""

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from schemas.findings import FindingKind as K

Edit = Callable[[Any], object]


@dataclass
class Case:
    kind: K
    stage: str
    edit: Edit
    exit_code: int = 1
    deep: bool = False
    trust: str | None = "publisher"
    options: tuple[str, ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind.code}{'-' + self.note if self.note else ''}"


def drop(pattern: str) -> Edit:
    def edit(log: Any) -> None:
        for name in [n for n in log.files if pattern in n]:
            del log.files[name]

    return edit


def loose(log: Any) -> None:
    """A leaf with a blank in it, hashed and committed as it stands."""
    plain = gzip.decompress(log.leaf_files[1])
    log.leaf_files[1] = gzip.compress(plain.replace(b'":', b'": ', 1), mtime=0)


def plain_leaves(log: Any) -> None:
    """The lines without compression: every digest is right, and the object is none that a reader expects."""
    log.leaf_files[1] = gzip.decompress(log.leaf_files[1])


def newer_leaf(log: Any) -> None:
    log.batches[1][0]["schema"] = "citevault/leaf@2"


def unsorted_leaves(log: Any) -> None:
    log.batches[0].reverse()


def relabel(log: Any) -> None:
    log.batches[1][0]["retrieved_at"] = "2026-08-22T03:15:01Z"


def unbound(log: Any) -> None:
    log.batches[1][0]["text_sha256"] = "0" * 64


def head(number: int, **values: Any) -> Edit:
    return lambda log: log.heads[number - 1].update(values)


def recompressed(log: Any) -> None:
    name = next(n for n in log.files if n.startswith("manifests/0000000002-") and n.endswith(".gz"))
    log.files[name] = gzip.compress(gzip.decompress(log.files[name]), 1, mtime=7)


def spaced_head(log: Any) -> None:
    """The last head with a blank; the envelope is of the bytes as they are."""
    name = "manifests/0000000003.json"
    old, new = log.files[name], log.files[name] + b"\n"
    log.files[name] = new
    envelope = next(n for n in log.files if n.startswith("manifests/0000000003-") and n.endswith(".dsse.json"))
    document = log.files.pop(envelope)
    del old
    log.files[f"manifests/0000000003-{hashlib.sha256(new).hexdigest()[:16]}.dsse.json"] = document


def checkpoint(**values: Any) -> tuple[str, ...]:
    base = {"schema": "citevault/checkpoint@1", "sequence": 2, "tree_size": 3}
    return ("--checkpoint", json.dumps(base | {"root_sha256": "0" * 64, "head_sha256": "1" * 64} | values))


def warc(old: bytes, new: bytes) -> Edit:
    """Change bytes of one record of the captures; all members are of the length that they had."""

    def edit(log: Any) -> None:
        name = next(n for n in log.files if n.startswith("warc/"))
        receipt_name = next(n for n in log.files if n.startswith("commits/"))
        receipt = json.loads(log.files[receipt_name])
        out = bytearray()
        for outcome in receipt["outcomes"]:
            for record in outcome["hops"][0]["records"]:
                start = record["offset"]
                plain = gzip.decompress(log.files[name][start : start + record["length"]])
                data = gzip.compress(plain.replace(old, new), mtime=0)
                record |= {"offset": len(out), "length": len(data)}
                out += data
        log.files[name] = bytes(out)
        log.files[receipt_name] = json.dumps(receipt).encode()

    return edit


def nothing(_: Any) -> None:
    """The log as it is."""


CASES = [
    Case(K.MANIFEST_GAP, "files", drop("manifests/0000000002.json")),
    Case(K.MANIFEST_CHAIN, "head-2", head(2, previous_sha256="0" * 64)),
    Case(K.MANIFEST_LEAVES_DIGEST, "files", recompressed),
    Case(K.MANIFEST_TREE_SIZE, "head-3", head(3, tree_size=6)),
    Case(K.MANIFEST_ROOT, "head-3", head(3, root_sha256="0" * 64)),
    Case(K.LEAF_UNREADABLE, "leaf_files", loose),
    Case(K.LEAF_UNREADABLE, "batches", newer_leaf, note="version"),
    Case(K.LEAF_UNREADABLE, "leaf_files", plain_leaves, note="not gzip"),
    Case(K.LEAF_ORDER, "batches", unsorted_leaves),
    Case(K.LEAF_ID_NOT_DERIVED, "batches", relabel),
    Case(K.LEAF_TEXT_UNBOUND, "batches", unbound),
    Case(K.SIGNATURE_MISSING, "files", drop("dsse.json")),
    Case(K.SIGNATURE_UNTRUSTED, "files", nothing, exit_code=0, trust=None),
    Case(K.SIGNATURE_UNTRUSTED, "files", nothing, trust="stranger", note="stranger"),
    Case(K.SIGNATURE_KEY_MISSING, "files", drop("keys/"), exit_code=3, trust=None),
    Case(K.CHECKPOINT_ROLLBACK, "files", nothing, options=checkpoint(sequence=9, tree_size=9)),
    Case(K.CHECKPOINT_FORK, "files", nothing, options=checkpoint()),
    Case(K.CHECKPOINT_FORK, "files", nothing, options=checkpoint(tree_size=4), note="within"),
    Case(K.TIME_FUTURE, "files", nothing, options=("--time", "2026-09-02T00:00:00Z")),
    Case(
        K.WARC_PLACES_UNREAD,
        "files",
        lambda log: log.files.update({"compactions/0000000001.json": b"{"}),
        exit_code=3,
        deep=True,
    ),
    Case(K.WARC_NOT_LOCATED, "files", drop("commits/"), exit_code=3, deep=True),
    Case(K.WARC_BLOCK_DIGEST, "files", warc(b"GET /", b"PUT /"), deep=True),
    Case(K.FILE_MISSING, "files", drop("a1.warc.gz"), deep=True),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_smallest_edit_gives_exactly_this_finding(
    case: Case,
    make_log: Callable[..., Path],
    validate: Callable[..., Any],
    key_files: dict[str, str],
    tmp_path: Path,
) -> None:
    """C47: every digest is recomputed, every chain field compared."""
    root = make_log({case.stage: case.edit})
    arguments = ["manifest", str(root), *(["--deep"] if case.deep else [])]
    arguments += ["--trust", key_files[case.trust]] if case.trust else []
    options = list(case.options)
    if options[:1] == ["--checkpoint"]:
        (tmp_path / "checkpoint.json").write_text(options[1])
        options[1] = str(tmp_path / "checkpoint.json")
    outcome = validate(*arguments, *options)
    assert (" ".join(outcome.codes), outcome.exit_code) == (case.kind.code, case.exit_code)


def test_records_without_a_place_are_told_once_beside_the_object_that_should_tell_it(
    make_log: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    """One byte of the receipt was changed: that is the cause, and one finding counts what followed."""

    def changed(log: Any) -> None:
        name = next(n for n in log.files if n.startswith("commits/"))
        log.files[name] = b"[" + log.files[name][1:]

    outcome = validate("manifest", str(make_log({"files": changed})), "--deep", "--trust", key_files["publisher"])
    told = {f["code"]: f for f in outcome.report["findings"] if f["code"].startswith("warc.")}
    assert outcome.exit_code == 3
    assert told["warc.places-unread"]["path"].startswith("commits/")
    assert told["warc.not-located"]["actual"] == "11 records of 5 snapshots"
    assert len(told["warc.not-located"]["ids"]) == 11
    assert len(outcome.report["findings"]) == len({f["code"] for f in outcome.report["findings"]})


def test_leaves_that_cannot_be_read_leave_later_roots_unchecked(
    make_log: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    root = make_log({"files": drop("manifests/0000000002-")})
    outcome = validate("manifest", str(root), "--trust", key_files["publisher"])
    assert outcome.codes == [K.FILE_MISSING.code, K.MANIFEST_ROOT_UNCHECKED.code, K.SIGNATURE_MISSING.code]


@pytest.mark.parametrize("argument", ["", "manifests", "manifests/0000000003.json"])
@pytest.mark.parametrize("deep", [[], ["--deep"]])
def test_a_good_log_is_clean_however_it_is_named(
    argument: str,
    deep: list[str],
    make_log: Callable[..., Path],
    validate: Callable[..., Any],
    key_files: dict[str, str],
) -> None:
    outcome = validate("manifest", str(make_log() / argument), "--trust", key_files["publisher"], *deep)
    assert (outcome.codes, outcome.exit_code) == ([], 0)
    assert outcome.report["checked"]["leaves"] == 5
    assert outcome.report["checked"].get("WARC records", 0) == (16 if deep else 0)


def test_an_accepted_state_is_found_again_in_the_grown_log(
    make_log: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str], tmp_path: Path
) -> None:
    root, saved = make_log(), str(tmp_path / "checkpoint.json")
    trust = ["--trust", key_files["publisher"]]
    validate("manifest", str(root / "manifests/0000000002.json"), *trust, "--save-checkpoint", saved)
    outcome = validate("manifest", str(root), *trust, "--checkpoint", saved)
    assert (outcome.codes, outcome.exit_code, outcome.report["checked"]["checkpoints"]) == ([], 0, 1)


def test_a_log_with_errors_is_no_new_checkpoint(
    make_log: Callable[..., Path], validate: Callable[..., Any], tmp_path: Path
) -> None:
    saved = tmp_path / "checkpoint.json"
    outcome = validate("manifest", str(make_log({"files": drop("dsse.json")})), "--save-checkpoint", str(saved))
    assert not saved.exists()
    assert outcome.exit_code == 1
    assert "citevault-validate: no checkpoint saved: the log has errors (exit 1); correct " in outcome.error


def test_a_log_that_is_there_alone_says_why_a_deep_check_saved_no_checkpoint(
    make_log: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str], tmp_path: Path
) -> None:
    """What `citevault manifest export` writes has no receipts and no WARC files, and is whole without `--deep`."""
    root, saved = make_log(), tmp_path / "checkpoint.json"
    alone = tmp_path / "alone"
    for folder in ("manifests", "keys"):
        shutil.copytree(root / folder, alone / folder)
    arguments = ("manifest", str(alone), "--trust", key_files["publisher"], "--save-checkpoint", str(saved))
    outcome = validate(*arguments, "--deep")
    assert (outcome.exit_code, saved.exists()) == (3, False)
    assert "no checkpoint saved: not all of the log could be checked (exit 3); " in outcome.error
    assert "leave out --deep" in outcome.error
    outcome = validate(*arguments)
    assert (outcome.exit_code, saved.exists(), outcome.error) == (0, True, "")


@pytest.mark.real
def test_a_log_in_s3_is_checked_deeply(
    make_log: Callable[..., Path],
    validate: Callable[..., Any],
    key_files: dict[str, str],
    in_s3: Callable[[Path, str], tuple[str, Callable[[str], None]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against a real store; a missing object, a missing bucket and a wrong password are told apart from errors."""
    name, delete_first = in_s3(make_log(), "log")
    arguments = ["--deep", "--trust", key_files["publisher"]]
    for address in ("log", "log/manifests/", "log/manifests/0000000003.json"):
        outcome = validate("manifest", f"s3://{name}/{address}", *arguments)
        assert (outcome.codes, outcome.exit_code, outcome.report["checked"]["WARC records"]) == ([], 0, 16)
    assert validate("manifest", f"s3://{name}/nothing", *arguments).exit_code == 2
    delete_first("warc/")
    outcome = validate("manifest", f"s3://{name}/log", *arguments)
    assert (outcome.codes, outcome.exit_code) == (["file.missing"], 1)
    outcome = validate("manifest", "s3://no-such-bucket-here/log", *arguments)
    assert (outcome.codes, outcome.exit_code) == (["file.unreadable"], 3)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    outcome = validate("manifest", f"s3://{name}/log", *arguments)
    assert (outcome.codes, outcome.exit_code) == (["file.unreadable"], 3)
