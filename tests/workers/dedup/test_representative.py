from schemas.records.source import Tier
from workers.dedup.representative import Candidate, representative


def candidate(name: str, tier: Tier, published: str | None, retrieved: str) -> Candidate:
    return Candidate(f"src-{name}", f"snap-{name}", tier, published, f"2026-08-{retrieved}T00:00:00Z")


WIRE = candidate("wire", Tier.SECONDARY, "2026-08-01", "20")
MAKER = candidate("maker", Tier.OFFICIAL, "2026-08-03", "21")
PORTAL = candidate("portal", Tier.AGGREGATOR, None, "05")


def test_a_specification_is_represented_by_the_official_source() -> None:
    """R060."""
    chosen = representative([WIRE, PORTAL, MAKER], "specification")
    assert chosen.source_id == "src-maker"
    assert "official" in chosen.reason


def test_the_spread_of_a_story_is_represented_by_the_earliest() -> None:
    """R060: by publication where it is told, else by capture."""
    assert representative([MAKER, WIRE, PORTAL], "tracing").source_id == "src-wire"
    captured = representative([MAKER, PORTAL], "tracing")
    assert captured.source_id == "src-maker"
    assert "publication" in captured.reason
    assert "capture" in representative([PORTAL], "tracing").reason


def test_of_equal_tiers_the_earliest_stands() -> None:
    later = candidate("later", Tier.OFFICIAL, "2026-08-04", "19")
    assert representative([later, MAKER], "specification").source_id == "src-maker"


def test_a_publication_date_after_the_capture_is_not_believed() -> None:
    liar = candidate("liar", Tier.SECONDARY, "2030-01-01", "02")
    assert representative([liar, MAKER], "tracing").source_id == "src-liar"


def test_ties_do_not_depend_on_order() -> None:
    one, other = (candidate(name, Tier.PRIMARY, None, "09") for name in ("a", "b"))
    assert representative([one, other], "tracing") == representative([other, one], "tracing")
