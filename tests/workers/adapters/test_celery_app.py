"""The settings that keep tasks from being lost are pinned: each was paid for."""

import json
import time
from collections.abc import Iterator

import pytest
from celery import Celery

from schemas.messages import CaptureBatch
from schemas.records.job import Lane
from workers.adapters.announcer import CeleryAnnouncer
from workers.adapters.celery_app import QUEUES, VISIBILITY_SECONDS, make_app


@pytest.fixture
def app() -> Iterator[Celery]:
    made = make_app("redis://127.0.0.1:1/0")
    yield made
    made.close()


def test_a_task_is_acknowledged_only_when_it_has_returned(app: Celery) -> None:
    assert app.conf.task_acks_late is True


def test_the_task_of_a_killed_child_goes_back_to_its_queue(app: Celery) -> None:
    assert app.conf.task_reject_on_worker_lost is True


def test_a_worker_takes_one_message_at_a_time(app: Celery) -> None:
    assert app.conf.worker_prefetch_multiplier == 1


def test_one_visibility_timeout_and_a_fast_restore(app: Celery) -> None:
    options = app.conf.broker_transport_options
    assert options["visibility_timeout"] == VISIBILITY_SECONDS == 600
    assert options["unacked_restore_interval"] == 2
    assert options["unacked_restore_throttle"] == 1


def test_every_queue_hangs_on_the_default_exchange(app: Celery) -> None:
    assert {queue.name for queue in app.conf.task_queues} == set(QUEUES)
    for queue in app.conf.task_queues:
        assert queue.exchange.name == ""
        assert queue.routing_key == queue.name


def test_no_results_are_kept(app: Celery) -> None:
    assert app.conf.task_ignore_result is True
    assert app.conf.result_backend is None


@pytest.mark.real
def test_a_message_lies_on_its_queue_and_carries_ids_only_and_no_connection_outlives_its_sender(redis_url: str) -> None:
    import asyncio

    import redis

    announcer = CeleryAnnouncer(redis_url)
    message = CaptureBatch(
        schema="citevault/capture-batch@1", job_id="job-1", batch_id="b-1", epoch=3, lane=Lane.INTERACTIVE
    )
    with redis.Redis.from_url(redis_url) as client:
        before = {each["id"] for each in client.client_list()}
        try:
            asyncio.run(announcer.announce(message))
            queued = [json.loads(item) for item in client.lrange("interactive", 0, -1)]
            assert len(queued) == 1
            assert queued[0]["headers"]["task"] == "citevault.capture"
            assert set(json.loads(message.model_dump_json())) == {"lane", "schema", "job_id", "batch_id", "epoch"}
            assert {each["id"] for each in client.client_list()} > before
        finally:
            announcer.close()
        deadline = time.monotonic() + 5
        while {each["id"] for each in client.client_list()} - before:
            assert time.monotonic() < deadline, "a connection is still there"
            time.sleep(0.01)
