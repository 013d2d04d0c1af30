"""`--deep` for a bundle: its WARC members, its conversion records, and its quotes in the payloads.

Needs no network: a bundle carries every record that it rests on, the originals of revisits included.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.bundle import BundleMember, BundleSnapshot
from schemas.records.claim import Evidence
from validator.found import Found
from validator.input import BundleInput
from validator.leaf_records import LeafRecords, Located, Payload, digest_of, is_tombstone
from validator.limits import LIMITS
from validator.payload_words import Match, PayloadWords, read_words
from validator.place import Unavailable
from validator.reextract import ReExtractor, check_again
from validator.said import count_said
from validator.snapshot_fields import check_content
from validator.warc import Broken, read_member

PDF = "application/pdf"


def check_promised(given: BundleInput, found: Found) -> None:
    """Also without `--deep` the WARC files have to be there, and to reach as far as their members are said to."""
    ends: dict[str, tuple[int, int]] = {}
    for index, snapshot in enumerate(given.bundle.snapshots):
        end = max(member.offset + member.length for member in snapshot.warc.members)
        if end > ends.get(snapshot.warc.path, (-1, 0))[0]:
            ends[snapshot.warc.path] = (end, index)
    for path, (end, index) in ends.items():
        where = pointer(("snapshots", index, "warc", "path"))
        last = given.place.open_range(path, max(0, end - 1), 1, 1)
        if isinstance(last, Unavailable):
            found.add(last.kind, pointer=where, path=path, detail=last.detail)
            continue
        with last:
            if len(last.read(1)) != 1:
                found.add(FindingKind.WARC_MEMBER_BROKEN, pointer=where, path=path, expected=f"{end} bytes or more")


def check_deep(given: BundleInput, again: ReExtractor | None, found: Found) -> None:
    """All snapshots of the bundle, one after the other. `again`: makes each text anew, too."""
    run = _Run()
    for index, snapshot in enumerate(given.bundle.snapshots):
        with ExitStack() as scratch:
            members = _Members(given, snapshot, index, run, found, scratch)
            records = LeafRecords(snapshot.inclusion.leaf, members.load, found, scratch)
            payload = records.check()
            members.check_the_rest()
            if records.content is not None:
                check_content(snapshot, index, records.content, found)
            if payload is not None:
                edges = given.edges_of_snapshot.get(snapshot.id, ())
                words = _words(payload, snapshot) if edges or snapshot.title or snapshot.author else ""
                _check_quotes(snapshot, edges, words, again is not None, found)
                if isinstance(words, PayloadWords):
                    count_said(snapshot, words, found)
            if payload is not None and again is not None:
                check_again(snapshot, index, payload, again, found)


@dataclass(slots=True)
class _Run:
    """What the snapshots of one run share."""

    left: int = LIMITS.all_records
    """Bytes of records that may still be read."""
    sound: set[tuple[str, BundleMember]] = field(default_factory=set)
    """Members beside the leaves' records that were found good, such as the warcinfo that all of them name."""


