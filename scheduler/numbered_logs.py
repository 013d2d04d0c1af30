"""Which numbered logs of an archive are damaged: entries that are gone though later ones are there, or cannot be read.

Nothing is added to such a log before the entry is restored, so it is looked for before somebody wants to. Entries of
decisions and compactions are read; of manifests and citation numbers only the names are looked at, since there are
many, and whoever uses them reads them.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial

from schemas import keys
from workers.errors import CorruptError
from workers.flows.compact.log import compactions_after
from workers.flows.decisions import read_decisions
from workers.flows.numbered import gap, gone
from workers.ports import ObjectStore

NUMBERS = "numbers/"


async def log_faults(store: ObjectStore) -> list[CorruptError]:
    """The first fault of each log that has one."""
    faults: list[CorruptError] = []
    try:
        await read_decisions(store)
    except CorruptError as damage:
        faults.append(damage)
    try:
        async for _ in compactions_after(store):
            pass
    except CorruptError as damage:
        faults.append(damage)
    heads = [key async for key in store.list(keys.MANIFESTS)]
    if (missing := gap(heads, keys.manifest_head)) is not None:
        faults.append(gone(missing))
    reports: defaultdict[str, list[str]] = defaultdict(list)
    async for key in store.list(NUMBERS):
        reports[key.removeprefix(NUMBERS).partition("/")[0]].append(key)
    for report, names in sorted(reports.items()):
        if (missing := gap(names, partial(keys.numbers, report))) is not None:
            faults.append(gone(missing))
    return faults
