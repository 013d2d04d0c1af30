"""No third-party suite is left out in silence: each tests a layer, or is declined with a reason."""

from pathlib import Path


def test_every_suite_is_run_or_declined(urls_data: Path, declared: dict[str, list[dict[str, str]]]) -> None:
    present = {
        path.relative_to(urls_data).as_posix()
        for path in urls_data.rglob("*")
        if path.is_file() and path.name != "MANIFEST.md"
    }
    claimed = {entry["suite"] for entry in declared["claimed"]}
    declined = {entry["file"] for entry in declared["declined"] if entry["reason"]}
    assert present - claimed - declined == set()
    assert claimed & declined == set()


def test_every_deviation_has_a_reason(declared: dict[str, list[dict[str, str]]]) -> None:
    for entry in declared["deviation"]:
        assert len(entry["reason"]) > 20, entry
        assert ("input" in entry) != ("containing" in entry), entry
