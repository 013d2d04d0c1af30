"""URL to the version that a conditional request asks about, on a real Valkey."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.adapters.redis.guard import Guard
from workers.adapters.redis.versions import BYTES_AN_ENTRY, CHUNK, RedisVersions
from workers.catalog import names
from workers.catalog.packing import pack_version, unpack_version
from workers.errors import EpochError
from workers.ports import KnownVersion, Original, VersionSeen

A, B = "https://a.test/ü?x=1", "https://b.test/"
EARLY, LATE = "2026-11-29T10:00:00.250000Z", "2026-11-29T10:00:00.250001Z"


def version(url: str = A, **more: object) -> KnownVersion:
    original = Original(f"urn:uuid:{uuid.uuid4()}", url, EARLY, "ab" * 32)
    dated = "Fri, 21 Aug 2026 10:00:00 GMT"
    made = KnownVersion(original, "ab" * 32, 39_000, "text/html", '"5f3e7a-98c1b2d4f0"', dated, EARLY)
    return replace(made, **more)


def test_versions_are_found_by_url_within_their_collection(on_redis):
    async def scenario(guard: Guard) -> None:
        index = RedisVersions(guard)
        first, second = version(A), version(B, etag=None, content_type=None, distrusted=True, confirmed=300)
        await index.publish("news", iter([VersionSeen(A, EARLY, first), VersionSeen(B, EARLY, second)]))
        assert await index.find("news", [A, "https://c.test/", B]) == {A: first, B: second}
        assert await index.find("other", [A]) == {}
        assert await index.find("news", []) == {}

    on_redis(scenario)


@pytest.mark.parametrize("turned", [False, True])
def test_of_one_url_the_newest_capture_counts_in_whatever_order_they_come(on_redis, turned):
    async def scenario(guard: Guard) -> None:
        index = RedisVersions(guard)
        older, newer = VersionSeen(A, EARLY, version()), VersionSeen(A, LATE, version(received_at=LATE, confirmed=3))
        for seen in [newer, older, newer] if turned else [older, newer, older]:
            await index.publish("news", [seen])
        assert await index.find("news", [A]) == {A: newer.version}

    on_redis(scenario)


def test_a_url_that_can_no_longer_be_asked_about_is_forgotten(on_redis):
    async def scenario(guard: Guard) -> None:
        index = RedisVersions(guard)
        await index.publish("news", [VersionSeen(A, LATE, version())])
        await index.publish("news", [VersionSeen(A, EARLY, None)])
        assert await index.find("news", [A]) != {}, "an older capture takes nothing away"
        await index.publish("news", [VersionSeen(A, "2026-11-30T00:00:00Z", None)])
        assert await index.find("news", [A]) == {}
        await index.publish("news", [VersionSeen(A, LATE, version())])
        assert await index.find("news", [A]) == {}, "and an older one that comes later does not bring it back"

    on_redis(scenario)


def test_an_emptied_redis_is_an_epoch_error_and_never_a_url_that_was_not_captured(on_redis):
    async def scenario(guard: Guard) -> None:
        index = RedisVersions(guard)
        await guard.client.flushall()
        with pytest.raises(EpochError):
            await index.find("news", [A])
        with pytest.raises(EpochError):
            await index.publish("news", [VersionSeen(A, EARLY, version())])

    on_redis(scenario)


def test_an_entry_is_as_small_as_it_is_said_to_be(on_redis):
    async def scenario(guard: Guard) -> float:
        index = RedisVersions(guard)
        count = 2 * CHUNK + 1
        urls = [f"https://a.test/{number}" for number in range(count)]
        await index.publish("news", [VersionSeen(url, EARLY, version(url)) for url in urls])
        assert len(await index.find("news", urls)) == count
        return float(await guard.client.memory_usage(names.versions("news"), samples=0)) / count

    assert on_redis(scenario) < BYTES_AN_ENTRY


@given(
    st.text(st.characters(exclude_characters="\n", codec="utf-8"), min_size=1),
    st.none() | st.text("ab/ü", min_size=1),
    st.integers(0, 2**53 - 1),
    st.booleans(),
    st.booleans(),
)
def test_packing_a_version_loses_nothing(etag, modified, size, distrusted, askable):
    made = version(etag=etag, last_modified=modified, content_bytes=size, distrusted=distrusted, received_at=LATE)
    made = made if askable else replace(made, original=None)
    assert unpack_version(pack_version(made), A) == made


def test_a_line_end_in_a_value_is_refused_before_it_could_move_the_others():
    with pytest.raises(ValueError, match="line end"):
        pack_version(version(content_type="text/html\nx"))
