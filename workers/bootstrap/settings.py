"""What the stages take of the settings. Pure but for the names of this machine and process."""

from __future__ import annotations

import os
import socket

from workers import config
from workers.capture.limits import FetchLimits
from workers.capture.pacing import Pace
from workers.capture.retries import RetrySchedule
from workers.config import Settings
from workers.extract.limits import SandboxLimits
from workers.flows.capture.settings import CaptureSettings


def software() -> str:
    """As records name it."""
    return f"citevault/{config.version()}"


def worker_name() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"


def sandbox_limits(settings: Settings) -> SandboxLimits:
    """Of one extraction; six times as long by the clock as by the processor, since cores are shared."""
    seconds = settings.extract_seconds
    return SandboxLimits(
        cpu_milliseconds=int(seconds * 1000),
        wall_milliseconds=int(seconds * 6000),
        memory_bytes=settings.extract_memory_bytes,
    )


def capture_settings(settings: Settings) -> CaptureSettings:
    """All that capture is told."""
    return CaptureSettings(
        software=software(),
        user_agent=settings.agent,
        worker=worker_name(),
        contact=settings.contact or None,
        limits=FetchLimits(
            max_body_bytes=settings.max_body_bytes,
            max_head_bytes=settings.max_header_bytes,
            connect_seconds=settings.connect_seconds,
            idle_seconds=settings.idle_seconds,
            total_seconds=settings.total_seconds,
            min_bytes_per_second=settings.min_bytes_per_second,
        ),
        allowed_networks=settings.allow_networks,
        pace=Pace(
            answer_times=settings.host_delay_factor,
            least=settings.host_delay_min_seconds,
            most=settings.host_delay_max_seconds,
            most_crawl_delay=settings.crawl_delay_max_seconds,
            most_retry_after=settings.retry_after_max_seconds,
            least_back_off=settings.back_off_min_seconds,
            most_back_off=settings.back_off_max_seconds,
        ),
        address_hosts=settings.address_hosts,
        permit_patience_seconds=settings.permit_patience_seconds,
        retries=RetrySchedule.of(settings.retry_seconds),
        sync_bytes=settings.sync_bytes,
        sync_seconds=settings.sync_seconds,
        max_redirects=settings.max_redirects,
        batch_seconds=settings.batch_seconds,
        heartbeat_seconds=settings.heartbeat_seconds,
        spool_free_bytes=settings.spool_free_bytes,
        spool_place=str(settings.spool_dir),
        segment_bytes=settings.segment_bytes,
        segment_seconds=settings.segment_seconds,
        compression="zstd" if settings.warc_compression == "zstd" else "gzip",
    )