class _Members:
    """The members that a snapshot lists, by record id."""

    def __init__(
        self, given: BundleInput, snapshot: BundleSnapshot, index: int, run: _Run, found: Found, scratch: ExitStack
    ) -> None:
        self._given = given
        self._run = run
        self._snapshot = snapshot
        self._found = found
        self._scratch = scratch
        self._at = ("snapshots", index, "warc", "members")
        self._by_id: dict[str, tuple[int, BundleMember]] = {}
        for position, member in enumerate(snapshot.warc.members):
            if member.record_id in self._by_id:
                found.add(
                    FindingKind.BUNDLE_DUPLICATE_ID, pointer=pointer((*self._at, position)), ids=(member.record_id,)
                )
            self._by_id.setdefault(member.record_id, (position, member))
        self._warcinfo_named: set[str] = set()
        self._read: set[str] = set()

    def load(self, record_id: str) -> Located | None:
        """The record of that id, whatever the member turns out to hold."""
        listed = self._by_id.get(record_id)
        if listed is None and self._snapshot.retention == "quote_only":
            self._found.add(FindingKind.WARC_WITHHELD, pointer=pointer(self._at), ids=(self._snapshot.id, record_id))
            return None
        if listed is None:
            self._found.add(
                FindingKind.WARC_MEMBER_MISSING, pointer=pointer(self._at), ids=(self._snapshot.id, record_id)
            )
            return None
        position, member = listed
        self._read.add(record_id)
        where, path = pointer((*self._at, position)), self._snapshot.warc.path
        ids = (self._snapshot.id, record_id)
        if self._run.left <= 0:
            detail = f"More than {LIMITS.all_records} bytes of records in all."
            self._found.add(FindingKind.FILE_TOO_LARGE, pointer=where, path=path, ids=ids, detail=detail)
            return None
        stream = self._given.place.open_range(path, member.offset, member.length, LIMITS.compressed_record)
        if isinstance(stream, Unavailable):
            self._found.add(stream.kind, pointer=where, path=path, ids=ids, detail=stream.detail)
            return None
        with stream:
            try:
                record = read_member(stream, member.length, self._scratch)
            except OSError as error:
                self._found.add(FindingKind.FILE_UNREADABLE, path=path, ids=ids, detail=error.strerror or "")
                return None
        self._run.left -= LIMITS.piece + (LIMITS.record if isinstance(record, Broken) else record.block_bytes)
        if isinstance(record, Broken):
            kind = FindingKind.FILE_TOO_LARGE if record.too_large else FindingKind.WARC_MEMBER_BROKEN
            self._found.add(kind, pointer=where, path=path, ids=ids, actual=record.why)
            return None
        self._found.looked_at("WARC members")
        warcinfo = record.reference("WARC-Warcinfo-ID")
        if warcinfo is not None:
            self._warcinfo_named.add(warcinfo)
        found = f"{record.one('WARC-Type')} {record.reference('WARC-Record-ID')}"
        if found != f"{member.type} {record_id}" and not is_tombstone(record, record_id):
            self._found.add(
                FindingKind.WARC_RECORD_DIFFERS,
                pointer=where,
                path=path,
                ids=ids,
                expected=f"{member.type} {record_id}",
                actual=found,
            )
            return None
        return Located(record, where, path)

    def check_the_rest(self) -> None:
        """Members beside the leaf's records keep their own block digest, and every warcinfo is there."""
        for record_id, (_, member) in self._by_id.items():
            known = (self._snapshot.warc.path, member)
            if known in self._run.sound:
                self._found.looked_at("WARC members")
                continue
            located = None if record_id in self._read else self.load(record_id)
            if located is not None and self._own_digest(located, record_id):
                self._run.sound.add(known)
        for warcinfo in sorted(self._warcinfo_named - set(self._by_id)):
            self._found.add(
                FindingKind.WARC_MEMBER_MISSING, pointer=pointer(self._at), ids=(self._snapshot.id, warcinfo)
            )

    def _own_digest(self, located: Located, record_id: str) -> bool:
        """No leaf binds these records, so their header is all there is; a tombstone is told for what it is."""
        record = located.record
        ids = (self._snapshot.id, record_id)
        if is_tombstone(record, record_id):
            self._found.add(FindingKind.WARC_TAKEN_DOWN, pointer=located.pointer, path=located.path, ids=ids)
        elif digest_of(record, "WARC-Block-Digest") != bytes.fromhex(record.block_sha256):
            self._found.add(
                FindingKind.WARC_BLOCK_DIGEST,
                pointer=located.pointer,
                path=located.path,
                ids=ids,
                expected=record.one("WARC-Block-Digest"),
                actual=record.block_sha256,
            )
        else:
            # One that names a further warcinfo is looked at each time, so that this is a member for each snapshot.
            return record.reference("WARC-Warcinfo-ID") is None
        return False


def _check_quotes(
    snapshot: BundleSnapshot,
    edges: Sequence[tuple[int, Evidence]],
    words: PayloadWords | str,
    re_extracted: bool,
    found: Found,
) -> None:
    """The words of each quote, in the payload as this program reads it."""
    for index, edge in edges:
        at, ids = pointer(("evidence", index, "quote")), (edge.id, snapshot.id)
        if isinstance(words, str):
            _unread(words, re_extracted, at, ids, found)
            continue
        for quote, where in _quoted(edge, at):
            found.looked_at("quotes in payloads")
            match words.find(quote):
                case Match.ABSENT:
                    found.add(FindingKind.BUNDLE_QUOTE_NOT_IN_PAYLOAD, pointer=where, ids=ids, expected=quote)
                case Match.SCATTERED:
                    found.add(FindingKind.BUNDLE_QUOTE_SCATTERED, pointer=where, ids=ids, expected=quote)
                case Match.ADJACENT:
                    pass


def _unread(what: str, re_extracted: bool, at: str, ids: tuple[str, str], found: Found) -> None:
    """A payload that this program cannot look into. Of a PDF that is known beforehand, and there is a next step."""
    kind = FindingKind.PAYLOAD_UNREADABLE_TYPE
    if PDF not in what:
        found.add(kind, pointer=at, ids=ids, actual=what)
        return
    next_step = "Look for the quote in the PDF with a viewer"
    if not re_extracted:
        next_step += (
            ", or have its text made again and compared with --deep --re-extract, by the extractor of the archive"
        )
    detail = "It is a PDF, which this program has no reader for; that says nothing against the file."
    found.add(
        kind,
        pointer=at,
        ids=ids,
        actual=what,
        detail=detail,
        next_step=f"{next_step}. The exit stays 3: no independent reader looked.",
    )


def _quoted(edge: Evidence, at: str) -> list[tuple[str, str]]:
    """What an edge quotes, with its place: the whole, which holds the parts in their order, and each part."""
    parts = [(part.quote, f"{at.removesuffix('quote')}parts/{j}/quote") for j, part in enumerate(edge.parts)]
    return [(edge.quote, at), *parts]


def _words(payload: Payload, snapshot: BundleSnapshot) -> PayloadWords | str:
    if payload.decoded.size > LIMITS.readable_payload:
        return f"{payload.decoded.size} bytes, more than {LIMITS.readable_payload}"
    return read_words(payload.decoded.stream.read(), payload.content_type or snapshot.content_type, snapshot.charset)
