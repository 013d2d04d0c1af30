"""The one Celery application, with the settings that keep tasks from being lost (deploy/protocol.md).

A lost message costs time, never data: the scheduler's sweep sends it again. Still, each setting
below stands for a way in which messages were seen to vanish or to multiply.
"""

from __future__ import annotations

from celery import Celery
from kombu import Exchange, Queue

VISIBILITY_SECONDS = 600  # one value in every app: the shortest of all apps on a broker wins
QUEUES = ("interactive", "capture", "extract", "cluster")


def make_app(broker_url: str) -> Celery:
    """The application, without tasks; a producer needs no more."""
    app = Celery("citevault", broker=broker_url, set_as_current=False)
    # Default exchange only: after a lost Redis, kombu drops messages for a named one without an error.
    default = Exchange("", type="direct")
    app.conf.update(
        task_queues=[Queue(name, default, routing_key=name) for name in QUEUES],
        task_default_queue="capture",
        task_default_exchange="",
        task_default_routing_key="capture",
        task_create_missing_queues=False,
        task_acks_late=True,  # a task is done when it has returned, not when it was read
        task_reject_on_worker_lost=True,  # else a SIGKILLed child's task is acknowledged and gone
        task_acks_on_failure_or_timeout=True,  # a failure is kept by the ledger, not by redelivery
        worker_prefetch_multiplier=1,
        task_ignore_result=True,
        task_serializer="json",
        accept_content=["json"],
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": VISIBILITY_SECONDS,
            "unacked_restore_interval": 2,  # with kombu's defaults a dead worker's tasks wait 100 s
            "unacked_restore_throttle": 1,
        },
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        worker_cancel_long_running_tasks_on_connection_loss=True,
        enable_utc=True,
    )
    return app
