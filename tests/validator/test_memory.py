"""A log is streamed: a longer one costs time, not memory. (The floor is 1 million leaves under 300 MB.)"""

import gzip
import hashlib
import json
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

LEAVES = 4_000
SCRIPT = """
import re, sys
from validator.cli import main
code = main(["manifest", sys.argv[1], "--output", sys.argv[2]])
# Not ru_maxrss: Linux hands the parent's own peak down to a child.
print(code, int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""


@pytest.fixture
def long_log(make_log: Callable[..., Path]) -> Callable[[int], Path]:
    """A log of so many manifests with 4,000 leaves each, unsigned."""

    def make(manifests: int) -> Path:
        from schemas.merkle import CompactTree

        root = make_log(name=f"log-{manifests}")
        leaves = next((root / "manifests").glob("0000000002-*.leaves.jsonl.gz"))
        leaf = json.loads(gzip.decompress(leaves.read_bytes()))
        for file in (root / "manifests").iterdir():
            file.unlink()
        response = next(r["record_id"] for r in leaf["records"] if r["role"] == "response")
        plain = json.dumps(leaf, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        tree, previous = CompactTree(), None
        for sequence in range(1, manifests + 1):
            lines = []
            for number in range(LEAVES):
                record = f"urn:uuid:{uuid.UUID(int=sequence << 64 | number)}"
                own = leaf["snapshot_id"][:-8] + hashlib.sha256(record.encode()).hexdigest()[:8]
                lines.append((own, plain.replace(leaf["snapshot_id"], own).replace(response, record).encode()))
            lines.sort()
            data = gzip.compress(b"".join(line + b"\n" for _, line in lines), 1, mtime=0)
            first = tree.size
            tree = tree.extend(hashlib.sha256(b"\0" + line).digest() for _, line in lines)
            head = {
                "schema": "citevault/manifest@1",
                "sequence": sequence,
                "previous_sha256": previous,
                "created_at": "2026-09-01T00:00:00Z",
                "tree_size": tree.size,
                "root_sha256": tree.root().hex(),
                "first_leaf": first,
                "leaves_sha256": hashlib.sha256(data).hexdigest(),
            }
            written = json.dumps(head, sort_keys=True, separators=(",", ":")).encode()
            previous = hashlib.sha256(written).hexdigest()
            name = root / "manifests" / f"{sequence:010d}"
            name.with_suffix(".json").write_bytes(written)
            name.with_name(f"{name.name}-{head['leaves_sha256'][:16]}.leaves.jsonl.gz").write_bytes(data)
        return root

    return make


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from /proc")
def test_four_times_the_leaves_take_the_same_memory(
    long_log: Callable[[int], Path], repository: Path, tmp_path: Path
) -> None:
    used = {}
    for manifests in (1, 4):
        report = tmp_path / "report.json"
        command = [sys.executable, "-c", SCRIPT, str(long_log(manifests)), str(report)]
        done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True, timeout=120)
        code, used[manifests] = map(int, done.stdout.split())
        assert code == 1
        text = report.read_text()
        roots = "1 root" if manifests == 1 else f"{manifests} roots"
        assert f"{manifests * LEAVES} leaves, {roots}" in text
        assert "signature.missing" in text
        assert "root-differs" not in text
    assert used[4] < used[1] + 10, used
    assert used[4] < 150, used
