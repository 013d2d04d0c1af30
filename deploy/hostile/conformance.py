"""Responses of Node's parser suite (llhttp) as cases, read where the conformance data lies; none is copied here.

What the suite expects of a parser is not what an archive must do: each must come back byte for byte, with an
outcome that says that something came.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from deploy.hostile.case import Case, sends

ANYTHING = "any response"


def llhttp_cases(data: Path) -> tuple[Case, ...]:
    """The responses of the suite, in the order of its files."""
    return tuple(_cases(data / "http" / "llhttp"))


def _cases(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("response-*.json")):
        for number, case in enumerate(json.loads(path.read_text(encoding="utf-8")), 1):
            yield Case(
                name=f"llhttp {path.stem.removeprefix('response-')} {number}",
                answer=sends(case["input"].encode("latin-1")),
                outcome=ANYTHING,
                ends="close",
            )
