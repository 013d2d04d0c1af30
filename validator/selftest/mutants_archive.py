"""Forgeries of WARC records, proofs, signatures and paths."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace

from schemas.canonical import canonical_bytes, sha256_hex
from schemas.findings import FindingKind as K
from validator.heads import head_name
from validator.selftest.capture import Json
from validator.selftest.forgery import BUNDLE, SIGNATURE, WARC, Forgery, Stage, envelope_path
from validator.selftest.mutants import Mutant
from validator.selftest.mutants_claims import author
from validator.selftest.mutants_quotes import Edit
from validator.selftest.signing import STRANGER


def member_byte(forgery: Forgery) -> None:
    """One bit in the middle of the compressed answer of a page."""
    data = bytearray(forgery.files[WARC])
    story = forgery.document["snapshots"][1]["warc"]["members"]
    response = next(m for m in story if m["type"] == "response")
    data[response["offset"] + response["length"] // 2] ^= 1
    forgery.files[WARC] = bytes(data)


def rewritten(role: str, old: bytes, new: bytes) -> Edit:
    """A record with other content, packed anew, its own digests made to fit; the leaf stays."""

    def edit(forgery: Forgery) -> None:
        records = forgery.records["story"]
        at, stored = next((i, record) for i, record in enumerate(records) if record.role == role)
        plain = gzip.decompress(stored.member)
        assert old in plain, old
        head, _, block = plain.replace(old, new).partition(b"\r\n\r\n")
        block = block.removesuffix(b"\r\n\r\n")
        fields = [
            line for line in head.split(b"\r\n") if not line.startswith((b"WARC-Block-Digest", b"Content-Length"))
        ]
        fields += [b"WARC-Block-Digest: sha256:" + sha256_hex(block).encode(), b"Content-Length: %d" % len(block)]
        member = gzip.compress(b"\r\n".join(fields) + b"\r\n\r\n" + block + b"\r\n\r\n", mtime=0)
        records[at] = replace(stored, member=member)

    return edit


def header(role: str, old: bytes, new: bytes) -> Edit:
    """A field of a record's header, which no leaf binds."""

    def edit(forgery: Forgery) -> None:
        records = forgery.records["story"]
        at, stored = next((i, record) for i, record in enumerate(records) if record.role == role)
        plain = gzip.decompress(stored.member)
        assert old in plain, old
        records[at] = replace(stored, member=gzip.compress(plain.replace(old, new, 1), mtime=0))

    return edit


def members(change: Callable[[list[Json]], object]) -> Edit:
    """What the story's snapshot says of its records."""
    return author(lambda document: change(document["snapshots"][1]["warc"]["members"]))


def swapped_members(listed: list[Json]) -> None:
    one, other = listed[1], listed[2]
    for name in ("offset", "length"):
        one[name], other[name] = other[name], one[name]


def cut_off(forgery: Forgery) -> None:
    forgery.files[WARC] = forgery.files[WARC][:-20]


def smuggled(forgery: Forgery) -> None:
    """A record more, that nothing names."""
    forgery.files[WARC] += gzip.compress(b"WARC/1.1\r\n\r\n", mtime=0)


def proof(change: Callable[[Json], object]) -> Edit:
    return author(lambda document: change(document["snapshots"][0]["inclusion"]))


def first_hash(inclusion: Json) -> None:
    inclusion["hashes"][0] = "0" * 64


def other_leaf(document: Json) -> None:
    """The proof of another snapshot, whole and right."""
    document["snapshots"][0]["inclusion"] = document["snapshots"][1]["inclusion"]


def other_root(forgery: Forgery) -> None:
    forgery.head["root_sha256"] = "0" * 64


def signed_by_stranger(forgery: Forgery) -> None:
    forgery.sign_head(STRANGER)


def signed_log_of_a_stranger(forgery: Forgery) -> None:
    """A whole log of his own making, key and all."""
    forgery.publisher = STRANGER


def broken_signature(forgery: Forgery) -> None:
    path = envelope_path(canonical_bytes(forgery.head))
    head, _, rest = forgery.files[path].partition(b'"sig":"')
    flipped = b"B" if rest[:1] == b"A" else b"A"
    forgery.files[path] = head + b'"sig":"' + flipped + rest[1:]


def signature_of_something_else(forgery: Forgery) -> None:
    forgery.files[SIGNATURE] = forgery.files[envelope_path(canonical_bytes(forgery.head))]


def taken(path: Callable[[Forgery], str]) -> Edit:
    return lambda forgery: forgery.files.pop(path(forgery))


def edited_head(forgery: Forgery) -> None:
    path = f"manifest/{head_name(1)}"
    forgery.files[path] = forgery.files[path].replace(b"2026-09-01", b"2026-09-02")


def text_path(path: str) -> Edit:
    return author(lambda document: document["snapshots"][0].update(text_path=path))


def warc_path(path: str) -> Edit:
    return author(lambda document: document["snapshots"][0]["warc"].update(path=path))


def renamed_page(document: Json) -> None:
    """The snapshot is said to be of another address."""
    document["snapshots"][0]["final_url"] = "https://docs.valve.example/other"


