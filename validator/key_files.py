"""Public keys that lie in the input, for looking whether a signature is whole. They are never trusted."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from schemas.reading import DocumentError, read_document
from schemas.records.manifest import PublicKeyFile
from validator.limits import LIMITS
from validator.place import Place, Unavailable, read_all
from validator.trust import read_keys

MAX_FILES = 100
_NAMED: Final = re.compile(r"keys/([0-9a-f]{64})\.pem")


def keys_inside(place: Place) -> dict[str, Ed25519PublicKey]:
    """Keys under `keys/` by recomputed id: `.pem` in a bundle, `.json` in an archive.

    What cannot be read is left out: a signature whose key is then missing is reported as such.
    """
    keys: dict[str, Ed25519PublicKey] = {}
    for name in _names(place):
        read = _read(place, name)
        if isinstance(read, dict):
            keys |= read
    return keys


def promised_key(name: str) -> str | None:
    """The id of the key that a bundle's file of this name should hold; None: its name promises none."""
    match = _NAMED.fullmatch(name)
    return match[1] if match else None


def held_instead(place: Place, name: str, key: str) -> str | None:
    """What a file holds in the place of the key that it should, in words; None where the key is there."""
    read = _read(place, name)
    if isinstance(read, str):
        return read
    return None if key in read else f"the key {' '.join(sorted(read))}"


def _read(place: Place, name: str) -> dict[str, Ed25519PublicKey] | str:
    data = read_all(place, name, LIMITS.small_file)
    if isinstance(data, Unavailable):
        return f"what cannot be read: {data.detail or data.kind.code}"
    return read_keys(_pem(data) if name.endswith(".json") else data)


def _names(place: Place) -> list[str]:
    names = place.names("keys/")
    try:
        return [] if isinstance(names, Unavailable) else list(islice(names, MAX_FILES))
    except OSError:
        return []


def _pem(document: bytes) -> bytes:
    key = read_document(document, PublicKeyFile)
    return b"" if isinstance(key, DocumentError) else key.spki_pem.encode("utf-8")
