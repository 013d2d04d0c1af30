"""Metrics that are told of many things at once say what they would have said one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Histogram

from workers.metrics import GatheredHistogram

BOUNDS = (0.1, 0.5, 1)


@given(st.lists(st.sampled_from([*BOUNDS, 0.0, 0.3, 7.0]) | st.floats(0, 10)))
def test_amounts_that_were_gathered_count_like_single_ones(amounts: list[float]) -> None:
    gathered = GatheredHistogram("seconds", "Seconds", buckets=BOUNDS, registry=CollectorRegistry())
    single = Histogram("seconds", "Seconds", buckets=BOUNDS, registry=CollectorRegistry())
    gathered.observe_all(amounts)
    for amount in amounts:
        single.observe(amount)
    assert samples(gathered) == samples(single)


def samples(metric: Histogram) -> list[tuple[str, dict[str, str], float]]:
    return [
        (sample.name, sample.labels, round(sample.value, 6))
        for family in metric.collect()
        for sample in family.samples
        if not sample.name.endswith("_created")
    ]
