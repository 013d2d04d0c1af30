"""The embedded stores answer with the flags that were tried, and are gone with the block that started them."""

import urllib.error
import urllib.request

import pytest
import redis

from scheduler.stack.running import RunningStores


def test_valkey_never_evicts_and_writes_an_append_only_file(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        config = client.config_get("maxmemory-policy", "appendonly")
    assert config == {"maxmemory-policy": "noeviction", "appendonly": "yes"}


def test_seaweed_has_its_bucket_and_refuses_anonymous_reading(seaweed: RunningStores) -> None:
    address = f"{seaweed.s3_endpoint}/{seaweed.bucket}"
    with pytest.raises(urllib.error.HTTPError) as there:
        urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=5)
    there.value.close()
    with pytest.raises(urllib.error.HTTPError) as absent:
        urllib.request.urlopen(urllib.request.Request(address + "-other", method="HEAD"), timeout=5)
    absent.value.close()
    assert (there.value.code, absent.value.code) == (403, 404)
