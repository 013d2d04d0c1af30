"""`citevault-validate bundle`: the order of the checks, from the document inwards.

Each check reports for itself and none is skipped because an earlier one failed, unless there is
nothing left to look at. What the bundle asserts is compared with what is recomputed; the recomputed
value is what counts further on.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from schemas.canonical import sha256_hex
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.reading import DocumentError, read_document
from schemas.records.bundle import Bundle, BundleSnapshot
from schemas.records.claim import Evidence
from schemas.records.finding import Severity
from schemas.records.manifest import BUNDLE_PREDICATE, BundlePredicate, ManifestHead
from validator.atomic import check_atomic
from validator.bundle_times import check_bundle_times
from validator.checkpoint import check_bundle_checkpoint
from validator.citation_merges import check_citation_merges
from validator.claim_sources import check_claim_sources
from validator.cluster_edges import check_cluster_edges
from validator.clusters import check_clusters
from validator.copies import Sentences, sentences_of
from validator.deep import check_deep, check_promised
from validator.descriptions import check_descriptions
from validator.edges import check_edges
from validator.found import Found
from validator.heads import check_head_signature, head_name, is_canonical
from validator.identity import check_identity
from validator.inclusion import check_inclusion
from validator.independence import check_independence
from validator.input import BundleInput
from validator.judgements import check_judgement, check_rationales
from validator.judges import check_judges
from validator.key_files import keys_inside
from validator.limits import LIMITS
from validator.locators import Outline, check_locator
from validator.overrides import check_overrides
from validator.parts import check_parts
from validator.place import Place, Unavailable, read_all
from validator.reextract import ReExtractor
from validator.representatives import check_representatives
from validator.settings import RefusedInputError, Settings
from validator.signature import Expected, Signers, check_signature
from validator.sites import check_suffixes
from validator.source_fields import check_source_fields
from validator.spans import check_span
from validator.standing import check_standing
from validator.structure import check_structure
from validator.texts import NoText, read_text
from validator.unlisted import check_unlisted
from validator.verdicts import Derived, check_verdicts

DOCUMENT = "bundle.json"
AUTHOR_SIGNATURE = "bundle.dsse.json"


@dataclass(frozen=True, slots=True)
class BundleResult:
    given: BundleInput
    document_sha256: str
    derived: Derived

    @property
    def report_id(self) -> str:
        return self.given.bundle.id


def check_bundle(
    place: Place, settings: Settings, found: Found, *, beside: frozenset[str] = frozenset()
) -> BundleResult:
    """Check a bundle. `beside`: files that belong to what it is packed in. Raises RefusedInputError where there is
    no bundle to be read."""
    given = _read(place)
    bundle = given.bundle
    check_structure(given, found)
    check_identity(given, found)
    check_descriptions(given, found)
    check_source_fields(given, found)
    check_clusters(given, found)
    check_representatives(given, found)
    check_cluster_edges(given, found)
    groups = check_independence(given, found)
    check_suffixes(given, groups, settings.strict, found)
    check_standing(given, groups, settings.strict, found)
    check_overrides(given, found)
    check_edges(given, settings.strict, found)
    check_atomic(given, found)
    check_rationales(given, settings.strict, found)
    check_judges(given, settings, found)
    check_citation_merges(given, found)
    holding: set[str] = set()
    sentences: dict[str, Sentences] = {}
    for index, snapshot in enumerate(bundle.snapshots):
        holding |= _check_snapshot(given, snapshot, index, settings, sentences, found)
    derived = check_verdicts(given, groups, holding, settings.profile, found)
    check_claim_sources(given, derived, groups, sentences, settings.strict, found)
    _check_log(given, settings, found)
    _check_author(given, settings, found)
    check_bundle_times(given, settings, found)
    check_promised(given, found)
    check_unlisted(given, beside, Severity.ERROR if settings.strict else Severity.WARNING, found)
    if settings.deep:
        with ExitStack() as scratch:
            check_deep(given, ReExtractor(scratch) if settings.re_extract else None, found)
    else:
        found.add(FindingKind.SCOPE_NOT_DEEP)
    return BundleResult(given, given.sha256, derived)


def _read(place: Place) -> BundleInput:
    data = read_all(place, DOCUMENT, LIMITS.document)
    if isinstance(data, Unavailable):
        raise RefusedInputError(f"{DOCUMENT}: {data.kind.description} {data.detail}".strip())
    bundle = read_document(data, Bundle)
    if isinstance(bundle, DocumentError):
        raise RefusedInputError(f"{DOCUMENT}: {bundle}")
    return BundleInput(bundle, sha256_hex(data), place)


def _check_snapshot(
    given: BundleInput,
    snapshot: BundleSnapshot,
    index: int,
    settings: Settings,
    sentences: dict[str, Sentences],
    found: Found,
) -> set[str]:
    """Text, spans, judgements and proof of one snapshot; the ids of its edges that hold."""
    check_inclusion(snapshot, index, given.bundle.head, found)
    text = read_text(snapshot, index, given.place, found)
    edges = given.edges_of_snapshot.get(snapshot.id, ())
    if edges and not snapshot.citeable:
        found.add(
            FindingKind.BUNDLE_NOT_CITEABLE,
            pointer=pointer(("snapshots", index, "reader_status")),
            ids=(snapshot.id, *(edge.id for _, edge in edges)),
            actual=f"{snapshot.reader_status}, {snapshot.text_chars or 0} code points",
        )
    if isinstance(text, str) and any(given.is_critical(edge) for _, edge in edges):
        sentences[snapshot.id] = sentences_of(text)
    standing = _standing(snapshot, edges, text, found)
    return {
        edge.id
        for position, edge in edges
        if check_judgement(given, edge, position, settings.strict, found) and edge.id in standing and snapshot.citeable
    }


def _standing(
    snapshot: BundleSnapshot, edges: Sequence[tuple[int, Evidence]], text: str | NoText, found: Found
) -> set[str]:
    """Edges whose quotes stand where they say; of a text that is not kept nobody can tell."""
    if isinstance(text, NoText):
        if not text.kept:
            for position, edge in edges:
                found.add(FindingKind.BUNDLE_NOT_REPLAYABLE, pointer=pointer(("evidence", position)), ids=(edge.id,))
        return set() if text.kept else {edge.id for _, edge in edges}
    outline = Outline(snapshot, text)
    standing: set[str] = set()
    for position, edge in edges:
        if check_span(edge, position, text, found) and check_parts(edge, position, text, found):
            standing.add(edge.id)
        check_locator(edge, position, outline, found)
    return standing


def _check_log(given: BundleInput, settings: Settings, found: Found) -> None:
    """The head as the archive stored it, its signature, and the caller's checkpoint."""
    head = given.bundle.head
    path = f"manifest/{head_name(head.sequence)}"
    data = read_all(given.place, path, LIMITS.small_file)
    if isinstance(data, Unavailable):
        found.add(data.kind, path=path, detail=data.detail)
        return
    stored = read_document(data, ManifestHead)
    found.looked_at("heads")
    if isinstance(stored, DocumentError) or stored != head or not is_canonical(stored, data):
        found.add(FindingKind.HEAD_DIFFERS, pointer="/head", path=path, actual=_what_differs(stored, head))
        return
    check_head_signature(head, data, given.place, "manifest/", keys_inside(given.place), settings, found)
    check_bundle_checkpoint(head, sha256_hex(data), settings.checkpoint, found)


