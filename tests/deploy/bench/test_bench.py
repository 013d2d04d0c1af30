"""The benchmark checks answers before it times, and writes what it promises."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import pytest

from deploy.bench import digests
from deploy.bench.duplicates import accuracy, bulk, candidates, peers, signatures, suites
from deploy.bench.ended import PeerEndedError
from deploy.bench.result import Result, table, write
from deploy.bench.timing import compare

SOME = Result("speed", 10.0, "things/s", "peer", 4.0, 2.5, False, 2.0, 3.0)


def test_results_have_the_promised_fields(tmp_path: Path) -> None:
    write([SOME], tmp_path / "a" / "results.json")
    (read,) = json.loads((tmp_path / "a" / "results.json").read_text())
    fields = ["name", "value", "unit", "peer", "peer_value", "ratio", "lower_is_better", "floor", "goal"]
    assert list(read) == fields
    assert "2.50x" in table([SOME])


@pytest.mark.parametrize(
    ("changed", "holds"),
    [
        ({}, True),
        ({"ratio": 1.9}, False),
        ({"floor": None}, True),
        ({"peer": None, "peer_value": None, "ratio": None, "value": 1.0, "lower_is_better": True}, True),
        ({"peer": None, "peer_value": None, "ratio": None, "value": 9.0, "lower_is_better": True}, False),
    ],
)
def test_a_floor_is_of_the_ratio_or_else_of_the_value(changed: dict[str, object], holds: bool) -> None:
    assert dataclasses.replace(SOME, **changed).holds is holds


def test_both_readers_of_digests_see_every_record_and_the_flipped_byte() -> None:
    (result,) = digests.measure(records=8)
    assert result.peer == "warcio"
    assert result.ratio is not None


def test_signatures_are_compared_before_they_are_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [result.name for result in signatures.measure(tmp_path / "no-python", tmp_path, documents=2)]
    assert names == ["signatures against datasketch update()", "signatures against datasketch update_batch()"]
    assert "rensa, text-dedup and datatrove are left out" in capsys.readouterr().err


def test_a_peer_that_dies_says_which_and_how_and_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "peer.py"
    monkeypatch.setattr(peers, "SCRIPT", script)
    ready = """import sys; print('{"there": ["rensa"], "missing": {}}', flush=True); sys.stdin.readline()\n"""
    for words, wanted in (
        (ready + "raise MemoryError('no room')", r"^rensa ended with exit code 1 .*\n.*MemoryError: no room$"),
        (ready + "import os; os.kill(os.getpid(), 9)", "^rensa was ended by signal 9 .* last words: none$"),
        ("sys.exit(3)", r"^the Python of rensa, .* ended with exit code 1 .*\n.*NameError"),
    ):
        script.write_text(words)
        with (
            pytest.raises(PeerEndedError, match=f"(?s){wanted}"),
            peers.running_peers(Path(sys.executable), [], tmp_path) as running,
        ):
            running.cpu_seconds("rensa", 0)


def test_candidates_hold_what_is_alike_and_little_else() -> None:
    recall, unlike = accuracy.measure(families=30)
    assert recall.value >= 0.98
    assert unlike.value <= 0.03  # of some 150 pairs


def test_the_suites_of_near_duplicates_are_found(conformance_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R054: precision and recall at .7, .8 and .9, and estimates against the exact similarity."""
    monkeypatch.setenv("CITEVAULT_CONFORMANCE_DATA", str(conformance_data))
    results = suites.measure()
    assert len(results) == 10
    assert all(result.holds for result in results), [result for result in results if not result.holds]
    assert all(result.value >= 0.9 for result in results[1:])


@pytest.mark.real
def test_bulk_clustering_is_checked_and_measured(tmp_path: Path) -> None:
    speed, trips, _ = bulk.measure(tmp_path, texts=600)
    assert speed.value > 0
    assert trips.value < 200
    assert not (tmp_path / "bulk").exists()


@pytest.mark.real
def test_the_index_is_checked_and_measured_against_datasketchs(tmp_path: Path) -> None:
    results = candidates.measure(tmp_path, documents=600, peer_documents=30)
    assert [result.peer for result in results] == ["datasketch"] * 3
    assert all(result.ratio is not None and result.ratio > 1 for result in results)


def test_the_ratio_is_of_neighbours() -> None:
    found = compare(lambda: sum(range(20_000)), lambda: sum(range(200_000)), repeats=5)
    assert found.ratio > 2
