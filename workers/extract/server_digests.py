"""What a server says its content's digest is, against what came (RFC 9530; RFC 3230 for the older `Digest`).

`Content-Digest` is of the message content, `Repr-Digest` and `Digest` of the whole representation with its content
coding, `Unencoded-Digest` (draft) of what is left without it. Each named algorithm gets a verdict: a disagreement says
that the content was changed on its way, or that the server computes it wrongly; it is recorded, and judges nothing.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from schemas.digests import DigestError, parse_digest_field
from schemas.records.snapshot import MAX_SERVER_DIGESTS, ServerDigest

Field = Literal["content-digest", "repr-digest", "unencoded-digest", "digest"]
FIELDS: Final[tuple[Field, ...]] = ("content-digest", "repr-digest", "unencoded-digest", "digest")
MAX_FIELD: Final = 8192
_RFC_9530: Final = {"sha-256": "sha256", "sha-512": "sha512", "md5": "md5", "sha": "sha1"}
"""Names of the registry to those of `hashlib`; all others are recorded as unknown."""
_OLDER: Final = re.compile(r"[ \t]*([A-Za-z0-9-]+)=([A-Za-z0-9+/]+={0,2})[ \t]*(?:,|$)")


@dataclass(frozen=True, slots=True)
class Claim:
    """One algorithm of one field. `digest` None: it cannot be read, and `reason` says why."""

    field: Field
    algorithm: str | None
    digest: bytes | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Received:
    """What came: the digest of each of the three by an algorithm of `hashlib`, or None where it is not known."""

    content: Callable[[str], bytes | None]
    representation: Callable[[str], bytes | None]
    unencoded: Callable[[str], bytes | None]


def claims_of(values: Mapping[Field, Sequence[str]]) -> list[Claim]:
    """What the fields of a head claim, in order. Several lines of a field are one list."""
    found: list[Claim] = []
    for field in FIELDS:
        joined = ", ".join(values.get(field, ()))
        if joined:
            found += _older(joined) if field == "digest" else _rfc_9530(field, joined)
    return found[:MAX_SERVER_DIGESTS]


def compared(claims: Iterable[Claim], received: Received) -> tuple[ServerDigest, ...]:
    """The verdict on each."""
    sources = {
        "content-digest": received.content,
        "repr-digest": received.representation,
        "digest": received.representation,
        "unencoded-digest": received.unencoded,
    }
    return tuple(_verdict(claim, sources[claim.field]) for claim in claims)


def _verdict(claim: Claim, source: Callable[[str], bytes | None]) -> ServerDigest:
    agrees: bool | None = None
    reason = claim.reason
    if claim.digest is not None and claim.algorithm is not None:
        name = _RFC_9530.get(claim.algorithm)
        own = source(name) if name is not None else None
        if name is None:
            reason = "the algorithm is not known here"
        elif own is None:
            reason = "what it is of did not come, or not as a whole"
        elif len(claim.digest) != len(own):
            reason = "it has another length than the algorithm's digests"
        else:
            agrees = claim.digest == own
    return ServerDigest(field=claim.field, algorithm=claim.algorithm, agrees=agrees, reason=reason)


def _rfc_9530(field: Field, value: str) -> list[Claim]:
    parsed = parse_digest_field(value)
    if isinstance(parsed, DigestError):
        return [Claim(field, None, None, parsed.message[:200])]
    return [Claim(field, algorithm[:64], digest) for algorithm, digest in parsed.items()]


def _older(value: str) -> list[Claim]:
    """`SHA-256=base64, MD5=base64`: names in any case, the base64 bare."""
    found: list[Claim] = []
    position = 0
    while position < len(value):
        member = _OLDER.match(value, position)
        if member is None or len(value) > MAX_FIELD:
            return [*found, Claim("digest", None, None, f"no algorithm=base64 at character {position}")]
        found.append(_older_member(member.group(1).lower()[:64], member.group(2)))
        position = member.end()
    return found


def _older_member(algorithm: str, text: str) -> Claim:
    try:
        return Claim("digest", algorithm, base64.b64decode(text, validate=True))
    except binascii.Error:
        return Claim("digest", algorithm, None, "broken base64")


def digest_by(name: str, sha256_hex: str | None, pieces: Callable[[], Iterable[bytes]] | None) -> bytes | None:
    """A digest by its `hashlib` name: SHA-256 as it is known already, another one by reading once more."""
    if sha256_hex is None:
        return None
    if name == "sha256":
        return bytes.fromhex(sha256_hex)
    if pieces is None:
        return None
    running = hashlib.new(name, usedforsecurity=False)
    for piece in pieces():
        running.update(piece)
    return running.digest()
