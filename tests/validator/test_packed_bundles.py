"""A bundle in a WACZ or another ZIP, and the part of a bundle that passes."""

import base64
import dataclasses
import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from schemas.findings import FindingKind
from validator import wacz
from validator.cli import main
from validator.found import Found
from validator.limits import LIMITS
from validator.place import Unavailable
from validator.wacz import check_wacz

Pack = Callable[..., Path]


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def pack(make_bundle: Callable[..., Path], tmp_path: Path) -> Pack:
    """Pack a good bundle as a WACZ; `change` may edit the files after the package was described."""

    def make(
        change: Callable[[dict[str, bytes]], object] = lambda _: None,
        *,
        method: int = zipfile.ZIP_STORED,
        wacz: bool = True,
    ) -> Path:
        root = make_bundle()
        files = {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
        if wacz:
            files["pages/pages.jsonl"] = b'{"format": "json-pages-1.0", "id": "pages"}\n'
            listed = [
                {"name": name.split("/")[-1], "path": name, "hash": f"sha256:{sha(data)}", "bytes": len(data)}
                for name, data in files.items()
            ]
            package = {"profile": "data-package", "wacz_version": "1.1.1", "resources": listed}
            files["datapackage.json"] = json.dumps(package).encode()
            digest = {"path": "datapackage.json", "hash": f"sha256:{sha(files['datapackage.json'])}"}
            files["datapackage-digest.json"] = json.dumps(digest).encode()
        change(files)
        target = tmp_path / "packed.wacz"
        with zipfile.ZipFile(target, "w", method) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return target

    return make


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wacz_is_checked_as_deeply_as_a_folder(
    method: int, pack: Pack, validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    options = ("--deep", "--profile", "strict", "--trust", key_files["both"])
    outcome = validate("bundle", str(pack(method=method)), *options)
    assert (outcome.codes, outcome.exit_code) == ([], 0)
    assert outcome.report["checked"]["files of the package"] == 13


def test_a_plain_zip_is_checked_too(pack: Pack, validate: Callable[..., Any], key_files: dict[str, str]) -> None:
    outcome = validate("bundle", str(pack(wacz=False)), "--deep", "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == ([], 0)


def signed(change: Callable[[dict[str, Any]], object] = lambda _: None, *, browser: bool = True) -> Any:
    """Sign the package as a browser does, with a bare key, or as a server does, with DER; then edit `signedData`."""

    def edit(files: dict[str, bytes]) -> None:
        digest = json.loads(files["datapackage-digest.json"])
        key = ec.derive_private_key(7, ec.SECP384R1())
        spki = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        signature = key.sign(digest["hash"].encode(), ec.ECDSA(SHA256()))
        if browser:
            signature = b"".join(number.to_bytes(48) for number in decode_dss_signature(signature))
        data = {"hash": digest["hash"], "created": "2026-09-01T00:00:00Z", "software": "x"}
        data |= {"signature": base64.b64encode(signature).decode(), "publicKey": base64.b64encode(spki).decode()}
        change(data)
        files["datapackage-digest.json"] = json.dumps(digest | {"signedData": data}).encode()

    return edit


@pytest.mark.parametrize(
    ("change", "told", "exit_code"),
    [
        (signed(), "wacz.signer-unchecked", 0),
        (signed(browser=False), "wacz.signer-unchecked", 0),
        (signed(lambda data: data.update(publicKey=base64.b64encode(b"x").decode())), "wacz.signer-unchecked", 0),
        (signed(lambda data: data.update(hash="sha256:" + "0" * 64)), "wacz.signature-invalid", 1),
        (signed(lambda data: data.update(signature=data["signature"][4:] + "AAAA")), "wacz.signature-invalid", 1),
    ],
    ids=["browser", "der", "no key", "other hash", "broken"],
)
def test_a_signed_package_has_a_whole_signature_and_its_signer_is_told_as_unchecked(
    change: Any, told: str, exit_code: int, pack: Pack, validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    outcome = validate("bundle", str(pack(change)), "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == ([told], exit_code)


def altered(name: str) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        files[name] += b"\n"

    return change


@pytest.mark.parametrize("name", ["pages/pages.jsonl", "datapackage.json"])
def test_a_file_that_its_package_does_not_describe_is_told(
    name: str, pack: Pack, validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    outcome = validate("bundle", str(pack(altered(name))), "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == (["wacz.resource-differs"], 1)


def test_a_package_cannot_smuggle_a_text_in(
    pack: Pack, validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    def change(files: dict[str, bytes]) -> None:
        files["texts/more.txt"] = b"x"
        package = json.loads(files["datapackage.json"])
        package["resources"].append({"path": "texts/more.txt", "hash": f"sha256:{sha(b'x')}", "bytes": 1})
        files["datapackage.json"] = json.dumps(package).encode()
        del files["datapackage-digest.json"]

    outcome = validate("bundle", str(pack(change)), "--trust", key_files["both"])
    assert outcome.codes == ["file.unlisted"]


class Opened:
    """A place that counts what is opened in it, and how many bytes are read."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files, self.opened, self.read = files, Counter[str](), 0

    def open(self, name: str, max_bytes: int) -> BinaryIO | Unavailable:
        self.opened[name] += 1
        place = self

        class Stream(io.BytesIO):
            def read(self, size: int | None = -1, /) -> bytes:
                data = super().read(size)
                place.read += len(data)
                return data

        return Stream(self.files[name]) if name in self.files else Unavailable(FindingKind.FILE_MISSING, "")

    def open_range(self, name: str, offset: int, length: int, max_bytes: int) -> BinaryIO | Unavailable:
        raise AssertionError("nobody asks for a part")

    def names(self, prefix: str) -> Iterator[str] | Unavailable:
        return iter(self.files)


def package(*paths: str, data: bytes = b"x") -> Opened:
    listed = [{"path": path, "hash": f"sha256:{sha(data)}"} for path in paths]
    return Opened({"datapackage.json": json.dumps({"resources": listed}).encode(), **dict.fromkeys(paths, data)})


def test_a_file_that_its_package_lists_many_times_is_read_once_and_told() -> None:
    place, found = package("a", *["b"] * 500), Found()
    check_wacz(place, found)
    assert (place.opened["a"], place.opened["b"]) == (1, 1)
    assert {(one.code, one.actual) for one in found.findings} == {("wacz.resource-differs", "b")}
    assert found.findings[0].pointer == "/resources/2/path"
    assert found.exit_code == 1


def test_the_files_of_a_package_are_read_within_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    small = dataclasses.replace(LIMITS, package_files=2500, piece=100)
    monkeypatch.setattr(wacz, "LIMITS", small)
    place, found = package(*map(str, range(50)), data=bytes(1000)), Found()
    check_wacz(place, found)
    assert {one.code for one in found.findings} == {"file.too-large"}
    assert found.findings[0].path == "2"
    assert place.read <= 2500 + 50 * small.piece + len(place.files["datapackage.json"])
    assert found.exit_code == 3


def test_a_package_lists_only_so_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wacz, "LIMITS", dataclasses.replace(LIMITS, package_resources=3))
    place, found = package(*"abcde"), Found()
    check_wacz(place, found)
    assert sorted(place.opened) == ["a", "b", "c", "datapackage-digest.json", "datapackage.json"]
    assert [(one.code, one.pointer) for one in found.findings] == [("file.too-large", "/resources/3")]


def test_two_entries_of_one_name_are_refused(pack: Pack, capfd: pytest.CaptureFixture[str]) -> None:
    path = pack()
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("bundle.json", b"{}")
    assert main(["bundle", str(path)]) == 2
    assert "two entries of one name" in capfd.readouterr().err


@pytest.mark.parametrize("cut", [10, 400, 5000])
def test_a_zip_that_is_cut_off_is_refused(cut: int, pack: Pack, capfd: pytest.CaptureFixture[str]) -> None:
    path = pack()
    path.write_bytes(path.read_bytes()[:-cut])
    assert main(["bundle", str(path)]) == 2
    assert "ZIP" in capfd.readouterr().err


def test_a_damaged_entry_is_an_error_or_inconclusive_and_never_clean(
    pack: Pack, validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    path = pack(method=zipfile.ZIP_DEFLATED)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("archive/records.warc.gz")
    data[entry.header_offset + 100] ^= 0xFF
    path.write_bytes(data)
    outcome = validate("bundle", str(path), "--deep", "--trust", key_files["both"])
    assert outcome.exit_code in (1, 3)


def drift(world: Any) -> None:
    edge = world.edge("ev-005")
    edge["quote"] = edge["quote"].replace("End", "And")
    world.judge(edge)


def test_only_passing_drops_whole_claims_and_what_is_left_is_clean(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "part"
    root = make_bundle({"document": drift})
    outcome = validate("bundle", str(root), "--deep", "--trust", key_files["both"], "--only", "passing", "-o", str(out))
    assert outcome.exit_code == 1
    document = json.loads((out / "bundle.json").read_text("utf-8"))
    assert [claim["id"] for claim in document["claims"]] == ["c-01", "c-03"]
    assert document["x_only_passing"]["claims_dropped"] == ["c-02"]
    assert document["x_only_passing"]["bundle_sha256"] == sha((root / "bundle.json").read_bytes())
    assert {edge["support"] for edge in document["evidence"]} == {"full", "contradicts"}, "contradictions stay"
    assert not (out / "bundle.dsse.json").exists()
    again = validate("bundle", str(out), "--deep", "--trust", key_files["both"])
    assert (again.codes, again.exit_code) == (["signature.no-author"], 0)


def test_only_passing_keeps_what_the_report_counts_and_names_the_rest(
    make_bundle: Callable[..., Path], key_files: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A conflicted ordinary claim passes with its warning, as the author was told, until the profile is strict."""

    def conflicted(world: Any) -> None:
        drift(world)
        world.document["arbitrations"] = []
        world.document["claims"][2]["status"] = "conflicted"

    root = make_bundle({"document": conflicted})
    for profile, count in (("claim", 2), ("strict", 1)):
        out = tmp_path / profile
        options = ("--trust", key_files["both"], "--profile", profile, "--only", "passing", "-o", str(out))
        assert main(["bundle", str(root), *options]) == 1
        said = capfd.readouterr()
        assert f"no error names: {count} of 3" in said.out
        assert f"{count} of 3 claims written to {out}" in said.err.splitlines()[-1]
        assert "exit 1 is of the whole bundle" in said.err
        assert "c-02 is left out: has errors: " in said.err
        assert ("c-03 is left out: conflicted" in said.err) is (profile == "strict")


def test_only_passing_leaves_out_what_needs_a_text_that_is_gone(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str], tmp_path: Path
) -> None:
    """Also a claim that does not cite it, but whose source is its copy: the cluster would come along without it."""
    out, root = tmp_path / "part", make_bundle()
    document = json.loads((root / "bundle.json").read_text("utf-8"))
    contradicting = next(edge for edge in document["evidence"] if edge["support"] == "contradicts")
    (root / f"texts/{contradicting['snapshot_id']}.txt").unlink()
    assert validate("bundle", str(root), "--only", "passing", "-o", str(out)).exit_code == 1
    assert [claim["id"] for claim in json.loads((out / "bundle.json").read_text("utf-8"))["claims"]] == ["c-02"]
    assert validate("bundle", str(out), "--deep", "--trust", key_files["both"]).exit_code == 0


def test_only_passing_writes_nothing_where_nothing_passes(
    make_bundle: Callable[..., Path], key_files: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(world: Any) -> None:
        world.document["policies"][1]["value"] = {"rules": [1]}

    out = tmp_path / "part"
    root = make_bundle({"document": broken})
    assert main(["bundle", str(root), "--trust", key_files["both"], "--only", "passing", "-o", str(out)]) == 1
    said = capfd.readouterr()
    assert "bears on the whole bundle" in said.err
    assert "bundle.policy-digest" in said.out, "the report is printed all the same"
    assert not out.exists()


def test_only_passing_names_each_claim_where_none_passes(
    make_bundle: Callable[..., Path], key_files: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The answer is no (exit 1), which is not bad input."""

    def unsupported(world: Any) -> None:
        for claim in world.document["claims"]:
            claim["status"] = "uncited"

    out = tmp_path / "part"
    root = make_bundle({"document": unsupported})
    assert main(["bundle", str(root), "--trust", key_files["both"], "--only", "passing", "-o", str(out)]) == 1
    told = capfd.readouterr().err
    assert (
        f"nothing written to {out}: no claim passes (c-01 has errors: claim.status-differs, c-02 has errors: " in told
    )
    assert not out.exists()


@pytest.mark.real
def test_a_bundle_in_s3_is_checked_deeply(
    make_bundle: Callable[..., Path],
    validate: Callable[..., Any],
    key_files: dict[str, str],
    in_s3: Callable[[Path, str], tuple[str, Callable[[str], None]]],
) -> None:
    """Against a real store: a good bundle is clean, a text that is gone an error, and what is not there no bundle."""
    name, delete_first = in_s3(make_bundle(), "bundles/report-7")
    arguments = ["--deep", "--trust", key_files["both"]]
    address = f"s3://{name}/bundles/report-7"
    for given in (address, f"{address}/"):
        outcome = validate("bundle", given, *arguments, "--profile", "strict")
        assert (outcome.codes, outcome.exit_code, outcome.report["checked"]["texts"]) == ([], 0, 5)
    assert main(["explain", address, "ev-003", "--trust", key_files["both"], "--output", "/dev/null"]) == 0
    delete_first("texts/")
    assert "file.missing" in validate("bundle", address, *arguments).codes
    assert validate("bundle", f"s3://{name}/nothing", *arguments).exit_code == 2
