"""`TABLE.md` as a whole: what was run, the list of exceptions, and the tables."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from deploy.hostile.limits import FETCH_LIMITS
from deploy.hostile.table import Row, table_lines
from deploy.hostile.unreadable import UNREADABLE

_ABOUT = """# What a hostile server sends, and what the archive holds

Written by `make hostile`: a server on raw sockets (`deploy/hostile/`) is visited by the data plane, its WARC files
are read back by four programs of other authors, and each case is opened in a real browser. `make test` does the same
without the browser, and fails where a row is not as it stands here.

**Nothing is lost**, and that is checked, not claimed: for each case the bytes that the server sent are made again and
compared with those that the archive's records give back (response or revisit, and the metadata record beside it).
They are equal, 1xx heads, chunk lines, trailers and bytes after the end included. Only where one of our own limits
cut the answer off (`cut: length` or `cut: time`) is there less, and then what is held is the beginning of what was
sent, and the reason stands in the metadata record and in `citevault status`.

One thing cannot be known: on a connection that is kept, a message is over when its last byte has come. What a server
sends after that, later than the same moment, belongs to no answer; the connection is closed and the bytes are told in
the log alone.
"""


def document(rows: Mapping[str, tuple[Row, ...]], browser: Mapping[str, str], ran_with: Mapping[str, str]) -> str:
    """The whole document."""
    return "\n".join([*_head(ran_with), *_exceptions(rows), *table_lines(rows, browser)]) + "\n"


def versions(peers: Path, browser: str) -> dict[str, str]:
    """What the run was made with."""
    asked = "import importlib.metadata as m; print(m.version('pywb'), m.version('cdxj-indexer'))"
    done = subprocess.run(  # noqa: S603 (the peers' own interpreter)
        [str(peers / "python"), "-c", asked], capture_output=True, text=True, timeout=60, check=True
    )
    pywb, indexer = done.stdout.split()
    return {
        "Browser": browser,
        "FastWARC": metadata.version("fastwarc"),
        "warcio": metadata.version("warcio"),
        "cdxj-indexer": indexer,
        "pywb": pywb,
        "Python": platform.python_version(),
    }


def _head(ran_with: Mapping[str, str]) -> Iterator[str]:
    limits = FETCH_LIMITS
    yield _ABOUT
    yield "Made with: " + ", ".join(f"{name} {version}" for name, version in ran_with.items()) + "."
    yield ""
    yield (
        f"Limits of this run: body {limits.max_body_bytes} bytes, head {limits.max_head_bytes}, idle "
        f"{limits.idle_seconds:g} s, at least {limits.min_bytes_per_second} bytes a second over as long, total "
        f"{limits.total_seconds:g} s, 20 redirects. A content coding is undone up to 64 MiB and 500 times."
    )


def _exceptions(rows: Mapping[str, tuple[Row, ...]]) -> Iterator[str]:
    yield ""
    yield "## Answers that no reader can parse"
    yield ""
    yield "The whole list. The bytes are in the record's block; `http-head-bytes` beside it says where the head ends."
    yield ""
    for members in rows.values():
        for row in members:
            if not row.readable:
                yield f"- {row.case.name}: {UNREADABLE.get(row.case.name, 'not foreseen')}"