def _what_differs(stored: ManifestHead | DocumentError, head: ManifestHead) -> str:
    if isinstance(stored, DocumentError):
        return str(stored)
    return "another head than the bundle's" if stored != head else "bytes that are not in RFC 8785 form"


def _check_author(given: BundleInput, settings: Settings, found: Found) -> None:
    """What a bundle asserts is its author's: `bundle.dsse.json` says whose."""
    # With --trust-author the caller asked for an author's word: none, or a stranger's, is not what was asked for.
    needed = settings.strict or settings.trusted_authors.given
    data = read_all(given.place, AUTHOR_SIGNATURE, LIMITS.small_file)
    if isinstance(data, Unavailable):
        if data.kind is FindingKind.FILE_MISSING:
            found.add(FindingKind.SIGNATURE_NO_AUTHOR, severity=Severity.ERROR if needed else None)
        else:
            found.add(data.kind, path=AUTHOR_SIGNATURE, detail=data.detail)
        return
    bundle = given.bundle
    expected = Expected(
        name=DOCUMENT,
        sha256=given.sha256,
        predicate_type=BUNDLE_PREDICATE,
        predicate=BundlePredicate(
            report=bundle.id, created_at=bundle.created_at, claims=len(bundle.claims), evidence=len(bundle.evidence)
        ),
    )
    signers = Signers(
        "author",
        "--trust-author",
        settings.trusted.beside(settings.trusted_authors),
        Severity.ERROR if needed else Severity.WARNING,
    )
    check_signature(data, AUTHOR_SIGNATURE, expected, signers, keys_inside(given.place), found)
