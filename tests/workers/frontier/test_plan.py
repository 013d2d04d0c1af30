"""How ready hosts are dealt out over batches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.job import Lane
from workers.frontier.plan import MOST_URLS, DueHosts, plan


def hosts(count: int, name: str = "h") -> tuple[str, ...]:
    return tuple(f"{name}{number}.test" for number in range(count))


def test_many_hosts_are_spread_evenly_over_the_batches():
    plans = plan(Lane.BULK, [DueHosts("job-1", hosts(100))], batches=4, urls=200, urls_per_host=50)
    assert [len(one.quotas) for one in plans] == [25] * 4
    assert {quota for one in plans for _, quota in one.quotas} == {8}


def test_a_single_host_gets_one_batch_with_the_most_a_host_may_have():
    (only,) = plan(Lane.BULK, [DueHosts("job-1", hosts(1))], batches=4, urls=200, urls_per_host=50)
    assert only.quotas == (("h0.test", 50),)


def test_the_last_urls_of_hosts_go_along_up_to_half_of_the_batch():
    """Else a job of a hundred hosts with 50 URLs each ends with batches of ten a host."""
    plans = plan(Lane.BULK, [DueHosts("job-1", hosts(100))], batches=4, urls=1000, urls_per_host=50)
    assert {(quota, one.rest) for one in plans for _, quota in one.quotas} == {(40, 10)}


def test_few_hosts_stay_together():
    plans = plan(Lane.BULK, [DueHosts("job-1", hosts(15))], batches=4, urls=200, urls_per_host=50)
    assert len(plans) == 1


def test_jobs_take_turns_before_one_gets_a_second_batch():
    due = [DueHosts("job-1", hosts(1000)), DueHosts("job-2", hosts(3)), DueHosts("job-3", hosts(1000))]
    plans = plan(Lane.BULK, due, batches=4, urls=200, urls_per_host=50)
    assert sorted(one.job_id for one in plans) == ["job-1", "job-1", "job-2", "job-3"]


def test_no_host_twice_in_the_plans_of_one_job():
    plans = plan(Lane.BULK, [DueHosts("job-1", hosts(5000))], batches=3, urls=100, urls_per_host=50)
    named = [host for one in plans for host, _ in one.quotas]
    assert len(named) == len(set(named)) == 300
    assert {quota for one in plans for _, quota in one.quotas} == {1}


@given(st.lists(st.integers(0, 60), max_size=6), st.integers(0, 9), st.integers(1, 300), st.integers(1, 50))
def test_plans_keep_within_what_was_asked_for(ready: list[int], batches: int, urls: int, urls_per_host: int):
    due = [DueHosts(f"job-{number}", hosts(count)) for number, count in enumerate(ready)]
    plans = plan(Lane.BULK, due, batches=batches, urls=urls, urls_per_host=urls_per_host)
    assert len(plans) <= batches
    assert all(one.quotas for one in plans)
    assert all(1 <= quota <= urls_per_host for one in plans for _, quota in one.quotas)
    assert all(quota + one.rest <= urls_per_host for one in plans for _, quota in one.quotas)
    assert all(one.rest * len(one.quotas) <= urls / 2 for one in plans)
    assert all(len(one.quotas) <= urls for one in plans)


@given(st.integers(1, 3000), st.integers(1, 2000), st.integers(1, 100))
def test_what_goes_along_never_makes_a_batch_too_large(urls: int, count: int, urls_per_host: int):
    (only, *_) = plan(Lane.BULK, [DueHosts("job-1", hosts(count))], batches=1, urls=urls, urls_per_host=urls_per_host)
    assert only.rest * len(only.quotas) <= max(0, MOST_URLS - urls)


@given(st.lists(st.integers(0, 60), max_size=6), st.integers(0, 9), st.integers(1, 300), st.integers(1, 50))
def test_there_are_plans_where_hosts_are_ready(ready: list[int], batches: int, urls: int, urls_per_host: int):
    due = [DueHosts(f"job-{number}", hosts(count)) for number, count in enumerate(ready)]
    plans = plan(Lane.BULK, due, batches=batches, urls=urls, urls_per_host=urls_per_host)
    assert (plans != []) == (batches > 0 and any(ready))
