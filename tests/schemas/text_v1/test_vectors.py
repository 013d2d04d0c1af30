"""The shipped vectors hold here, and under every other Python on this machine."""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.text_v1 import normalize

CHECK = """
import hashlib, json, sys
from schemas.text_v1 import normalize
loaded = [name for name in ("pydantic", "rfc8785", "ada_url") if name in sys.modules]
assert not loaded, loaded
data = json.load(open(sys.argv[1], encoding="utf-8"))
for case in data["vectors"]:
    got = normalize(case["input"])
    assert got.text == case["output"], case["name"]
    assert [list(run) for run in got.offsets.runs] == case["runs"], case["name"]
for case in data["spans"]:
    got = normalize(case["input"]).offsets.span_to_input(*case["output_span"])
    assert list(got) == case["input_span"], case["name"]
print(len(data["vectors"]), "vectors hold")
"""


@pytest.fixture(scope="module")
def vectors(repository: Path) -> dict[str, Any]:
    text = (repository / "schemas/text_v1/vectors.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def interpreters() -> Iterator[Path]:
    """Pythons 3.11 and later: on the path, and those that pyenv keeps. A shim may name one that does not start."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for minor in range(11, 16):
        found = shutil.which(f"python3.{minor}")
        for path in [
            *([Path(found)] if found else []),
            *sorted(root.glob(f"versions/3.{minor}.*/bin/python3.{minor}")),
        ]:
            probe = subprocess.run([path, "-c", ""], capture_output=True, check=False)
            if probe.returncode == 0:
                yield path
                break


def test_the_vectors_hold(vectors: dict[str, Any]) -> None:
    assert len(vectors["vectors"]) >= 40
    for case in vectors["vectors"]:
        result = normalize(case["input"])
        assert result.text == case["output"], case["name"]
        assert [list(run) for run in result.offsets.runs] == case["runs"], case["name"]
        assert hashlib.sha256(result.text.encode()).hexdigest() == case["sha256"], case["name"]
        assert normalize(result.text).text == result.text, case["name"]
    for case in vectors["spans"]:
        start, end = normalize(case["input"]).offsets.span_to_input(*case["output_span"])
        assert [start, end] == case["input_span"], case["name"]


TABLES_SHA256 = "4e68abe474358c1684e9acd3565c33b56514160d3b9ef5d68358821fb0d1a875"


def test_the_vectors_hold_under_every_python_here(repository: Path) -> None:
    """NFC of U+0301 U+10EFD differs between the interpreters' own tables of 3.11 and 3.12; ours may not."""
    found = list(interpreters())
    assert found
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(repository), "PYTHONDONTWRITEBYTECODE": "1"}
    for python in found:
        done = subprocess.run(
            [python, "-W", "error", "-c", CHECK, str(repository / "schemas/text_v1/vectors.json")],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, f"{python}: {done.stderr}"


def test_the_tables_are_those_of_unicode_15_0(repository: Path) -> None:
    """The pinned file is what an interpreter with Unicode 15.0 gives, and NFC agrees with it on every code point."""
    tables = (repository / "schemas/text_v1/unicode-15.0.0.json").read_bytes()
    assert hashlib.sha256(tables).hexdigest() == TABLES_SHA256
    for python in interpreters():
        version = subprocess.run(
            [python, "-c", "import unicodedata; print(unicodedata.unidata_version)"],
            capture_output=True,
            text=True,
            check=True,
        )
        if version.stdout.strip() == "15.0.0":
            break
    else:
        return  # no Python 3.12 here to make the tables anew: they are those that one made, by their digest
    pinned = subprocess.run(
        [python, "-m", "schemas.text_v1.pin"], cwd=repository, capture_output=True, text=True, check=True
    )
    assert pinned.stdout == (repository / "schemas/text_v1/unicode-15.0.0.json").read_text("ascii")
    done = subprocess.run([python, "-c", EXHAUSTIVE], cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


EXHAUSTIVE = """
import random, sys, unicodedata
from schemas.text_v1 import nfc
def ours(text):
    out, done = [], 0
    for change in nfc.changes(text):
        out += [text[done:change.start], change.replacement]
        done = change.end
    return "".join(out) + text[done:]
def check(text):
    assert ours(text) == unicodedata.normalize("NFC", text), ascii(text)
for first in range(0, 0x110000, 256):
    check("x".join(map(chr, range(first, first + 256))))
    check("".join(chr(point) + chr(0x301) for point in range(first, first + 256)))
tables = nfc.tables()
pool = sorted({*tables.unsafe, *tables.decomposition, *(p[0] for p in tables.composition)})
pool += [*"ab ", *map(chr, range(0xAC00, 0xAC40))]
for c in pool:
    for text in (c + chr(0x323) + chr(0x301), chr(0xF71) + c + "x", chr(0x1100) + c + chr(0x11A8)):
        check(text)
choose = random.Random(15)
for _ in range(50_000):
    text = "".join(choose.choices(pool, k=choose.randint(1, 9)))
    check(text)
"""
