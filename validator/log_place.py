"""From the argument of `manifest` to a place, the folder of its heads, and the last head that is meant.

The argument may be the root of an archive, its folder `manifests`, or one head; receipts and WARC
files are looked for beside that folder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from validator.paths import Folder
from validator.place import Place
from validator.s3 import open_bucket
from validator.settings import RefusedInputError

HEADS: Final = "manifests/"
_S3: Final = re.compile(r"s3://([a-zA-Z0-9][a-zA-Z0-9._-]{1,62})(?:/(.*))?", re.DOTALL)
_HEAD: Final = re.compile(r"([0-9]{10})\.json")


@dataclass(frozen=True, slots=True)
class LogPlace:
    place: Place
    folder: str
    last: int | None


def find_log(argument: str, endpoint: str | None) -> LogPlace:
    """Raises RefusedInputError where the argument names nothing that can be a log."""
    if argument.startswith("s3://"):
        return _in_bucket(argument, endpoint)
    try:
        path = Path(argument).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise RefusedInputError("the path does not exist; name the folder that holds the manifests") from None
    last = None
    if not path.is_dir():
        head = _HEAD.fullmatch(path.name)
        if head is None:
            raise RefusedInputError("neither a folder nor a head such as 0000000001.json")
        last, path = int(head[1]), path.parent
    elif (path / HEADS).is_dir():
        return LogPlace(Folder(path), HEADS, None)
    if path.parent == path:
        raise RefusedInputError("the root of the file system holds no log")
    return LogPlace(Folder(path.parent), f"{path.name}/", last)


def _in_bucket(argument: str, endpoint: str | None) -> LogPlace:
    match = _S3.fullmatch(argument)
    if match is None:
        raise RefusedInputError("an S3 address looks like s3://bucket/prefix")
    prefix = (match[2] or "").rstrip("/")
    last = None
    parent, _, name = prefix.rpartition("/")
    if (head := _HEAD.fullmatch(name)) is not None:
        last, prefix = int(head[1]), parent
    if prefix.split("/")[-1] == HEADS.rstrip("/"):
        prefix = prefix.rpartition("/")[0]
    return LogPlace(open_bucket(match[1], f"{prefix}/" if prefix else "", endpoint), HEADS, last)
