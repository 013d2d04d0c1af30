"""The pages that everybody fetches: 5,000 of 10 to 100 kB, 39 kB on average, the same for the same seed.

They are cut out of real pages where the conformance data is at hand, since only real markup compresses as real pages
do; otherwise words with the frequencies of a language are put between tags. No two are equal: a page that a payload
was stored for already would cost an archive less than it costs its peers.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from deploy.bench.texts import text

COUNT = 5_000
LEAST_BYTES, MOST_BYTES = 10_000, 100_000
MEAN_BYTES = 39_000
_SHAPE = 1.45
_SHAPE_HIGH = _SHAPE * (MOST_BYTES - MEAN_BYTES) / (MEAN_BYTES - LEAST_BYTES)
"""A beta distribution with these two has its mean where we want it: low / (low + high) of the range."""
VERSION = 1
"""Of this recipe; another one makes its pages anew."""
ROBOTS = b"User-agent: *\nDisallow: /private/\nAllow: /\n"
_NOTE = "pages.json"


@dataclass(frozen=True, slots=True)
class Page:
    """One file of the origin. `digest` is the SHA-256 of its bytes."""

    name: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Pages:
    """A folder that a web server can serve as it is."""

    folder: Path
    kind: str
    """`real` or `made`: what the pages were cut out of."""
    pages: tuple[Page, ...]

    @property
    def total_bytes(self) -> int:
        return sum(page.size for page in self.pages)


def make_pages(folder: Path, *, count: int = COUNT, source: Path | None = None, seed: int = 1) -> Pages:
    """The pages in this folder, written unless they are there already. `source` is searched for real HTML."""
    material = b"".join(_real_pages(source))
    kind = "real" if len(material) > MOST_BYTES else "made"
    recipe = f"{VERSION}-{kind}-{hashlib.sha256(material).hexdigest()[:12]}-{count}-{seed}"
    found = _found(folder, recipe)
    if found is not None:
        return Pages(folder, kind, found)
    if kind == "made":
        material = _made_page(seed)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "robots.txt").write_bytes(ROBOTS)
    pages = tuple(_write_all(folder, material, count, random.Random(seed)))  # noqa: S311 (data, not a secret)
    note = {"recipe": recipe, "pages": [asdict(page) for page in pages]}
    (folder / _NOTE).write_text(json.dumps(note), encoding="utf-8")
    return Pages(folder, kind, pages)


def conformance_pages() -> Path | None:
    """Where real pages lie on this machine, if they do."""
    root = Path(os.environ.get("CITEVAULT_CONFORMANCE_DATA", "../shared/data")) / "extraction"
    return root if root.is_dir() else None


def _found(folder: Path, recipe: str) -> tuple[Page, ...] | None:
    """What the folder holds, if it was written by this very recipe."""
    try:
        note = json.loads((folder / _NOTE).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return tuple(Page(**page) for page in note["pages"]) if note["recipe"] == recipe else None


def _real_pages(source: Path | None) -> Iterator[bytes]:
    if source is not None:
        for file in sorted(source.rglob("*.html")):
            yield file.read_bytes()


def _made_page(seed: int) -> bytes:
    """Words between tags, long enough to be cut into different pieces."""
    rng = random.Random(seed)  # noqa: S311
    words = text(400_000, seed).split()
    out = []
    for start in range(0, len(words), 60):
        link = f'<a class="ref ref--{rng.randint(1, 40)}" href="/topic/{rng.getrandbits(40):x}">{words[start]}</a>'
        out.append(f'<p class="body-text" id="p{start}">{link} {" ".join(words[start + 1 : start + 60])}.</p>\n')
    return "".join(out).encode()


def _write_all(folder: Path, material: bytes, count: int, rng: random.Random) -> Iterator[Page]:
    for number in range(count):
        size = LEAST_BYTES + round((MOST_BYTES - LEAST_BYTES) * rng.betavariate(_SHAPE, _SHAPE_HIGH))
        head = f"<!DOCTYPE html>\n<html><head><title>Page {number} of {count}</title></head><body>\n".encode()
        start = rng.randrange(len(material) - MOST_BYTES)
        body = head + material[start : start + size - len(head)]
        name = f"{number:05d}.html"
        (folder / name).write_bytes(body)
        yield Page(name, len(body), hashlib.sha256(body).hexdigest())
