"""Finding the newest head, and giving heads as they are stored."""

from __future__ import annotations

import asyncio
import hashlib
import json

import pytest

from scheduler.web.manifests import LogHeads
from schemas import keys
from schemas.canonical import canonical_bytes
from schemas.records.manifest import ManifestHead
from workers.adapters.directory import DirectoryObjectStore
from workers.errors import CorruptError, ObjectMissingError

ZEROS = "0" * 64


def head_bytes(sequence):
    return canonical_bytes(
        ManifestHead(
            schema="citevault/manifest@1",
            sequence=sequence,
            previous_sha256=None if sequence == 1 else ZEROS,
            created_at="2026-11-29T00:00:00Z",
            tree_size=sequence,
            root_sha256=ZEROS,
            first_leaf=sequence - 1,
            leaves_sha256=ZEROS,
        )
    )


@pytest.fixture
def store(tmp_path):
    return DirectoryObjectStore(tmp_path)


def publish(store, first, last):
    async def scenario():
        for sequence in range(first, last + 1):
            await store.create(keys.manifest_head(sequence), head_bytes(sequence))

    asyncio.run(scenario())


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100])
def test_the_newest_head_is_found_and_found_again_after_more_were_published(store, count):
    heads = LogHeads(store)
    publish(store, 1, count)
    assert asyncio.run(heads.newest()) == count
    publish(store, count + 1, count + 3)
    assert asyncio.run(heads.newest()) == count + 3


def test_a_head_comes_with_its_stored_bytes_and_their_digest(store):
    publish(store, 1, 1)
    stored = asyncio.run(LogHeads(store).head(1))
    assert stored.data == head_bytes(1)
    assert stored.sha256 == hashlib.sha256(stored.data).hexdigest()
    assert stored.head.sequence == 1


def test_signers_are_named_from_the_envelope_of_that_very_head(store):
    publish(store, 1, 1)
    heads = LogHeads(store)
    stored = asyncio.run(heads.head(1))
    envelope = {
        "payload": "", "payloadType": "application/vnd.in-toto+json", "signatures": [{"keyid": "a" * 64, "sig": ""}],
    }  # fmt: skip
    with pytest.raises(ObjectMissingError):
        asyncio.run(heads.keyids(stored))
    asyncio.run(store.put(keys.manifest_envelope(1, stored.sha256), json.dumps(envelope).encode()))
    assert asyncio.run(heads.keyids(stored)) == ("a" * 64,)


def test_a_head_that_cannot_be_read_is_corrupt(store):
    asyncio.run(store.put(keys.manifest_head(1), b"{}"))
    with pytest.raises(CorruptError):
        asyncio.run(LogHeads(store).head(1))
