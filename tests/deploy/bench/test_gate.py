"""The measurement of the gate: what it measures is right before it is timed."""

from __future__ import annotations

from deploy.bench.gate import measure


def test_a_small_bundle_is_accepted_and_refused_with_one_quote_changed() -> None:
    rows = measure(snapshots=12, runs=1)
    assert [row.name.rpartition(": ")[2] for row in rows] == ["seconds", "memory"] * 2
    assert "120 edges, 12 snapshots" in rows[0].name
    assert all(row.value > 0 and row.lower_is_better for row in rows)
    assert [(row.floor, row.goal) for row in rows] == [(5.0, 1.5), (300.0, 150.0), (None, None), (None, None)]
