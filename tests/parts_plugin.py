"""Real parts for tests: an embedded Valkey and SeaweedFS, started by the test run and gone with it, also when
that is killed. A test that uses one of these fixtures, or is marked `real`, may open sockets to loopback only.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from scheduler.stack.running import RunningStores, running_parts
from workers.adapters.s3.client import S3Location
from workers.adapters.s3.store import S3ObjectStore

LOOPBACK = ["127.0.0.0/8", "::1", "localhost"]
PART_FIXTURES = {"valkey", "seaweed", "redis_url", "object_store"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses parts as `real`, and let what is real reach loopback."""
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        if used & PART_FIXTURES and item.get_closest_marker("real") is None:
            item.add_marker(pytest.mark.real)
        if item.get_closest_marker("real") is not None and item.get_closest_marker("allow_hosts") is None:
            item.add_marker(pytest.mark.allow_hosts(LOOPBACK))


@pytest.fixture(scope="session")
def parts_folder() -> Iterator[Path]:
    """Data of the parts, outside pytest's own base folder: its name is short and it is deleted."""
    with tempfile.TemporaryDirectory(prefix="cv-parts-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def valkey(parts_folder: Path) -> Iterator[str]:
    """Redis URL of a Valkey that only this test run uses."""
    with running_parts(parts_folder / "valkey", {"redis"}) as stores:
        yield stores.redis_url


@pytest.fixture
def redis_url(valkey: str) -> str:
    """Redis URL of an empty database."""
    with redis.Redis.from_url(valkey) as client:
        client.flushall()
    return valkey


@pytest.fixture(scope="session")
def seaweed(parts_folder: Path) -> Iterator[RunningStores]:
    """A SeaweedFS that only this test run uses: `s3_endpoint`, `bucket`, `credentials.access_key, .secret_key`."""
    with running_parts(parts_folder / "seaweed", {"s3"}) as stores:
        yield stores


@pytest.fixture
def object_store(seaweed: RunningStores) -> Iterator[S3ObjectStore]:
    """The S3 adapter on a prefix that only this test uses. Multipart begins above 6 MiB here."""
    store = S3ObjectStore(
        S3Location(
            endpoint=seaweed.s3_endpoint,
            bucket=seaweed.bucket,
            prefix=f"test-{secrets.token_hex(8)}",
            access_key=seaweed.credentials.access_key,
            secret_key=seaweed.credentials.secret_key,
            multipart_bytes=6 * 1024 * 1024,
        )
    )
    yield store
    store.close()
