"""Digests as WARC and HTTP write them. In our JSON a digest is 64 lower-case hex under a name that says of what.

The names (`schemas/README.md, Digests`):

- `content_sha256`, alias `raw_sha256`: message content as received, transfer coding removed,
  content coding intact. `repr_sha256`: the RFC 9530 representation, content coding intact.
  `decoded_sha256`: content coding removed. `text_sha256`, `quote_sha256`: UTF-8 bytes of a text.
  `block_sha256`: the block of one WARC record.
- In WARC and CDXJ the same hex stands behind a label, `sha256:<hex>`. Reading also takes what other
  writers use: upper-case hex, and base32 with the padding that its length calls for.
- In HTTP (RFC 9530) it is `sha-256=:<base64>:`, a Dictionary of Structured Fields (RFC 9651).
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from enum import StrEnum


class WarcAlgorithm(StrEnum):
    """Labels that WARC files carry. We write SHA-256 only; the others are read, for foreign records."""

    SHA256 = "sha256"
    SHA1 = "sha1"
    MD5 = "md5"


_WARC_BYTES = {WarcAlgorithm.SHA256: 32, WarcAlgorithm.SHA1: 20, WarcAlgorithm.MD5: 16}
_HTTP_BYTES = {"sha-256": 32, "sha-512": 64}


@dataclass(frozen=True, slots=True)
class WarcDigest:
    """A labelled digest as bytes, so that hex and base32 of the same value are equal."""

    algorithm: WarcAlgorithm
    digest: bytes


@dataclass(frozen=True, slots=True)
class DigestError:
    """A digest that cannot be read: a value, since the file is somebody else's. `message` names no content."""

    message: str


def warc_label(sha256_hex: str) -> str:
    """`sha256:<hex>`, the form that warcio and FastWARC both verify."""
    return f"sha256:{sha256_hex}"


def parse_warc_label(label: str) -> WarcDigest | DigestError:
    """Read the value of `WARC-Block-Digest`, `WARC-Payload-Digest` or a CDXJ `digest`.

    Which encoding it is follows from its length: twice the digest's bytes is hex, the padded
    base32 length is base32 (RFC 4648, 6; either case).
    """
    name, colon, value = label.strip(" \t").partition(":")
    if not colon:
        return DigestError("no algorithm label; expected something like sha256:<hex>")
    try:
        algorithm = WarcAlgorithm(name.lower())
    except ValueError:
        return DigestError("unknown algorithm label; known are sha256, sha1 and md5")
    size = _WARC_BYTES[algorithm]
    base32_length = -(-size // 5) * 8  # 5 bytes make 8 characters
    if len(value) == 2 * size and re.fullmatch(r"[0-9A-Fa-f]+", value):
        return WarcDigest(algorithm, bytes.fromhex(value))
    if len(value) == base32_length:
        return _base32(algorithm, value.upper(), size)
    return DigestError(f"a {algorithm} digest has {2 * size} hex or {base32_length} padded base32 characters")


def _base32(algorithm: WarcAlgorithm, value: str, size: int) -> WarcDigest | DigestError:
    try:
        digest = base64.b32decode(value)
    except (binascii.Error, ValueError):
        return DigestError("neither hex nor base32")
    if len(digest) != size or base64.b32encode(digest).decode("ascii") != value:
        return DigestError("base32 whose padding or unused bits are wrong")
    return WarcDigest(algorithm, digest)


def format_digest_field(sha256_hex: str) -> str:
    """Value of `Content-Digest` or `Repr-Digest`: `sha-256=:<base64>:`."""
    return f"sha-256=:{base64.b64encode(bytes.fromhex(sha256_hex)).decode('ascii')}:"


# RFC 9651: members `key=:base64:` with parameters, whose values are bare items (3.3). Any other member is an error.
_KEY = r"[a-z*][a-z0-9_.*-]*"
_BYTES = r":[A-Za-z0-9+/]*={0,2}:"
_BARE = (
    rf"(?:{_BYTES}"
    r'|%?"(?:[ !#-\[\]-~]|\\["\\])*"'  # String, Display String
    r"|-?[0-9]{1,12}\.[0-9]{1,3}|@?-?[0-9]{1,15}"  # Decimal, Integer, Date
    r"|[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*|\?[01])"  # Token, Boolean
)
_MEMBER = re.compile(rf"({_KEY})=({_BYTES})(?:; *{_KEY}(?:={_BARE})?)*(?=[ \t,]|$)")
_COMMA = re.compile(r"[ \t]*,[ \t]*(?!$)")
MAX_FIELD_CHARACTERS = 8192


def parse_digest_field(value: str) -> dict[str, bytes] | DigestError:
    """Algorithm to digest bytes, of a received `Content-Digest`, `Repr-Digest` or `Unencoded-Digest`.

    Several field lines are joined with `, ` first. Parameters are read over; unknown algorithms are
    returned; a member that is no Byte Sequence, or a known algorithm with the wrong length, makes
    the field unusable, which is not the same as a field that disagrees.
    """
    text = value.strip(" ")
    if len(text) > MAX_FIELD_CHARACTERS:
        return DigestError(f"a digest field of more than {MAX_FIELD_CHARACTERS} characters")
    out: dict[str, bytes] = {}
    position = 0
    while position < len(text):
        member = _MEMBER.match(text, position)
        if member is None:
            return DigestError(f"no algorithm=:base64: at character {position}")
        algorithm = member.group(1)
        digest = _byte_sequence(member.group(2)[1:-1])
        if digest is None:
            return DigestError(f"broken base64 at character {position}")
        if len(digest) != _HTTP_BYTES.get(algorithm, len(digest)):
            return DigestError(f"a {algorithm} digest has {_HTTP_BYTES[algorithm]} bytes, this one {len(digest)}")
        out[algorithm] = digest
        position = member.end()
        if position < len(text):
            comma = _COMMA.match(text, position)
            if comma is None:
                return DigestError(f"no comma at character {position}, or nothing after it")
            position = comma.end()
    return out


def _byte_sequence(content: str) -> bytes | None:
    """Base64 with padding synthesised (RFC 9651, 4.2.7); examples in print carry one `=` too many."""
    bare = content.rstrip("=")
    if len(bare) % 4 == 1:
        return None
    return base64.b64decode(bare + "=" * (-len(bare) % 4))
