"""Signing what is published: a DSSE envelope around an in-toto Statement about one digest."""

from __future__ import annotations

from collections.abc import Callable

from schemas.dsse import envelope_bytes, pae, statement_bytes
from schemas.records.base import Record
from schemas.records.manifest import PAYLOAD_TYPE

Sign = Callable[[bytes], bytes]
"""Raw signature of the given bytes."""


def signed_statement(
    name: str, subject_sha256: str, predicate_type: str, predicate: Record, *, keyid: str, sign: Sign
) -> bytes:
    """RFC 8785 bytes of the envelope in which `keyid` states `predicate` of the subject."""
    payload = statement_bytes(name, subject_sha256, predicate_type, predicate)
    return envelope_bytes(payload, [(keyid, sign(pae(PAYLOAD_TYPE, payload)))])
