"""`manifest` and `keys`: the signed log, and the key that signs it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import stat

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from schemas.canonical import canonical_bytes
from validator.cli import main as validate

pytestmark = pytest.mark.real


def test_manifests_are_a_chain_over_one_tree(citevault):
    said = citevault("manifest", "list", "--json")
    assert said.code == 0
    rows = said.json
    assert [row["sequence"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1]["tree_size"] == sum(row["leaves"] for row in rows) == 6
    heads = [citevault("manifest", "show", str(row["sequence"])).json for row in rows]
    assert [head["previous_sha256"] for head in heads] == [None, *(row["head_sha256"] for row in rows[:-1])]
    assert [hashlib.sha256(canonical_bytes(head)).hexdigest() for head in heads] == [r["head_sha256"] for r in rows]
    assert rows[-1]["root_sha256"][:20] in citevault("manifest", "list").out


def test_an_archive_without_manifests_says_so(fresh):
    said = fresh("manifest", "list")
    assert (said.code, said.stdout, said.err) == (0, b"", "no manifests\n")
    assert fresh("manifest", "list", "--json").json == []


def test_an_unknown_manifest_is_bad_input(citevault):
    said = citevault("manifest", "show", "999")
    assert (said.code, said.stdout) == (2, b"")
    assert "there is no such manifest (999)" in said.err


def test_a_snapshot_is_proved_under_the_newest_head(citevault, filled):
    for name in filled.snapshots:
        said = citevault("manifest", "prove", name)
        assert said.code == 0
        proof = said.json
        assert (proof["snapshot_id"], proof["tree_size"]) == (name, 6)
        assert len(proof["hashes"]) == 3 or proof["leaf_index"] >= 4
    assert proof["root_sha256"] == citevault("manifest", "list", "--json").json[-1]["root_sha256"]
    assert citevault("manifest", "prove", "--json", name).json == proof


@pytest.mark.parametrize("name", ["snap-000000000000-20260101T000000Z-00000000", "", "x"])
def test_what_the_archive_does_not_have_is_bad_input(citevault, name):
    said = citevault("manifest", "prove", name)
    assert (said.code, said.stdout) == (2, b"")
    assert "next: " in said.err


def test_a_url_is_proved_as_its_newest_snapshot(citevault, filled):
    url = filled.web.url("authority", "/status")
    newest = citevault("snapshots", url, "--json").json[0]["id"]
    assert citevault("manifest", "prove", url).json["snapshot_id"] == newest


def test_publishing_answers_whether_anything_waited(fresh, empty, filled, plane_over):
    async def capture():
        async with plane_over(empty) as plane:
            await plane.job([filled.web.url("authority", "/barrier")])
            for batch in await plane.release():
                await plane.capture(batch)
            await plane.deliver()

    nothing = fresh("manifest", "publish")
    assert (nothing.code, nothing.stdout) == (1, b"")
    asyncio.run(capture())
    said = fresh("manifest", "publish")
    assert (said.code, said.out) == (0, "manifest 1: 1 leaf, 1 in all\n")
    assert fresh("manifest", "publish").code == 1


def test_publishing_wants_a_key(fresh, empty):
    empty.signing_key.unlink()
    said = fresh("manifest", "publish")
    assert (said.code, said.stdout) == (2, b"")
    assert "next: make one with `citevault keys init`" in said.err


def test_an_exported_log_is_accepted_by_the_checker(citevault, filled, tmp_path):
    said = citevault("manifest", "export", "-o", str(tmp_path / "log"))
    assert (said.code, said.stdout) == (0, b"")
    assert "to be checked without --deep, which needs the whole archive: s3://BUCKET" in said.err
    key = tmp_path / "trusted.pem"
    key.write_bytes(citevault("keys", "show").stdout)
    report = tmp_path / "report.json"
    arguments = ["manifest", str(tmp_path / "log"), "--trust", str(key), "--format", "json", "--output", str(report)]
    assert validate(arguments) == 0
    assert not [item for item in json.loads(report.read_text())["findings"] if item["severity"] != "note"]


def test_a_key_is_made_once_and_never_overwritten(unconfigured, tmp_path):
    folder = tmp_path / "new"
    said = unconfigured("keys", "init", "--data-dir", str(folder))
    assert said.code == 0
    private = folder / "keys" / "signing.pem"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    before = private.read_bytes()
    again = unconfigured("keys", "init", "--data-dir", str(folder))
    assert (again.code, again.stdout) == (2, b"")
    assert "there is a signing key already" in again.err
    assert private.read_bytes() == before
    shown = unconfigured("--data-dir", str(folder), "keys", "show")
    load_pem_public_key(shown.stdout)
    assert shown.out == private.with_suffix(".pub.pem").read_text()
    answer = unconfigured("--data-dir", str(folder), "keys", "show", "--json").json
    assert answer == {"keyid": said.out.strip(), "spki_pem": shown.out}
    assert b"PRIVATE" not in said.stdout + shown.stdout


def test_a_key_that_others_can_read_is_refused(unconfigured, tmp_path):
    unconfigured("keys", "init", "--data-dir", str(tmp_path))
    (tmp_path / "keys" / "signing.pem").chmod(0o644)
    said = unconfigured("keys", "show", "--data-dir", str(tmp_path))
    assert (said.code, said.stdout) == (2, b"")
    assert "chmod 600" in said.err
