"""`--only passing`: a bundle of those claims that stand, and nothing of the others.

Whole claims go, with all of their evidence, never a piece of evidence of a claim that stays: what contradicts stays
with its claim. Sources that make others count as one stay too. The author's signature is of other bytes, so it is left
behind, and `x_only_passing` says which bundle this was, and what was dropped.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from pydantic import JsonValue

from schemas.canonical import canonical_bytes
from schemas.counted import counted
from schemas.records.bundle import Bundle, BundleMember, BundleSnapshot, BundleWarc
from schemas.records.finding import Report
from schemas.records.independence import IndependenceGroup, IndependenceReason
from validator.bundle import DOCUMENT, BundleResult
from validator.independence import recompute
from validator.input import BundleInput
from validator.limits import LIMITS
from validator.passed import Standing, groups_of, standing
from validator.place import Unavailable, read_all
from validator.settings import RefusedInputError
from validator.sites import BY_HOST, sites_of
from validator.source_fields import clusters_of_snapshots, newest_first, repeated

WARC = "archive/records.warc.gz"
MAX_NAMED = 10


class NothingPassesError(Exception):
    """The answer is no: there is no claim that could stand alone. Says why, and what to do."""


def write_passing(result: BundleResult, report: Report, directory: Path) -> list[str]:
    """Write the bundle to a folder that is not there yet, whole or not at all. Lines that say what was left out and
    why, and how much it is.

    Raises NothingPassesError where no claim passes, or an error bears on the bundle as a whole; RefusedInputError
    where the folder cannot be written.
    """
    given = result.given
    if directory.exists():
        raise RefusedInputError(f"-o {directory}: it is there already; name a new folder")
    stands = _some_stand(result, report)
    part = _part_of(given, stands.kept)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    except OSError as error:
        raise RefusedInputError(f"-o {directory}: {error.strerror}") from None
    try:
        _write(given, result.document_sha256, part, scratch)
        scratch.chmod(0o755)
        scratch.rename(directory)
    except OSError as error:
        raise RefusedInputError(f"-o {directory}: {error.strerror}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    out = [f"{claim} is left out: {why}" for claim, why in stands.left_out.items()]
    return [*out, f"{len(part.claims)} of {counted(len(given.bundle.claims), 'claim')}"]


def _some_stand(result: BundleResult, report: Report) -> Standing:
    """The claims to write, one at least. Raises NothingPassesError."""
    found = standing(result, report)
    if found.whole is not None:
        raise NothingPassesError(f"{found.whole} bears on the whole bundle, not on single claims; mend that first")
    if report.checked.get("findings not listed"):
        raise NothingPassesError("there are more findings than are listed; mend those that are")
    if not found.kept:
        raise NothingPassesError(f"no claim passes ({_told(found)}); give them what the findings name")
    return found


def _told(found: Standing) -> str:
    """Each claim with what keeps it from passing, as far as there is room."""
    each = [f"{claim} {why}" for claim, why in found.left_out.items()]
    more = f", and {len(each) - MAX_NAMED} more" if len(each) > MAX_NAMED else ""
    return ", ".join(each[:MAX_NAMED]) + more


def _part_of(given: BundleInput, kept: Set[str]) -> Bundle:
    """The document without the other claims. WARC places are still the old ones."""
    bundle = given.bundle
    evidence = tuple(edge for edge in bundle.evidence if edge.claim_id in kept)
    edges = {edge.id for edge in evidence}
    cited = {edge.source_id for edge in evidence}
    groups = groups_of(given)
    while True:
        names = {groups[source] for source in cited if source in groups}
        clusters = tuple(c for c in bundle.clusters if any(m.source_id in cited for m in c.members))
        members = {member.source_id for cluster in clusters for member in cluster.members}
        # A source of the same group that has a cluster may be what holds the group together.
        joined = {
            member.source_id
            for cluster in bundle.clusters
            for member in cluster.members
            if groups.get(member.source_id) in names
        }
        if members | joined <= cited:
            break
        cited |= members | joined
    shown = {edge.snapshot_id for edge in evidence} | {m.snapshot_id for c in clusters for m in c.members}
    snapshots = tuple(s for s in bundle.snapshots if s.id in shown)
    newest, within = newest_first(snapshots), clusters_of_snapshots(clusters)
    return bundle.model_copy(
        update={
            "claims": tuple(claim for claim in bundle.claims if claim.id in kept),
            "evidence": evidence,
            "snapshots": snapshots,
            # What was a source's newest snapshot may be gone.
            "sources": tuple(
                repeated(source, newest[source.id], within) if source.id in newest else source
                for source in bundle.sources
                if source.id in cited
            ),
            "clusters": clusters,
            "independence": _independence(given, cited, clusters=clusters),
            "judgements": tuple(j for j in bundle.judgements if j.evidence_id in edges),
            "arbitrations": tuple(a for a in bundle.arbitrations if a.claim_id in kept),
        }
    )


def _independence(given: BundleInput, sources: set[str], clusters: tuple[object, ...]) -> tuple[IndependenceGroup, ...]:
    """The records of what is left, recomputed: a group of two may be one of one now."""
    manual = [r for r in given.bundle.independence if r.reason is IndependenceReason.MANUAL]
    by_hand = {source: record.group for record in manual for source in record.source_ids}
    left = {name: source for name, source in given.sources.items() if name in sources}
    named = [c for c in given.bundle.clusters if c in clusters]
    sites = sites_of(given)
    rule = "independence@1" if sites is BY_HOST else "independence@2"
    found: dict[tuple[str, IndependenceReason], list[str]] = {}
    for source, group in recompute(left, named, by_hand, sites).items():
        found.setdefault((group.name, group.reason), []).append(source)
    old = {(record.group, record.reason): record for record in given.bundle.independence}
    out = []
    for (name, reason), members in sorted(found.items()):
        before = old.get((name, reason))
        out.append(
            IndependenceGroup(
                group=name,
                source_ids=tuple(sorted(members)),
                reason=reason,
                by=before.by if before else rule,
                at=before.at if before else None,
                why=before.why if before else "what is left of its group in this part of a bundle",
            )
        )
    return tuple(out)


@dataclass(frozen=True, slots=True)
class _Moved:
    offset: int
    length: int


def _write(given: BundleInput, sha256: str, part: Bundle, folder: Path) -> None:
    """All files; the document last."""
    moved = _copy_records(given, part, folder)
    snapshots = tuple(_relocated(snapshot, moved) for snapshot in part.snapshots)
    kept = {claim.id for claim in part.claims}
    dropped: list[JsonValue] = [claim.id for claim in given.bundle.claims if claim.id not in kept]
    document = part.model_copy(update={"snapshots": snapshots}).model_dump(mode="json", by_alias=True)
    document["x_only_passing"] = {"bundle_sha256": sha256, "claims_dropped": dropped}
    for name in _files(given, part):
        data = read_all(given.place, name, LIMITS.text)
        if isinstance(data, Unavailable):
            raise RefusedInputError(f"nothing written: {name}: {data.kind.description}")
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    (folder / DOCUMENT).write_bytes(canonical_bytes(document))


def _files(given: BundleInput, part: Bundle) -> Iterator[str]:
    yield from (snapshot.text_path for snapshot in part.snapshots if snapshot.text_path is not None)
    for prefix in ("manifest/", "keys/"):
        names = given.place.names(prefix)
        yield from () if isinstance(names, Unavailable) else names


def _copy_records(given: BundleInput, part: Bundle, folder: Path) -> dict[tuple[str, int], _Moved]:
    """Every member once, byte for byte, one after the other."""
    moved: dict[tuple[str, int], _Moved] = {}
    target = folder / WARC
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as out:
        for snapshot in part.snapshots:
            for member in snapshot.warc.members:
                place = (snapshot.warc.path, member.offset)
                if place in moved:
                    continue
                stream = given.place.open_range(*place, member.length, LIMITS.compressed_record)
                if isinstance(stream, Unavailable):
                    raise RefusedInputError(f"nothing written: {place[0]}: {stream.kind.description}")
                moved[place] = _Moved(out.tell(), member.length)
                with stream:
                    shutil.copyfileobj(stream, out)
    return moved


def _relocated(snapshot: BundleSnapshot, moved: dict[tuple[str, int], _Moved]) -> BundleSnapshot:
    members = tuple(
        BundleMember(
            record_id=member.record_id,
            type=member.type,
            offset=moved[snapshot.warc.path, member.offset].offset,
            length=member.length,
        )
        for member in snapshot.warc.members
    )
    return snapshot.model_copy(update={"warc": BundleWarc(path=WARC, members=members)})
