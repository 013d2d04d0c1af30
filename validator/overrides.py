"""Where a person's decision keeps apart what the rules would count as one: allowed, and told (X34)."""

from __future__ import annotations

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.independence import IndependenceReason
from validator.found import Found
from validator.independence import recompute
from validator.input import BundleInput
from validator.sites import sites_of


def check_overrides(given: BundleInput, found: Found) -> None:
    """Each manual record whose sources share a group with others, were there no manual records."""
    records = given.bundle.independence
    manual = [(i, r) for i, r in enumerate(records) if r.reason is IndependenceReason.MANUAL]
    if not manual:
        return
    ruled = recompute(given.sources, given.bundle.clusters, {}, sites_of(given))
    for i, record in manual:
        own = {source for source in record.source_ids if source in ruled}
        names = {ruled[source].name for source in own}
        others = sorted(s for s, group in ruled.items() if s not in own and group.name in names)
        if others:
            found.add(
                FindingKind.INDEPENDENCE_OVERRIDE,
                pointer=pointer(("independence", i)),
                ids=(record.group, *others),
                expected=f"one group, {' '.join(sorted(names))}, by the rules",
                actual=f"{record.by}: {record.why}",
            )
