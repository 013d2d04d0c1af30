"""Building a bundle from a draft: find each quote, publish what it rests on, and write a directory that proves it.

In order: what is wrong with the draft itself; each quote in its snapshot; clusters, sources, groups; the log's
head and proofs; records copied from the archive; `bundle.json`; the author's signature; one rename. All problems
of a step are gathered and nothing is written before there are none. Equal inputs, archive and `now` give equal bytes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from schemas.canonical import canonical_bytes, sha256_hex
from schemas.judging import Rank, rank_of
from schemas.reading import DocumentError, ReadingLimits, read_document
from schemas.records.bundle import Bundle, BundleSnapshot
from schemas.records.decision import Decision
from schemas.records.draft import Draft
from schemas.records.manifest import Inclusion
from schemas.records.snapshot import SnapshotLine
from workers.cite.draft_check import check_draft
from workers.cite.problem import DraftProblem, evidence_pointer
from workers.dedup.independence import IndependenceError
from workers.dedup.suffixes import is_suffix_policy, suffix_policy_id
from workers.errors import CorruptError
from workers.flows.bundle_cite import Cited, Citer
from workers.flows.bundle_claims import Grounds, claims_of, judged_evidence, standing_arbitrations
from workers.flows.bundle_directory import BundleDirectory, check_output
from workers.flows.bundle_members import Members
from workers.flows.bundle_policies import find_policies
from workers.flows.bundle_ports import BundlePorts
from workers.flows.bundle_proof import Proofs, SignedHead, publish_missing, signed_head
from workers.flows.bundle_records import RecordCopier
from workers.flows.bundle_relations import Related, bundle_clusters, bundle_groups, bundle_sources, related
from workers.flows.bundle_retention import keep_quotes_only
from workers.flows.decisions import manual_groups, read_decisions
from workers.flows.judge.ledger import JudgementLedger
from workers.ports import Signer
from workers.publish.bundle import (
    BUNDLE_FILE,
    SIGNATURE_FILE,
    WARC_PATH,
    author_signature,
    bundle_snapshot,
    disagreements,
    key_path,
    text_path,
)
from workers.publish.public_key import pem_of

__all__ = ["BuiltBundle", "BundlePorts", "build_bundle"]

MAX_BUNDLE_BYTES = ReadingLimits().max_bytes
"""What a strict reader takes by default; a larger bundle could be written but not read."""


@dataclass(frozen=True, slots=True)
class BuiltBundle:
    """A bundle that has been written."""

    directory: Path
    bundle: Bundle
    bundle_sha256: str
    """Of the bytes of `bundle.json`."""
    signed: bool


async def build_bundle(
    draft: Draft,
    directory: Path,
    ports: BundlePorts,
    *,
    now: str,
    sign: Signer | None,
    evaluators: Sequence[str] = (),
    quote_only: Sequence[str] = (),
) -> BuiltBundle | list[DraftProblem]:
    """The bundle of a draft, written to `directory`; or all that keeps it from being one, and then nothing is written.

    `now`: UTC, RFC 3339; it stands in judgements and in the bundle. `evaluators`: whose judgements are taken beside
    people's; none named: those of all. `quote_only`: URLs or snapshots of which no copy is handed on. Errors of the
    archive raise as everywhere: RetryableError, PermanentError, CorruptError.
    """
    refused = check_output(directory)
    problems = ([refused] if refused else []) + check_draft(draft)
    members = Members(ports.store, ports.catalog)
    citer = Citer(ports.catalog, members)
    answers = await citer.cite(draft)
    problems += [answer for answer in answers if isinstance(answer, DraftProblem)]
    cited = [answer for answer in answers if isinstance(answer, Cited)]
    problems += _quoted_twice(cited)
    if problems:
        return problems
    return await _build(
        draft, cited, citer.texts, members, directory, ports, evaluators, quote_only, now=now, sign=sign
    )


def _quoted_twice(cited: Iterable[Cited]) -> list[DraftProblem]:
    """One span of one snapshot is one piece of evidence for a claim, however often the draft says it."""
    first: dict[tuple[str, str, int, int], int] = {}
    problems: list[DraftProblem] = []
    for item in cited:
        edge = (item.edge.claim_id, item.line.snapshot.id, item.span.start, item.span.end)
        if first.setdefault(edge, item.index) != item.index:
            problems.append(
                DraftProblem(
                    "draft.duplicate-evidence",
                    evidence_pointer(item.index),
                    f"The same passage is evidence number {first[edge] + 1} for {item.edge.claim_id} already",
                    "leave one of the two out",
                )
            )
    return problems


async def _build(
    draft: Draft,
    cited: Sequence[Cited],
    texts: Mapping[str, str],
    members: Members,
    directory: Path,
    ports: BundlePorts,
    evaluators: Sequence[str],
    quote_only: Sequence[str],
    *,
    now: str,
    sign: Signer | None,
) -> BuiltBundle | list[DraftProblem]:
    log = await read_decisions(ports.store)
    manual = manual_groups(log)
    found = await related((item.line for item in cited), ports.clusters, ports.catalog, manual)
    if isinstance(found, IndependenceError):
        return [_groups_conflict(found)]
    kept = keep_quotes_only(found, cited, quote_only)
    if isinstance(kept, list):
        return kept
    found, cited = kept
    unpublished = await publish_missing(ports, (line.snapshot.id for line in found.lines))
    if unpublished:
        return _not_published(unpublished, cited)
    head = await signed_head(ports)
    proofs = Proofs(ports, head.head)
    inclusions = {line.snapshot.id: await proofs.of(line.snapshot.id) for line in found.lines}
    problems = _extracted_anew(found.lines, inclusions, cited)
    if problems:
        return problems
    with BundleDirectory(directory) as place:
        with place.open(WARC_PATH) as warc:
            copier = RecordCopier(members, warc)
            copied = [await copier.copy(line, inclusions[line.snapshot.id]) for line in found.lines]
        gone = [item for item in copied if isinstance(item, DraftProblem)]
        if gone:
            return gone
        snapshots = [
            bundle_snapshot(line, item, inclusions[line.snapshot.id])
            for line, item in zip(found.lines, copied, strict=True)
            if not isinstance(item, DraftProblem)
        ]
        bundle = await _assemble(draft, cited, texts, found, snapshots, log, head, ports, evaluators, now)
        if isinstance(bundle, DraftProblem):
            return [bundle]
        data = canonical_bytes(bundle)
        if len(data) > MAX_BUNDLE_BYTES:
            return [_too_large(len(data))]
        _reads_back(data, bundle)
        for line in found.lines:
            if line.snapshot.retention == "quote_only":
                continue
            text = await members.text(line)
            if not isinstance(text, bytes):
                return [_taken_down_meanwhile(line, cited)]
            place.write(text_path(line.snapshot.id), text)
        signature = author_signature(bundle, data, sign) if sign is not None else None
        await asyncio.to_thread(_write, place, data, signature, head, sign)
    return BuiltBundle(directory, bundle, sha256_hex(data), sign is not None)


async def _assemble(
    draft: Draft,
    cited: Sequence[Cited],
    texts: Mapping[str, str],
    found: Related,
    snapshots: Sequence[BundleSnapshot],
    log: Sequence[Decision],
    head: SignedHead,
    ports: BundlePorts,
    evaluators: Sequence[str],
    now: str,
) -> Bundle | DraftProblem:
    """`bundle.json` as a record."""
    groups = bundle_groups(found, manual_groups(log))
    if isinstance(groups, IndependenceError):
        return _groups_conflict(groups)
    sources = bundle_sources(found, ports.tiers)
    leaves = {snapshot.id: snapshot.inclusion.leaf for snapshot in snapshots}
    clusters = await bundle_clusters(found, leaves, ports.clusters, ports.tiers)
    wanted = {ports.tiers.id, suffix_policy_id()}
    for snapshot in snapshots:
        leaf = snapshot.inclusion.leaf
        named = (snapshot.url_policy, snapshot.normalizer, snapshot.extractor, leaf.fingerprint_params)
        bound = (name for name in leaf.policies if not is_suffix_policy(name))  # one list is applied, and carried
        wanted |= {name for name in (*named, leaf.tier.policy, *bound) if name is not None}
    for cluster in clusters:
        wanted |= {cluster.params, cluster.rules}
        wanted |= {name for edge in cluster.edges for name in (edge.params, edge.rules)}
    grounds = Grounds(
        draft=draft,
        cited=tuple(cited),
        texts=texts,
        sources={source.id: source for source in sources},
        group_of={source_id: group.group for group in groups for source_id in group.source_ids},
        now=now,
    )
    heard = await judged_evidence(grounds, JudgementLedger(ports.store), evaluators)
    evidence = tuple(item.edge for item in heard)
    judgements = tuple(judgement for item in heard for judgement in item.judgements)
    wanted |= {one.checker_version for one in judgements if rank_of(one.checker_version) is Rank.EVALUATOR}
    arbitrations = standing_arbitrations(grounds, evidence, log)
    return Bundle(
        schema="citevault/bundle@1",
        id=draft.id,
        created_at=now,
        offset_unit="unicode_code_point",
        claims=claims_of(grounds, evidence, arbitrations),
        evidence=evidence,
        snapshots=tuple(snapshots),
        sources=sources,
        clusters=clusters,
        independence=groups,
        judgements=judgements,
        arbitrations=arbitrations,
        policies=await find_policies(ports.store, wanted, ports.tiers),
        head=head.head,
    )


def _write(place: BundleDirectory, data: bytes, signature: bytes | None, head: SignedHead, sign: Signer | None) -> None:
    """Everything but records and texts; `bundle.json` last."""
    pems = dict(head.pems)
    if sign is not None:
        pems[sign.keyid] = pem_of(sign.public_spki())
    place.write(f"manifest/{head.head.sequence:010d}.json", head.head_bytes)
    place.write(f"manifest/{head.envelope_key.rpartition('/')[2]}", head.envelope_bytes)
    for keyid, pem in sorted(pems.items()):
        place.write(key_path(keyid), pem.encode("ascii"))
    if signature is not None:
        place.write(SIGNATURE_FILE, signature)
    place.write(BUNDLE_FILE, data)
    place.commit()


def _reads_back(data: bytes, bundle: Bundle) -> None:
    """What was made must read as what was meant, by the rules that a stranger reads by."""
    again = read_document(data, Bundle)
    if isinstance(again, DocumentError) or again != bundle:
        why = str(again) if isinstance(again, DocumentError) else "it reads as another record"
        raise CorruptError(f"the bundle does not read back: {why}", where=BUNDLE_FILE, next_step="report this defect")


def _extracted_anew(
    lines: Iterable[SnapshotLine], inclusions: Mapping[str, Inclusion], cited: Sequence[Cited]
) -> list[DraftProblem]:
    problems: list[DraftProblem] = []
    for line in lines:
        differing = disagreements(inclusions[line.snapshot.id].leaf, line)
        if differing:
            problems.append(
                DraftProblem(
                    "draft.extracted-anew",
                    _pointer_to(line.snapshot.id, cited),
                    f"{line.snapshot.id} was extracted anew after it was published; they differ in {differing[0]}",
                    "capture the page again and cite the new snapshot",
                )
            )
    return problems


def _not_published(snapshot_ids: Iterable[str], cited: Sequence[Cited]) -> list[DraftProblem]:
    return [
        DraftProblem(
            "draft.not-published",
            _pointer_to(snapshot_id, cited),
            f"{snapshot_id} is not in the signed log yet: it is still being clustered, or this process may not publish",
            "wait for the job with `citevault archive --wait published`, then build again",
        )
        for snapshot_id in snapshot_ids
    ]


def _pointer_to(snapshot_id: str, cited: Sequence[Cited]) -> str:
    """The first piece of evidence that rests on a snapshot; of one that only unites sources, the whole draft."""
    return next((evidence_pointer(item.index) for item in cited if item.line.snapshot.id == snapshot_id), "")


def _taken_down_meanwhile(line: SnapshotLine, cited: Sequence[Cited]) -> DraftProblem:
    return DraftProblem(
        "draft.taken-down",
        _pointer_to(line.snapshot.id, cited),
        f"{line.snapshot.id} was taken down",
        "cite another page",
    )


def _too_large(size: int) -> DraftProblem:
    return DraftProblem(
        "draft.too-large",
        "",
        f"bundle.json would have {size} bytes, and a reader takes {MAX_BUNDLE_BYTES}",
        "split the draft into several reports",
    )


def _groups_conflict(error: IndependenceError) -> DraftProblem:
    return DraftProblem(
        "groups.conflict", "", f"{error.subject}: {error.message}", "correct the groups with `citevault groups`"
    )
