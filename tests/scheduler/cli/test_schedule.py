"""`schedule`: made, listed, changed, paused and ended from the command line."""

from __future__ import annotations

import json

import pytest

URLS = ("http://127.0.0.1:9/one", "http://127.0.0.1:9/two")


def ids(citevault) -> dict[str, str]:
    return {each["requested_url"]: each["id"] for each in citevault("schedule", "list", "--json").json}


def test_a_page_is_scheduled_listed_and_due(fresh):
    said = fresh("schedule", "add", *URLS, "--every", "7d", "--json")
    assert (said.code, said.json) == (0, {"added": 2, "changed": 0, "unchanged": 0, "missing": 0, "lines": 2})
    listed = fresh("schedule", "list", URLS[0], "--json")
    (only,) = listed.json
    assert (only["requested_url"], only["cadence"]) == (URLS[0], {"kind": "every", "every_seconds": 604_800})
    assert only["options"]["allow_networks"] == ["127.0.0.0/8"]
    assert sorted(
        json.loads(line)["requested_url"] for line in fresh("schedule", "list", "--jsonl").out.splitlines()
    ) == [*URLS]
    due = fresh("schedule", "due", "--json").json
    assert sorted(row["url"] for row in due) == [*URLS]
    people = fresh("schedule", "list")
    assert "every 7d" in people.out
    assert people.err.startswith("2 due and not on their way: the next round of visits is at ")
    assert "the next round" not in listed.err


def test_asking_again_changes_terms_and_nothing_else(fresh):
    fresh("schedule", "add", *URLS, "--every", "7d")
    before = ids(fresh)
    assert fresh("schedule", "add", *URLS, "--every", "7d", "--json").json["unchanged"] == 2
    said = fresh("schedule", "add", URLS[0], "--adaptive", "--least", "2d", "--most", "4w", "--json")
    assert (said.json["changed"], ids(fresh)) == (1, before)
    assert "adaptive 2d to 28d" in fresh("schedule", "list", URLS[0]).out


def test_a_schedule_is_paused_resumed_and_removed_by_address_or_id(fresh):
    fresh("schedule", "add", *URLS, "--every", "12h")
    names = ids(fresh)
    assert fresh("schedule", "pause", URLS[0]).code == 0
    assert "paused" in fresh("schedule", "list", URLS[0]).out
    assert [row["url"] for row in fresh("schedule", "due", "--json").json] == [URLS[1]]
    assert fresh("schedule", "resume", names[URLS[0]], "--json").json["changed"] == 1
    assert len(fresh("schedule", "due", "--json").json) == 2
    assert fresh("schedule", "remove", names[URLS[0]]).code == 0
    assert list(ids(fresh)) == [URLS[1]]
    again = fresh("schedule", "remove", URLS[0])
    assert again.code == 1
    assert names[URLS[0]] in again.err
    assert [row["url"] for row in fresh("schedule", "due", "--json").json] == [URLS[1]]


def test_what_is_captured_is_due_later_and_a_bundles_pages_are_cited(citevault, filled, tmp_path):
    snapshot = citevault("snapshots", filled.web.url("authority", "/barrier"), "--json").json[0]["id"]
    text = citevault("show", snapshot, "--text").out
    draft = {
        "claims": [{"id": "c-01", "text": "It has gates.", "importance": "ordinary", "claim_type": "specification"}],
        "evidence": [
            {
                "claim_id": "c-01",
                "snapshot_id": snapshot,
                "quote": next(line for line in text.splitlines() if len(line) > 40 and text.count(line) == 1),
                "support": "full",
            }
        ],
    }
    (tmp_path / "draft.json").write_text(json.dumps(draft), encoding="utf-8")
    built = citevault("bundle", "build", str(tmp_path / "draft.json"), "-o", str(tmp_path / "bundle"))
    assert built.code == 0, built.err
    said = citevault("schedule", "add", "--from", str(tmp_path / "bundle"), "--adaptive", "--json")
    assert said.json["added"] == 1, said.err
    (made,) = citevault("schedule", "list", "--json").json
    assert (made["cited"], made["next_period"]) == (True, 1)
    assert citevault("schedule", "due", "--json").json == []
    assert len(citevault("schedule", "due", "--within", "13w", "--json").json) == 1
    assert citevault("schedule", "remove", "--from", str(tmp_path / "bundle"), "--json").json["changed"] == 1
    assert citevault("schedule", "list", "--json").json == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("add", URLS[0]), "--every 7d, or --adaptive"),
        (("add", URLS[0], "--every", "7d", "--adaptive"), "--every 7d, or --adaptive"),
        (("add", "--every", "7d"), "give URLs"),
        (("add", URLS[0], "--every", "5m"), "from 1h"),
        (("add", URLS[0], "--every", "soon"), "12h, 7d or 2w"),
        (("add", URLS[0], "--every", "7d", "--least", "1d"), "--adaptive"),
        (("add", URLS[0], "--adaptive", "--least", "9d", "--most", "1d"), "longer"),
        (("add", URLS[0], "--every", "7d", "--collection", "Up"), "lower-case"),
        (("add", "--from", "nowhere", "--every", "7d"), "nowhere"),
        (("remove",), "give addresses"),
        (("pause", "no url"), "no url"),
    ],
)
def test_wrong_usage_is_told_before_any_store_is_asked(unconfigured, arguments, word):
    said = unconfigured("schedule", *arguments)
    assert (said.code, said.stdout) == (2, b"")
    assert word in said.err


def test_bad_lines_are_told_and_the_good_ones_are_scheduled(fresh):
    lines = f"{URLS[0]}\nnot a url\n".encode()
    said = fresh("schedule", "add", "--from", "-", "--every", "7d", "--json", stdin=lines)
    assert (said.code, said.json["added"], said.json["lines"]) == (0, 1, 2)
    assert "line 2" in said.err
    nothing = fresh("schedule", "add", "--from", "-", "--every", "7d", stdin=b"not a url\n")
    assert (nothing.code, nothing.stdout) == (2, b"")


def test_without_a_contact_public_pages_are_not_scheduled(fresh, monkeypatch):
    monkeypatch.delenv("CITEVAULT_CONTACT")
    said = fresh("schedule", "add", "https://example.org/", "--every", "7d")
    assert said.code == 2
    assert "CITEVAULT_CONTACT" in said.err
    assert fresh("schedule", "list", "--json").json == []


def test_a_damaged_shard_is_told_and_the_others_are_shown(fresh, tmp_path):
    fresh("schedule", "add", *URLS, "--every", "7d")
    damaged = next((tmp_path / "store").rglob(f"{ids(fresh)[URLS[0]][4:7]}.jsonl.gz"))
    damaged.write_bytes(b"no gzip")
    said = fresh("schedule", "list", "--json")
    assert said.code == 3
    assert [each["requested_url"] for each in said.json] == [URLS[1]]
    assert "schedules/pages/" in said.err
    refused = fresh("schedule", "pause", URLS[0])
    assert refused.code == 3, "it is not written over"
    assert damaged.read_bytes() == b"no gzip"
    (row,) = fresh("schedule", "set-aside", "--json").json
    assert (row["key"], row["schedules_kept"]) == (f"schedules/pages/{damaged.name}", 0)
    aside = next((tmp_path / "store").rglob(row["set_aside"].rpartition("/")[2]))
    assert aside.read_bytes() == b"no gzip"
    assert fresh("schedule", "add", URLS[0], "--every", "7d").code == 0
    assert set(ids(fresh)) == set(URLS)
    assert fresh("schedule", "set-aside").err == "no schedule is damaged\n"
