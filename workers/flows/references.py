"""Numbers and what stands behind them: snapshots that are cited, and references that are rendered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.records.number import CitedSnapshot
from schemas.records.snapshot import Snapshot
from schemas.urls.identity import NormalizedUrl
from workers.cite.numbering import Numbers, Wish
from workers.cite.references import QuoteLink, Reference
from workers.dedup.tiers import TierPolicy
from workers.errors import PermanentError
from workers.flows.naming import NotNamed, snapshot_named
from workers.ports import Catalog


async def wishes_of(
    catalog: Catalog, names: Sequence[str], *, section: str, channel: str
) -> tuple[list[Wish], list[str]]:
    """Citing these snapshots, by id or as the newest of a URL, in a section; and why some cannot be cited, one sentence
    each (X18, X20, R101)."""
    wishes: list[Wish] = []
    refused: list[str] = []
    for name in names:
        line = await snapshot_named(catalog, name)
        if isinstance(line, NotNamed):
            refused.append(f"{name[:100]}: {line.why}; next: {line.next_step}")
        elif not line.snapshot.citeable:
            status = line.snapshot.reader_status.value
            refused.append(f"{name}: it cannot be cited, its reader status is {status}; archive the page again")
        else:
            wishes.append(Wish(cited_of(line.snapshot), section, line.snapshot.title, channel))
    return wishes, refused


def cited_of(snapshot: Snapshot) -> CitedSnapshot:
    """What the log keeps of a cited snapshot."""
    return CitedSnapshot(
        snapshot_id=snapshot.id,
        source_id=snapshot.source_id,
        normalized_url=snapshot.normalized_url,
        fragment=snapshot.fragment,
    )


async def references_of(
    numbers: Numbers,
    wanted: Sequence[int],
    catalog: Catalog,
    tiers: TierPolicy,
    *,
    shown: Mapping[int, int] | None = None,
    quotes: Mapping[str, Sequence[QuoteLink]] | None = None,
    archive_base: str | None = None,
) -> list[Reference]:
    """A reference for each of these numbers, aliases followed and none twice, in this order. PermanentError where a
    number was never given, or a snapshot of it is not in this archive."""
    found: list[Reference] = []
    done: set[int] = set()
    for asked in wanted:
        if asked not in numbers.entries:
            raise PermanentError(
                f"number {asked} was never given in this report",
                where=numbers.report,
                next_step="see `citevault cite list`",
            )
        number = numbers.standing(asked)
        if number in done:
            continue
        done.add(number)
        entry = numbers.entries[number]
        snapshots = [await _snapshot(catalog, item.snapshot_id) for item in numbers.cited(number)]
        last = snapshots[-1]
        found.append(
            Reference(
                number=number,
                shown=(shown or {}).get(number, number),
                snapshot=last,
                tier=tiers.verdict(NormalizedUrl(last.normalized_url)).tier,
                source_channel=entry.source_channel,
                sections=tuple(entry.used_in_sections),
                title=entry.title,
                earlier=tuple(snapshots[:-1]),
                quotes=tuple(link for one in snapshots for link in (quotes or {}).get(one.id, ())),
                archive_base=archive_base,
            )
        )
    return found


async def _snapshot(catalog: Catalog, snapshot_id: str) -> Snapshot:
    line = await catalog.snapshot(snapshot_id)
    if line is None:
        raise PermanentError(
            "a cited snapshot is not in this archive",
            where=snapshot_id,
            next_step="use the archive that the numbers were given in, or `citevault rebuild`",
        )
    return line.snapshot
