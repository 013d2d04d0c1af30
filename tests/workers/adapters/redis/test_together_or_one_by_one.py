"""What is told in one call leaves the Redis that the same leaves, told one by one in this order."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID

from schemas.records.outcome import Outcome, UrlOutcome
from workers.adapters.redis.frontier import RedisFrontier
from workers.adapters.redis.guard import Guard
from workers.adapters.redis.revisits import RedisRevisits
from workers.adapters.redis.versions import RedisVersions
from workers.catalog import names as catalog
from workers.frontier import names
from workers.ports import KnownVersion, Original, QueuedUrl, VersionSeen

ROUNDS = 12
OUTCOMES = (Outcome.CAPTURED, Outcome.REVISIT, Outcome.TIMEOUT, Outcome.DNS_FAILED, Outcome.CANCELLED)


def moment(dice: random.Random) -> str:
    return f"2026-11-{dice.randrange(10, 20)}T10:00:00Z"


def outcome(dice: random.Random, urls: int) -> UrlOutcome:
    url, kind = f"https://a.test/{dice.randrange(urls)}", dice.choice(OUTCOMES)
    again = moment(dice) if not kind.has_response and dice.random() < 0.5 else None
    return UrlOutcome(requested_url=url, normalized_url=url, visit=1, outcome=kind, tries=1, retry_at=again)


def original(dice: random.Random, payloads: int) -> Original:
    record = f"urn:uuid:{UUID(int=dice.getrandbits(128), version=4)}"
    return Original(record, "https://a.test/", moment(dice), f"{dice.randrange(payloads):064x}")


def seen(dice: random.Random, urls: int) -> VersionSeen:
    url, at = f"https://a.test/{dice.randrange(urls)}", moment(dice)
    first = original(dice, urls)
    version = KnownVersion(first, first.content_sha256, 39_000, "text/html", f'"{dice.random()}"', None, at)
    return VersionSeen(url, at, version if dice.random() < 0.8 else None)


async def contents(client: Any, keys: Sequence[str]) -> list[object]:
    found = []
    for key in keys:
        ends = ["-inf", "+inf", "WITHSCORES"] if await client.type(key) == b"zset" else []
        found.append(await client.execute_command("ZRANGEBYSCORE" if ends else "HGETALL", key, *ends))
    return found


def test_outcomes_originals_and_versions(on_redis, job: Callable[..., Any]) -> None:
    """Some URLs and payloads come many times, some hundreds once; some URLs are queued or done before."""

    async def told(guard: Guard, seed: int, *, together: bool) -> tuple[int, list[object]]:
        dice = random.Random(seed)
        few = dice.random() < 0.7
        many = 12 if few else 3_000
        frontier, revisits, versions = RedisFrontier(guard), RedisRevisits(guard), RedisVersions(guard)
        await frontier.open_job(job())
        queued = [f"https://a.test/{dice.randrange(many)}" for _ in range(3)]
        await frontier.admit("job-1", [QueuedUrl(url, url, "a.test", visit=1, tries=0, depth=0) for url in queued])
        new = await frontier.restore_done("job-1", [outcome(dice, many) for _ in range(2)])

        async def tell(some: Sequence[Any], call: Callable[[Sequence[Any]], Awaitable[Any]]) -> int:
            pieces = [some] if together else [[each] for each in some]
            return sum([await call(piece) or 0 for piece in pieces])

        count = 25 if few else 600
        new += await tell(
            [outcome(dice, many) for _ in range(count)], lambda some: frontier.restore_done("job-1", some)
        )
        await tell([original(dice, many) for _ in range(count)], lambda some: revisits.publish("news", some))
        await tell([seen(dice, many) for _ in range(count)], lambda some: versions.publish("news", some))
        keys = [names.open_urls("job-1"), names.done_urls("job-1"), names.tally("job-1"), names.later("job-1")]
        return new, await contents(
            guard.client, [*keys, names.LATER, catalog.revisits("news"), catalog.versions("news")]
        )

    async def scenario(guard: Guard) -> None:
        for seed in range(ROUNDS):
            found = []
            for together in (True, False):
                await guard.client.flushdb()
                await guard.client.set(names.EPOCH, "1")
                found.append(await told(guard, seed, together=together))
            assert found[0] == found[1], seed
            assert found[0][1][1], "something is done"

    on_redis(scenario)
