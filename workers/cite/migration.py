"""What another URL policy would do to a report's numbers: which it would merge and which split (X1, X5). Pure.

Nothing is numbered anew: of numbers that become one the lowest stands, and of one that falls apart what was cited first
keeps it. Merges that a person made stand.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.records.number import (
    MergeNumbers,
    MigratePolicy,
    NumberChange,
    NumberedUrl,
    SplitNumber,
)
from workers.cite.numbering import Numbers, UrlOf


@dataclass(frozen=True, slots=True)
class Migration:
    """The difference, and the changes that would make it."""

    merges: tuple[tuple[int, int, str], ...]
    """Number, the lower one that it becomes an alias of, and their common URL."""
    splits: tuple[tuple[int, int, str], ...]
    """Number, the new one that is split off, and its URL."""
    changes: tuple[NumberChange, ...]


def migration(numbers: Numbers, url_of: UrlOf, policy: str, why: str) -> Migration:
    """From the policy of these numbers to the one that `url_of` maps by."""
    following = numbers.next_number
    splits: list[SplitNumber] = []
    claims: list[tuple[int, str]] = []
    for number, entry in numbers.entries.items():
        by_url: dict[str, list[str]] = {}
        for item in entry.cited:
            by_url.setdefault(url_of(item), []).append(item.snapshot_id)
        for place, (url, snapshot_ids) in enumerate(by_url.items()):
            if place == 0:
                claims.append((number, url))
                continue
            splits.append(
                SplitNumber(
                    kind="split",
                    number=following,
                    from_number=number,
                    citation_url=url,
                    snapshot_ids=tuple(snapshot_ids),
                )
            )
            claims.append((following, url))
            following += 1
    table: dict[str, int] = {}
    merges: list[MergeNumbers] = []
    merged: dict[int, int] = dict(numbers.aliases)
    for number, url in sorted(claims):
        holder = table.setdefault(url, number)
        one, other = sorted((_root(merged, holder), _root(merged, number)))
        if one != other:
            merged[other] = one
            merges.append(MergeNumbers(kind="merge", number=other, into=one, why=why))
    urls = tuple(NumberedUrl(citation_url=url, number=number) for url, number in table.items())
    url_by_number = dict(claims)
    return Migration(
        tuple((merge.number, merge.into, url_by_number[merge.number]) for merge in merges),
        tuple((split.from_number, split.number, split.citation_url) for split in splits),
        (*splits, *merges, MigratePolicy(kind="migrate", policy=policy, urls=urls, why=why)),
    )


def _root(merged: dict[int, int], number: int) -> int:
    while number in merged:
        number = merged[number]
    return number
