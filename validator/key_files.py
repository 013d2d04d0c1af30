"""Public keys that lie in the input, for looking whether a signature is whole. They are never trusted."""

from __future__ import annotations

from itertools import islice

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from schemas.reading import DocumentError, read_document
from schemas.records.manifest import PublicKeyFile
from validator.limits import LIMITS
from validator.place import Place, Unavailable, read_all
from validator.trust import read_keys

MAX_FILES = 100


def keys_inside(place: Place) -> dict[str, Ed25519PublicKey]:
    """Keys under `keys/` by recomputed id: `.pem` in a bundle, `.json` in an archive.

    What cannot be read is left out: a signature whose key is then missing is reported as such.
    """
    keys: dict[str, Ed25519PublicKey] = {}
    for name in _names(place):
        data = read_all(place, name, LIMITS.small_file)
        if isinstance(data, Unavailable):
            continue
        read = read_keys(_pem(data) if name.endswith(".json") else data)
        if isinstance(read, dict):
            keys |= read
    return keys


def _names(place: Place) -> list[str]:
    names = place.names("keys/")
    try:
        return [] if isinstance(names, Unavailable) else list(islice(names, MAX_FILES))
    except OSError:
        return []


def _pem(document: bytes) -> bytes:
    key = read_document(document, PublicKeyFile)
    return b"" if isinstance(key, DocumentError) else key.spki_pem.encode("utf-8")
