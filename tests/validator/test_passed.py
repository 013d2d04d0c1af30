"""Which claims pass, by the errors that bear on what holds their groups together."""

from __future__ import annotations

import random
from typing import Any

from validator.bundle import check_bundle
from validator.found import Found
from validator.input import BundleInput
from validator.passed import _claims_held_by
from validator.passing import _part_of
from validator.selftest.files import Files
from validator.selftest.forgery import Forgery, Stage
from validator.selftest.pages import PAGES
from validator.selftest.run import _settings


def test_an_error_in_a_snapshot_bears_on_the_claims_whose_part_of_the_bundle_has_it() -> None:
    """Told without cutting the bundle for each claim, which takes as long as it has claims, and the same: also where
    clusters and groups are others."""
    given: Any = check_bundle(
        Files(Forgery([*PAGES]).made(Stage.SNAPSHOTS, lambda _: None).files), _settings(), Found()
    ).given
    held = 0
    for seed in range(20):
        mixed = _mixed(given, random.Random(seed)) if seed else given
        parts = {claim: {s.id for s in _part_of(mixed, {claim}).snapshots} for claim in mixed.claims}
        for snapshot in mixed.snapshots:
            expected = {claim for claim, own in parts.items() if snapshot in own}
            assert _claims_held_by(mixed, {snapshot}) == expected
            held += len(expected)
    assert held > 100


def _mixed(given: BundleInput, rng: random.Random) -> BundleInput:
    """The same bundle with other members in its clusters, some of them in two, and other sources in its groups."""
    bundle = given.bundle
    members = [member for cluster in bundle.clusters for member in cluster.members]
    members += [
        members[0].model_copy(update={"source_id": snapshot.source_id, "snapshot_id": snapshot.id})
        for snapshot in bundle.snapshots
    ]
    clusters = tuple(
        bundle.clusters[0].model_copy(update={"members": tuple(rng.sample(members, rng.randint(1, 3)))})
        for _ in range(rng.randint(1, 4))
    )
    sources = [source.id for source in bundle.sources]
    groups: dict[int, list[str]] = {}
    for source in sources[: rng.randint(0, len(sources))]:
        groups.setdefault(rng.randrange(len(sources)), []).append(source)
    records = tuple(
        bundle.independence[0].model_copy(update={"group": f"site:{number}", "source_ids": tuple(own)})
        for number, own in groups.items()
    )
    changed = bundle.model_copy(update={"clusters": clusters, "independence": records})
    return BundleInput(changed, given.sha256, given.place)
