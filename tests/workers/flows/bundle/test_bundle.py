"""Bundles built from a draft over an archive that went through the real stages."""

from __future__ import annotations

from schemas.records.claim import Verdict
from workers.flows.bundle import BuiltBundle

SURGE = "a surge of 3.2 metres at the outer gate"
GAUGE = "the outer gauge showed 3.2 metres above the mean"
NAMES = {"bundle.json", "texts", "archive", "manifest", "keys"}


def test_the_seeds_gate_accepts_a_bundle_and_refuses_it_after_one_changed_character(on_archive, news, draft, seed_gate):
    """R089-R095, X26."""

    async def scenario(archive):
        await archive.archive(*news)
        return await archive.build(
            draft(
                [("c-001", "critical")],
                [("c-001", news[0].url, SURGE, "full"), ("c-001", news[2].url, GAUGE, "full")],
            )
        )

    built = on_archive(scenario)
    assert isinstance(built, BuiltBundle), built
    assert {entry.name for entry in built.directory.iterdir()} == NAMES
    assert built.bundle.claims[0].status is Verdict.SUPPORTED
    accepted = seed_gate(built.directory)
    assert (accepted.returncode, accepted.stdout) == (0, "citation bundle: ok\n"), accepted.stderr
    text = built.directory / (built.bundle.snapshots[0].text_path or "")
    text.write_bytes(text.read_bytes().replace(b"3.2", b"3.3", 1))
    refused = seed_gate(built.directory)
    assert refused.returncode == 1
    assert "digest mismatch" in refused.stderr
