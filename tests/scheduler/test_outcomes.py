"""Why URLs of a job are missing, from receipts in a real (directory) store."""

from __future__ import annotations

import asyncio
import gzip
import hashlib

import pytest

from scheduler.outcomes import MissingReader, Spelling, missing_urls, spellings
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.ids import job_id, ulid_time
from schemas.records.job import JobOptions, Lane, Seed, SeedPart, StoredJob
from schemas.records.outcome import Outcome
from workers.adapters.directory import DirectoryObjectStore
from workers.errors import CorruptError

JOB = "job-1"


@pytest.fixture
def store(tmp_path):
    return DirectoryObjectStore(tmp_path)


def put(store, *receipts):
    async def scenario():
        for receipt in receipts:
            key = keys.receipt(receipt.job_id, receipt.batch_id, receipt.part)
            assert await store.create(key, canonical_bytes(receipt))

    asyncio.run(scenario())


def missing(store, job=JOB):
    async def scenario():
        return [url async for url in missing_urls(store, job)]

    return asyncio.run(scenario())


def test_each_url_without_a_response_is_named_with_its_outcome_and_why(store, receipt_of):
    put(store, receipt_of(["http://a/"], failed=["http://b/"]))
    (found,) = missing(store)
    assert (found.requested_url, found.outcome, found.failure) == ("http://b/", Outcome.TIMEOUT, "no answer")
    assert found.last_url == "http://b/"
    assert found.receipt_key == "commits/job-1/b-1-0000.json"


@pytest.mark.parametrize("answered_first", [True, False])
def test_a_url_that_any_receipt_has_a_response_for_is_not_missing(store, receipt_of, answered_first):
    with_response = receipt_of(["http://a/"], batch_id="b-1" if answered_first else "b-2")
    without = receipt_of([], failed=["http://a/"], batch_id="b-2" if answered_first else "b-1")
    put(store, with_response, without)
    assert missing(store) == []


def test_a_url_that_failed_in_two_receipts_is_named_once(store, receipt_of):
    put(store, *(receipt_of([], failed=["http://a/"], batch_id=batch) for batch in ("b-1", "b-2")))
    assert len(missing(store)) == 1


def test_receipts_of_other_jobs_do_not_count(store, receipt_of):
    put(store, receipt_of([], failed=["http://a/"], job_id="job-11"))
    assert missing(store) == []


def test_a_reader_goes_on_where_it_stopped_and_says_that_there_is_more(store, receipt_of):
    put(store, *(receipt_of([], failed=[f"http://{n}/"], batch_id=f"b-{n}") for n in range(4)))
    reader = MissingReader(store, JOB)
    assert asyncio.run(reader.advance(most=2)) is False
    assert [url.requested_url for url in reader.missing()] == ["http://0/", "http://1/"]
    assert asyncio.run(reader.advance()) is True
    assert reader.outcomes == len(reader.missing()) == 4
    put(store, receipt_of([], failed=["http://new/"], batch_id="b-9"))
    assert asyncio.run(reader.advance()) is True
    assert reader.outcomes == 5


def test_remarks_are_told_of_urls_that_have_their_answer_too(store, receipt_of):
    receipt = receipt_of(["http://a/", "http://b/"])
    first, second = receipt.outcomes
    put(store, receipt.model_copy(update={"outcomes": (first, second.model_copy(update={"remarks": ("it lied",)}))}))
    reader = MissingReader(store, JOB)
    asyncio.run(reader.advance())
    assert [(remark.requested_url, remark.sentence) for remark in reader.remarks()] == [("http://b/", "it lied")]
    assert reader.missing() == []


def test_a_receipt_that_cannot_be_read_is_corrupt_and_never_an_empty_answer(store):
    asyncio.run(store.create("commits/job-1/b-1-0000.json", b"{}"))
    with pytest.raises(CorruptError):
        missing(store)


def test_other_spellings_are_named_with_the_one_that_was_fetched(store):
    identifier = job_id("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    created = ulid_time(identifier)
    seeds = [
        Seed(line=1, requested_url="http://a/", normalized_url="http://a/", also=("http://A/", "HTTP://a")),
        Seed(line=3, requested_url="http://b/", normalized_url="http://b/"),
    ]
    data = gzip.compress(b"".join(canonical_bytes(seed) + b"\n" for seed in seeds))
    key = keys.job_seeds(identifier, created, 0)

    def job(body):
        part = SeedPart(key=key, sha256=hashlib.sha256(body).hexdigest(), seeds=2)
        return StoredJob(
            schema="citevault/stored-job@1",
            id=identifier,
            collection="default",
            lane=Lane.BULK,
            created_at=created,
            options=JobOptions(),
            seed_parts=(part,),
            lines=4,
            seeds=2,
            duplicates=2,
            bad_lines=0,
        )

    async def scenario(body):
        await store.put(key, body)
        return [spelling async for spelling in spellings(store, job(body))]

    found = asyncio.run(scenario(data))
    assert found == [Spelling("http://A/", "http://a/", 1), Spelling("HTTP://a", "http://a/", 1)]


def test_an_answer_that_is_not_whole_is_named_with_the_reason(store, receipt_of):
    whole = receipt_of(["http://a/", "http://b/", "http://c/"])
    cut = {"outcome": Outcome.TRUNCATED, "failure": "the server closed the connection after 5 of 100 bytes"}
    doubtful = {"outcome": Outcome.MALFORMED, "failure": "where the answer ends is in doubt: surplus"}
    outcomes = [
        whole.outcomes[0],
        whole.outcomes[1].model_copy(update=cut),
        whole.outcomes[2].model_copy(update=doubtful),
    ]
    put(store, whole.model_copy(update={"outcomes": tuple(outcomes)}))

    async def scenario():
        reader = MissingReader(store, JOB)
        await reader.advance()
        return reader.missing(), reader.incomplete()

    missing, incomplete = asyncio.run(scenario())
    assert missing == []
    assert [(url.requested_url, url.outcome, url.failure) for url in incomplete] == [
        ("http://b/", cut["outcome"], cut["failure"]),
        ("http://c/", doubtful["outcome"], doubtful["failure"]),
    ]


def test_of_several_tries_the_last_one_says_what_comes_next(store, receipt_of):
    def tried(batch, number, retry_at):
        receipt = receipt_of([], failed=["http://a/"], batch_id=batch)
        (told,) = receipt.outcomes
        told = told.model_copy(update={"tries": number, "retry_at": retry_at})
        return receipt.model_copy(update={"outcomes": (told,)})

    put(store, tried("b-1", 1, "2026-11-29T10:01:00Z"), tried("b-2", 2, "2026-11-29T10:11:00Z"))
    (waits,) = missing(store)
    assert (waits.tries, waits.retry_at) == (2, "2026-11-29T10:11:00Z")
    assert waits.next_step == "nothing: it is tried again by itself"
    put(store, tried("b-3", 3, None))
    (ended,) = missing(store)
    assert (ended.tries, ended.retry_at) == (3, None)
    assert ended.next_step.startswith("try it again later (`citevault retry`)")
