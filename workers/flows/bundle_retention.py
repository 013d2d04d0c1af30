"""Pages of which a bundle may hand on the quotes and no copy (R080, X24): which are meant, and what is left of them.

What stays: the quote with its context, span and judgement; the page's address, time and digests; the request; the proof
that the signed log holds all of that. Text, payload and conversion stay in the archive.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from schemas.records.snapshot import SnapshotLine
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.cite.problem import DraftProblem
from workers.flows.bundle_cite import Cited
from workers.flows.bundle_relations import Related


def keep_quotes_only(
    found: Related, cited: Sequence[Cited], named: Iterable[str]
) -> tuple[Related, list[Cited]] | list[DraftProblem]:
    """The same with retention `quote_only` for the snapshots of these URLs or of these ids, each of which has to be
    of this bundle."""
    withheld: set[str] = set()
    problems: list[DraftProblem] = []
    for name in named:
        meant = {line.snapshot.id for line in found.lines if _is_of(line, name)}
        withheld |= meant
        if not meant:
            problems.append(_names_nothing(name))
    if problems:
        return problems
    lines = {line.snapshot.id: _quotes_only(line) for line in found.lines if line.snapshot.id in withheld}
    return (
        replace(found, lines=tuple(lines.get(line.snapshot.id, line) for line in found.lines)),
        [replace(item, line=lines.get(item.line.snapshot.id, item.line)) for item in cited],
    )


def _is_of(line: SnapshotLine, name: str) -> bool:
    snapshot = line.snapshot
    if name == snapshot.id:
        return True
    resource = identity_of_request(name)
    asked = identity_of_request(snapshot.requested_url)
    if isinstance(resource, UrlError):
        return False
    return resource.url == snapshot.normalized_url or (not isinstance(asked, UrlError) and resource.url == asked.url)


def _quotes_only(line: SnapshotLine) -> SnapshotLine:
    return line.model_copy(update={"snapshot": line.snapshot.model_copy(update={"retention": "quote_only"})})


def _names_nothing(name: str) -> DraftProblem:
    return DraftProblem(
        "draft.withholds-nothing",
        "",
        f"No page of the bundle is {name[:200]!r}, so nothing of it can be kept back",
        "name a URL of the draft, or the id of a snapshot that the bundle has",
    )
