"""From the argument of `bundle` to the files: a folder, an `s3://` prefix, or a ZIP such as a WACZ."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from validator.paths import Folder
from validator.place import Place
from validator.s3 import open_bucket
from validator.settings import RefusedInputError
from validator.zipped import Zipped

S3: Final = re.compile(r"s3://([a-zA-Z0-9][a-zA-Z0-9._-]{1,62})(?:/(.*))?", re.DOTALL)


def open_bundle(argument: str, endpoint: str | None, scratch: ExitStack) -> Place:
    """Files that can be read until `scratch` ends. Raises RefusedInputError where the argument names nothing fit."""
    if argument.startswith("s3://"):
        match = S3.fullmatch(argument)
        if match is None:
            raise RefusedInputError("an S3 address looks like s3://bucket/prefix")
        prefix = (match[2] or "").strip("/")
        return open_bucket(match[1], f"{prefix}/" if prefix else "", endpoint)
    try:
        folder = Folder.at(Path(argument))
    except (OSError, RuntimeError, ValueError):
        raise RefusedInputError(
            f"{argument}: there is no such folder or file; name the folder that holds bundle.json"
        ) from None
    return folder if folder.root.is_dir() else Zipped.at(folder.root, scratch)
