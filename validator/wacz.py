"""What a WACZ says of its own files (WACZ 1.1.1, Frictionless Data Package): the digest of each, and of the list.

A signature in `datapackage-digest.json` has to be whole (`wacz_signature.py`). It says who packed the file, and no
other finding rests on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from schemas.canonical import sha256_hex
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.reading import DocumentError, read_json
from validator.found import Found
from validator.limits import LIMITS
from validator.place import Place, Unavailable, read_all
from validator.wacz_signature import check_package_signature

PACKAGE: Final = "datapackage.json"
DIGEST: Final = "datapackage-digest.json"
OWN: Final = ("pages/", "indexes/", "logs/")
"""Folders of a WACZ that are no part of a bundle."""


def check_wacz(place: Place, found: Found) -> frozenset[str]:
    """Compare the digests; gives the names that belong to the package itself. Without a package there are none.

    Each file is read once, whatever the package lists, and all of them within `package_files` bytes."""
    data = read_all(place, PACKAGE, LIMITS.document)
    if isinstance(data, Unavailable):
        return frozenset()
    _check_digest_of(data, place, found)
    names = {PACKAGE, DIGEST}
    listed: set[str] = set()
    left = LIMITS.package_files
    for index, resource in enumerate(_resources(data)):
        if index == LIMITS.package_resources:
            detail = f"It lists more than {LIMITS.package_resources} files; the rest was not checked."
            found.add(FindingKind.FILE_TOO_LARGE, pointer=pointer(("resources", index)), path=PACKAGE, detail=detail)
            break
        path, given = resource.get("path"), resource.get("hash")
        if not isinstance(path, str) or not isinstance(given, str):
            _differs(found, index, "path and hash", None)
            continue
        if path in listed:
            where = pointer(("resources", index, "path"))
            found.add(FindingKind.WACZ_RESOURCE, path=PACKAGE, pointer=where, actual=path, detail="It is listed twice.")
            continue
        listed.add(path)
        if path.startswith(OWN):
            names.add(path)
        actual, size = _digest(place, path, left)
        left -= size
        if isinstance(actual, Unavailable):
            found.add(actual.kind, pointer=pointer(("resources", index)), path=path, detail=actual.detail)
        elif given != f"sha256:{actual}":
            _differs(found, index, f"sha256:{actual}", given)
        found.looked_at("files of the package")
    return frozenset(names)


def _resources(data: bytes) -> Iterator[dict[str, JsonValue]]:
    package = read_json(data)
    listed = package.get("resources") if isinstance(package, dict) else None
    for resource in listed if isinstance(listed, list) else []:
        yield resource if isinstance(resource, dict) else {}


def _check_digest_of(package: bytes, place: Place, found: Found) -> None:
    data = read_all(place, DIGEST, LIMITS.small_file)
    if isinstance(data, Unavailable):
        return  # it is optional
    read = read_json(data)
    document = {} if isinstance(read, DocumentError) or not isinstance(read, dict) else read
    given = document.get("hash")
    wanted = f"sha256:{sha256_hex(package)}"
    if given != wanted:
        found.add(FindingKind.WACZ_RESOURCE, path=DIGEST, pointer="/hash", expected=wanted, actual=given)
    if document.get("signedData") is not None:
        check_package_signature(document["signedData"], wanted, DIGEST, found)


def _digest(place: Place, path: str, left: int) -> tuple[str | Unavailable, int]:
    """The SHA-256 of a file, and how many bytes were read for it: at most `left` and a piece."""
    stream = place.open(path, LIMITS.compressed_record)
    if isinstance(stream, Unavailable):
        return stream, 0
    digest = hashlib.sha256()
    size = 0
    with stream:
        try:
            while piece := stream.read(LIMITS.piece):
                size += len(piece)
                if size > left:
                    most = f"The files of the package have more than {LIMITS.package_files} bytes together."
                    return Unavailable(FindingKind.FILE_TOO_LARGE, most), left
                digest.update(piece)
        except OSError as error:
            return Unavailable(FindingKind.FILE_UNREADABLE, error.strerror or ""), size
    return digest.hexdigest(), size


def _differs(found: Found, index: int, expected: object, actual: object) -> None:
    where = pointer(("resources", index, "hash"))
    found.add(FindingKind.WACZ_RESOURCE, path=PACKAGE, pointer=where, expected=expected, actual=actual)
