"""Every policy that shaped a record, by its id: those of this version, and older ones as the store keeps them.

A record names the policy that made it, and an archive outlives a version of ours. So the policies in force are
written to `policies/<id>` (`keep_policies`), and a bundle of old records takes them from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib.resources import files

from pydantic import JsonValue

from schemas import keys
from schemas.canonical import canonical_bytes, canonical_sha256
from schemas.records.bundle import BundlePolicy
from schemas.text_v1 import NORMALIZER
from schemas.urls.policy import citation_index_1, conservative_1
from workers.dedup.confirm import RULES, confirmation_policy
from workers.dedup.parameters import CHARACTER_PARAMS, WORD_PARAMS, fingerprint_policy
from workers.dedup.suffixes import suffix_policy, suffix_policy_id
from workers.dedup.tiers import TierPolicy
from workers.errors import CorruptError, ObjectMissingError, PermanentError
from workers.extract.options import extractor_policies
from workers.flows.documents import read_object
from workers.ports import ObjectStore
from workers.publish.bundle import Policy, bundle_policies


def policies_in_force(tiers: TierPolicy) -> dict[str, Policy]:
    """The policies that this version applies, by id."""
    return {
        conservative_1().id: Policy("url", conservative_1().model_dump(mode="json", by_alias=True)),
        citation_index_1().id: Policy("url", citation_index_1().model_dump(mode="json", by_alias=True)),
        tiers.id: Policy("tier", tiers.value),
        suffix_policy_id(): Policy("suffixes", suffix_policy()),
        WORD_PARAMS: Policy("fingerprint", fingerprint_policy(WORD_PARAMS)),
        CHARACTER_PARAMS: Policy("fingerprint", fingerprint_policy(CHARACTER_PARAMS)),
        RULES: Policy("confirmation", confirmation_policy()),
        NORMALIZER: Policy("normalizer", _normalizer()),
        **{name: Policy("extractor", value) for name, value in extractor_policies().items()},
    }


async def keep_policies(store: ObjectStore, tiers: TierPolicy) -> int:
    """Write the policies in force beside the records that name them; how many were not there yet."""
    written = 0
    known = policies_in_force(tiers)
    for policy in bundle_policies(known, known):
        key = keys.policy(policy.id)
        if await store.info(key) is None:
            written += await store.create(key, canonical_bytes(policy), content_type="application/json")
    return written


async def find_policies(store: ObjectStore, wanted: Iterable[str], tiers: TierPolicy) -> tuple[BundlePolicy, ...]:
    """The policies of these ids, whole. PermanentError names one that nobody has kept."""
    known = policies_in_force(tiers)
    needed = set(wanted)
    for policy_id in sorted(needed - known.keys()):
        key = keys.policy(policy_id)
        try:
            kept = await read_object(store, key, BundlePolicy)
        except ObjectMissingError as error:
            raise PermanentError(
                f"a record was made under {policy_id}, which this version does not know",
                where=key,
                next_step="extract and publish the page again, or restore the policy from the version that made it",
            ) from error
        if kept.id != policy_id or not canonical_sha256(kept.value).startswith(policy_id.partition("+")[2]):
            raise CorruptError(
                "a policy is not the one that its name says",
                where=key,
                next_step="restore it from a copy of the bucket",
            )
        known[policy_id] = Policy(kept.kind, kept.value)
    return bundle_policies(needed, known)


def _normalizer() -> JsonValue:
    """text-v1 is code with pinned tables; the tables and the test vectors are named by their digests."""
    folder = files("schemas.text_v1")
    digests = {
        name: hashlib.sha256(folder.joinpath(name).read_bytes()).hexdigest()
        for name in ("unicode-15.0.0.json", "vectors.json")
    }
    return {"id": NORMALIZER, "unicode": "15.0.0", "sha256": dict(digests)}
