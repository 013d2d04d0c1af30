"""Whether what is derived is what its record gives: ids, normalized URLs, hosts, policy digests (X1, X7, X28)."""

from __future__ import annotations

from collections.abc import Iterator

from schemas import ids
from schemas.canonical import CanonicalError, canonical_bytes, canonical_sha256
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.bundle import BundlePolicy
from schemas.urls.conservative import normalize
from schemas.urls.error import UrlError
from schemas.urls.policy import CONSERVATIVE_1, UrlPolicy, conservative_1, read_policy
from schemas.urls.split import split
from validator.found import Found
from validator.input import BundleInput
from validator.snapshot_fields import check_fragment


def check_identity(given: BundleInput, found: Found) -> None:
    """Recompute every derived name of snapshots, sources and policies."""
    policies = _policies(given, found)
    for i, snapshot in enumerate(given.bundle.snapshots):
        at = ("snapshots", i)
        source = ids.source_id(snapshot.normalized_url)
        own = ids.snapshot_id(source, snapshot.retrieved_at, snapshot.records.response)
        for name, expected, actual in (("source_id", source, snapshot.source_id), ("id", own, snapshot.id)):
            if expected != actual:
                found.add(
                    FindingKind.BUNDLE_ID_NOT_DERIVED,
                    pointer=pointer((*at, name)),
                    ids=(snapshot.id,),
                    expected=expected,
                    actual=actual,
                )
        normalized = normalize(snapshot.final_url, policies.get(snapshot.url_policy))
        expected_url = normalized.message if isinstance(normalized, UrlError) else normalized.url
        if isinstance(normalized, UrlError) or expected_url != snapshot.normalized_url:
            found.add(
                FindingKind.BUNDLE_URL_NOT_NORMALIZED,
                pointer=pointer((*at, "normalized_url")),
                ids=(snapshot.id,),
                expected=expected_url,
                actual=snapshot.normalized_url,
            )
        check_fragment(snapshot, i, found)
    for i, source_record in enumerate(given.bundle.sources):
        expected = ids.source_id(source_record.normalized_url)
        if expected != source_record.id:
            found.add(
                FindingKind.BUNDLE_ID_NOT_DERIVED,
                pointer=pointer(("sources", i, "id")),
                ids=(source_record.id,),
                expected=expected,
                actual=source_record.id,
            )
        host = host_of(source_record.normalized_url)
        if host != source_record.host:
            found.add(
                FindingKind.BUNDLE_URL_NOT_NORMALIZED,
                pointer=pointer(("sources", i, "host")),
                ids=(source_record.id,),
                expected=host,
                actual=source_record.host,
            )


def host_of(normalized_url: str) -> str:
    """Host of a normalized URL, with its port if there is one (a default port never stands there)."""
    raw = split(normalized_url)
    host = raw.host or ""
    return f"{host}:{raw.port}" if raw.port else host


def _policies(given: BundleInput, found: Found) -> dict[str, UrlPolicy]:
    """The URL policies that may be applied; each policy's digest and each reference to one is checked."""
    usable: dict[str, UrlPolicy] = {}
    present: set[tuple[str, str]] = set()
    for i, policy in enumerate(given.bundle.policies):
        at = pointer(("policies", i))
        present.add((policy.kind, policy.id))
        problem = _policy_problem(policy)
        if problem is not None:
            found.add(FindingKind.BUNDLE_POLICY_DIGEST, pointer=at, ids=(policy.id,), expected=problem)
    for tokens, kind, identifier in _named_policies(given):
        if (kind, identifier) not in present:
            found.add(FindingKind.BUNDLE_POLICY_MISSING, pointer=pointer(tokens), ids=(identifier,))
    for policy in given.bundle.policies:
        if policy.kind == "url" and _policy_problem(policy) is None:
            usable |= _as_url_policy(policy)
    return usable


def _policy_problem(policy: BundlePolicy) -> str | None:
    try:
        digest = canonical_sha256(policy.value)
    except CanonicalError:
        return "a value that has an RFC 8785 form"
    if digest != policy.sha256:
        return f"sha256 {digest}"
    _, plus, suffix = policy.id.partition("+")
    length = 64 if policy.kind == "suffixes" else 8
    if suffix != digest[:length] and (plus or length == 64):
        return f"an id that ends in +{digest[:length]}"
    if policy.id.startswith(f"{CONSERVATIVE_1}+") and policy.id != conservative_1().id:
        return f"{conservative_1().id}: a published policy never changes"
    return None


def _named_policies(given: BundleInput) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Where a policy is named, of which kind it must be, and its id."""
    for i, snapshot in enumerate(given.bundle.snapshots):
        yield ("snapshots", i, "url_policy"), "url", snapshot.url_policy
        yield ("snapshots", i, "normalizer"), "normalizer", snapshot.normalizer
        if snapshot.extractor is not None:
            yield ("snapshots", i, "extractor"), "extractor", snapshot.extractor
    for i, source in enumerate(given.bundle.sources):
        yield ("sources", i, "tier", "policy"), "tier", source.tier.policy
    for i, cluster in enumerate(given.bundle.clusters):
        yield ("clusters", i, "params"), "fingerprint", cluster.params
        yield ("clusters", i, "rules"), "confirmation", cluster.rules


def _as_url_policy(policy: BundlePolicy) -> dict[str, UrlPolicy]:
    """The policy as a record, where its value is one for normalized URLs."""
    read = read_policy(canonical_bytes(policy.value))
    if isinstance(read, UrlPolicy) and read.identity == "normalized-url" and read.id == policy.id:
        return {policy.id: read}
    return {}
