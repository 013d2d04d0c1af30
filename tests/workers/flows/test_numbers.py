"""Citation numbers over the real store: whoever appends, retries or dies, a URL has one number."""

from __future__ import annotations

import asyncio

import pytest

from schemas import keys
from schemas.ids import source_id
from schemas.records.number import CitedSnapshot
from workers.adapters.s3.store import S3ObjectStore
from workers.cite.numbering import Wish
from workers.errors import CorruptError, PermanentError
from workers.flows.numbers import NumberLedger, url_under

POLICY = "citation-index@1+c2393a80"
NOW = "2026-08-22T03:15:00Z"


def wish(page: int, section: str = "intro") -> Wish:
    url = f"https://site-{page}.example/"
    source = source_id(url)
    name = f"snap-{source.removeprefix('src-')[:12]}-20260822T031500Z-00000000"
    return Wish(
        CitedSnapshot(snapshot_id=name, source_id=source, normalized_url=url, fragment=None), section, None, "web"
    )


def ledger(store: S3ObjectStore) -> NumberLedger:
    return NumberLedger(store, "report", POLICY)


def test_a_number_exists_once_its_object_does(object_store: S3ObjectStore) -> None:
    """R038; and a reader that comes later sees it, whatever Redis knows."""

    async def scenario() -> None:
        assert await ledger(object_store).cite([wish(1), wish(2)], by="one", now=NOW) == [1, 2]
        assert await object_store.info(keys.numbers("report", 1)) is not None
        other = ledger(object_store)
        assert await other.cite([wish(2), wish(3), wish(1)], by="two", now=NOW) == [2, 3, 1]
        assert await other.cite([wish(2)], by="two", now=NOW) == [2]
        assert other.numbers.sequence == 2, "what stands already is not written again"

    asyncio.run(scenario())


def test_those_who_cite_at_the_same_time_agree(object_store: S3ObjectStore) -> None:
    """R039: across writers, each with its own view of the log."""

    async def scenario() -> None:
        ledgers = [ledger(object_store) for _ in range(6)]
        calls = [
            one.cite([wish((n + k) % 9, f"s{n}")], by=f"w{n}", now=NOW)
            for k in range(9)
            for n, one in enumerate(ledgers)
        ]
        answers = await asyncio.gather(*calls)
        given: dict[int, set[int]] = {}
        for place, answer in enumerate(answers):
            k, n = divmod(place, len(ledgers))
            given.setdefault((n + k) % 9, set()).update(answer)
        assert all(len(numbers) == 1 for numbers in given.values())
        assert set().union(*given.values()) == set(range(1, 10))
        fresh = await ledger(object_store).refresh()
        assert fresh.by_url == {f"https://site-{page}.example/": numbers.pop() for page, numbers in given.items()}

    asyncio.run(scenario())


def test_calls_of_one_process_that_wait_for_each_other_go_together(object_store: S3ObjectStore) -> None:
    async def scenario() -> None:
        one = ledger(object_store)
        answers = await asyncio.gather(*(one.cite([wish(n % 7)], by="one", now=NOW) for n in range(50)))
        assert [answer for (answer,) in answers] == [n % 7 + 1 for n in range(50)]
        assert one.numbers.sequence <= 2
        mixed = await asyncio.gather(*(one.cite([wish(20 + n)], by=f"w{n % 2}", now=NOW) for n in range(4)))
        assert sorted(number for (number,) in mixed) == [8, 9, 10, 11]

    asyncio.run(scenario())


def test_a_call_that_cannot_be_answered_fails_alone(object_store: S3ObjectStore) -> None:
    async def scenario() -> None:
        one = NumberLedger(object_store, "report", "citation-index@9+00000000")
        answers = await asyncio.gather(
            *(one.cite([wish(n)], by="one", now=NOW) for n in range(3)), return_exceptions=True
        )
        assert all(isinstance(answer, PermanentError) for answer in answers)
        assert await ledger(object_store).cite([wish(1)], by="one", now=NOW) == [1]

    asyncio.run(scenario())


def test_a_long_log_is_read_to_its_end(object_store: S3ObjectStore) -> None:
    async def scenario() -> None:
        first = ledger(object_store)
        for page in range(40):
            await first.cite([wish(page)], by="one", now=NOW)
        fresh = await ledger(object_store).refresh()
        assert (fresh.sequence, fresh.next_number) == (40, 41)

    asyncio.run(scenario())


def test_a_log_that_does_not_follow_is_corrupt_and_says_where(object_store: S3ObjectStore) -> None:
    async def scenario() -> None:
        await ledger(object_store).cite([wish(1)], by="one", now=NOW)
        first = await object_store.get(keys.numbers("report", 1))
        await object_store.create(keys.numbers("report", 2), first.replace(b'"sequence":1', b'"sequence":2'))
        with pytest.raises(CorruptError) as raised:
            await ledger(object_store).refresh()
        assert raised.value.where == keys.numbers("report", 2)

    asyncio.run(scenario())


def test_numbers_under_a_policy_that_this_version_does_not_have_are_not_guessed() -> None:
    with pytest.raises(PermanentError):
        url_under("citation-index@7+00000000")
    with pytest.raises(PermanentError):
        url_under("citation-index@1+00000000")
