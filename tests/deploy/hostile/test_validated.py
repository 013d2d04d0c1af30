"""X14: the validator, which shares no code with the archive's readers, takes the hostile server's archive apart and
finds nothing wrong in it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

START = "import sys; from validator.cli import main; sys.exit(main())"


@pytest.mark.real
def test_every_record_of_a_hostile_server_stands_a_deep_check_of_the_signed_log(visited: Any) -> None:
    """Odd heads, broken chunks, bombs, revisits: digests, bindings and proofs hold for each."""
    words = ["manifest", str(visited.copy), "--deep", "--trust", str(visited.public_key), "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-c", START, *words], capture_output=True, text=True, timeout=300, check=False
    )
    report = json.loads(done.stdout)
    found = [finding["code"] for finding in report["findings"] if finding["severity"] != "note"]
    assert (done.returncode, found) == (0, [])
    assert report["checked"]["leaves"] == report["checked"]["payloads"] == len(visited.run.snapshots)
    assert report["checked"]["leaves"] > 150