def snapshot(**values: object) -> Edit:
    return author(lambda document: document["snapshots"][0].update(values))


_A, _F, _R, _H, _L = Stage.DOCUMENT, Stage.FILES, Stage.RECORDS, Stage.HEAD, Stage.LEAVES
MUTANTS = (
    Mutant("a bit of a WARC member", _F, member_byte, K.WARC_MEMBER_BROKEN),
    Mutant(
        "another conversion record, digests made to fit",
        Stage.LEAVES,
        rewritten("conversion", b"Monday", b"Friday"),
        K.WARC_BLOCK_DIGEST,
    ),
    Mutant("another request, digests made to fit", _L, rewritten("request", b"GET /", b"PUT /"), K.WARC_BLOCK_DIGEST),
    Mutant("another status, digests made to fit", _L, rewritten("response", b"200 OK", b"404 OK"), K.WARC_BLOCK_DIGEST),
    Mutant(
        "another target of a record",
        _R,
        header("response", b"URI: https://news", b"URI: https://fake"),
        K.WARC_RECORD_DIFFERS,
    ),
    Mutant(
        "another date of a record",
        _R,
        header("response", b"WARC-Date: 2026", b"WARC-Date: 2025"),
        K.WARC_RECORD_DIFFERS,
    ),
    Mutant(
        "a conversion of another page",
        _R,
        header("conversion", b"WARC-Refers-To: <urn:uuid:", b"WARC-Refers-To: <urn:uuid:0"),
        K.CONVERSION_DIFFERS,
    ),
    Mutant("records swapped", _A, members(swapped_members), K.WARC_RECORD_DIFFERS),
    Mutant("a record left out", _A, members(lambda listed: listed.pop()), K.WARC_MEMBER_MISSING),
    Mutant("the WARC file cut off", _F, cut_off, K.WARC_MEMBER_BROKEN),
    Mutant("a record smuggled in", _F, smuggled, K.WARC_UNLISTED),
    Mutant("a file smuggled in", _F, lambda forgery: forgery.files.update({"texts/more.txt": b"x"}), K.FILE_UNLISTED),
    Mutant("the WARC file taken out", _F, taken(lambda _: WARC), K.FILE_MISSING),
    Mutant("a proof of another tree", _A, proof(first_hash), K.INCLUSION_FAILS),
    Mutant(
        "a proof at another place",
        _A,
        proof(lambda inclusion: inclusion.update(leaf_index=inclusion["leaf_index"] ^ 1)),
        K.INCLUSION_FAILS,
    ),
    Mutant("a proof for another size", _A, proof(lambda inclusion: inclusion.update(tree_size=5)), K.INCLUSION_SIZE),
    Mutant("the proof of another snapshot", _A, author(other_leaf), K.LEAF_DIFFERS),
    Mutant("another root", _H, other_root, K.INCLUSION_FAILS),
    Mutant("a head edited", _F, edited_head, K.HEAD_DIFFERS),
    Mutant("a head signed anew with another key", _F, signed_by_stranger, K.SIGNATURE_UNTRUSTED),
    Mutant("a whole log of a stranger", Stage.PAGES, signed_log_of_a_stranger, K.SIGNATURE_UNTRUSTED),
    Mutant("a signature with a bit changed", _F, broken_signature, K.SIGNATURE_INVALID),
    Mutant("a signature of something else", _F, signature_of_something_else, K.SIGNATURE_SUBJECT),
    Mutant(
        "the log's signature taken out",
        _F,
        taken(lambda forgery: envelope_path(canonical_bytes(forgery.head))),
        K.SIGNATURE_MISSING,
    ),
    Mutant("the author's signature taken out", _F, taken(lambda _: SIGNATURE), K.SIGNATURE_NO_AUTHOR),
    Mutant("the document taken out", _F, taken(lambda _: BUNDLE), None),
    Mutant(
        "the document cut off", _F, lambda forgery: forgery.files.update({BUNDLE: forgery.files[BUNDLE][:-9]}), None
    ),
    Mutant("a text path that leaves the bundle", _A, text_path("../bundle.json"), K.TEXT_PATH),
    Mutant("an absolute text path", _A, text_path("/etc/hostname"), K.TEXT_PATH),
    Mutant("a WARC path that leaves the bundle", _A, warc_path("../archive/records.warc.gz"), K.FILE_UNSAFE_PATH),
    Mutant("another address of a page", _A, author(renamed_page), K.LEAF_DIFFERS),
    Mutant("another time of capture", _A, snapshot(retrieved_at="2026-08-23T03:15:00Z"), K.BUNDLE_ID_NOT_DERIVED),
    Mutant("another status of the answer", _A, snapshot(http_status=404), K.LEAF_DIFFERS),
    Mutant("another digest of the content", _A, snapshot(content_sha256="0" * 64, raw_sha256="0" * 64), K.LEAF_DIFFERS),
    Mutant("two digests of the content", _A, snapshot(raw_sha256="0" * 64), None),
    Mutant("another extractor", _A, snapshot(extractor="text-v1"), K.LEAF_DIFFERS),
    Mutant("an ETag that was never sent", _A, snapshot(etag='"x"'), K.SNAPSHOT_FIELD),
)
