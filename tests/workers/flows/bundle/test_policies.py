"""Policies in force are kept beside the records, so that an older archive can still be cited."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from schemas import keys
from schemas.canonical import canonical_bytes, canonical_sha256
from schemas.records.bundle import BundlePolicy
from workers.adapters.directory import DirectoryObjectStore
from workers.dedup.tiers import TierPolicy, tier_policy
from workers.errors import CorruptError, PermanentError
from workers.flows.bundle_policies import find_policies, keep_policies, policies_in_force


@pytest.fixture
def tiers() -> TierPolicy:
    policy = tier_policy()
    assert isinstance(policy, TierPolicy)
    return policy


def test_each_policy_in_force_is_kept_once(tmp_path: Path, tiers: TierPolicy):
    async def scenario(store: DirectoryObjectStore) -> None:
        known = policies_in_force(tiers)
        assert await keep_policies(store, tiers) == len(known)
        assert await keep_policies(store, tiers) == 0
        assert {key async for key in store.list(keys.POLICIES)} == {keys.policy(name) for name in known}

    asyncio.run(scenario(DirectoryObjectStore(tmp_path)))


def test_a_policy_of_an_older_version_comes_from_the_store(tmp_path: Path, tiers: TierPolicy):
    value = {"id": "trafilatura", "fast": False}
    name = f"trafilatura@1.0.0+{canonical_sha256(value)[:8]}"
    kept = BundlePolicy(id=name, kind="extractor", sha256=canonical_sha256(value), value=value)

    async def scenario(store: DirectoryObjectStore) -> None:
        with pytest.raises(PermanentError, match="does not know"):
            await find_policies(store, [name], tiers)
        await store.put(keys.policy(name), canonical_bytes(kept))
        found = await find_policies(store, [name, tiers.id], tiers)
        assert [policy.id for policy in found] == sorted([name, tiers.id])
        assert kept in found
        await store.put(keys.policy(name), canonical_bytes(kept.model_copy(update={"value": {"fast": True}})))
        with pytest.raises(CorruptError, match="not the one"):
            await find_policies(store, [name], tiers)

    asyncio.run(scenario(DirectoryObjectStore(tmp_path)))
