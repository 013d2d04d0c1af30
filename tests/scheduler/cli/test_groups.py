"""`groups`: what a person decides on independence, with name and reason (R070, X34)."""

from __future__ import annotations

import getpass

import pytest

pytestmark = pytest.mark.real
WHY = "both print the same agency report"
ONE, TWO, THREE = "src-0000000000000001", "src-0000000000000002", "src-0000000000000003"


def groups(citevault):
    said = citevault("groups", "list", "--json")
    assert said.code == 0
    return {row["name"]: row["source_ids"] for row in said.json}


def test_a_group_is_kept_with_who_when_and_why(fresh):
    said = fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY, "--by", "A. Editor")
    assert (said.code, said.out) == (0, "decision 1\n")
    (row,) = fresh("groups", "list", "--json").json
    assert row.pop("at").endswith("Z")
    assert row == {"name": "wire", "source_ids": [ONE, TWO], "by": "A. Editor", "why": WHY}
    assert "A. Editor" in fresh("groups", "list").out


def test_no_groups_is_no_error(fresh):
    said = fresh("groups", "list")
    assert (said.code, said.stdout, said.err) == (0, b"", "no manual groups\n")


def test_who_decides_is_the_user_where_nobody_is_named(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY)
    (row,) = fresh("groups", "list", "--json").json
    assert row["by"] == getpass.getuser()


def test_a_merge_adds_to_what_the_group_has(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY)
    assert fresh("groups", "merge", "wire", THREE, "--why", WHY).out == "decision 2\n"
    assert groups(fresh) == {"wire": [ONE, TWO, THREE]}


def test_a_source_is_in_the_group_that_named_it_last(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, THREE, "--why", WHY)
    fresh("groups", "merge", "other", TWO, THREE, "--why", WHY)
    assert groups(fresh) == {"other": [TWO, THREE], "wire": [ONE]}


def test_a_split_without_urls_dissolves_the_group(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY)
    assert fresh("groups", "split", "wire", "--why", WHY).code == 0
    assert groups(fresh) == {}


def test_a_split_with_urls_lets_each_stand_alone(fresh):
    fresh("groups", "merge", "wire", ONE, TWO, THREE, "--why", WHY)
    said = fresh("groups", "split", "wire", ONE, TWO, "--why", WHY)
    assert (said.code, said.out) == (0, "decision 2\ndecision 3\n")
    assert groups(fresh) == {"wire": [THREE], "wire/0000000000000001": [ONE], "wire/0000000000000002": [TWO]}


def test_sources_are_named_by_what_is_archived_of_them(citevault, filled):
    courier = filled.web.url("courier", "/news/tidal-barrier")
    authority = filled.web.url("authority", "/barrier")
    before = groups(citevault)
    assert citevault("groups", "merge", "named", courier + "?utm_source=x", authority, "--why", WHY).code == 0
    expected = sorted(citevault("show", name).json["source_id"] for name in _snapshots(citevault, courier, authority))
    assert groups(citevault) == {**before, "named": expected}
    assert citevault("groups", "split", "named", "--why", WHY).code == 0
    assert groups(citevault) == before


def _snapshots(citevault, *urls):
    return [citevault("snapshots", url, "--json").json[0]["id"] for url in urls]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["merge", "wire", ONE], "a group has two sources at least"),
        (["merge", "wire", ONE, ONE], "a group has two sources at least"),
        (["merge", "wire", ONE, TWO, "--why", "too short"], "give 10 characters at least"),
        (["merge", "wire", ONE, TWO, "--why", ""], "give 10 characters at least"),
        (["merge", "wire", ONE, TWO, "--why", "x" * 100_001], "--why: String should have at most 100000"),
        (["merge", "wire", ONE, TWO, "--why", "no such letter \udcff"], "--why: "),
        (["merge", "wire", ONE, TWO, "--by", " "], "--by: say who decides"),
        (["merge", "wire", ONE, TWO, "--by", "x" * 5000], "--by: String should have at most 4096"),
        (["merge", "two words", ONE, TWO], "a group's name is printable ASCII without blanks"),
        (["merge", "", ONE, TWO], "a group's name is printable ASCII without blanks"),
        (["merge", "x" * 301, ONE, TWO], "a group's name is printable ASCII without blanks"),
        (["merge", "wire\x1b[2J", ONE, TWO], "a group's name is printable ASCII without blanks"),
        (["merge", "wire", ONE, "http://127.0.0.1/never"], "nothing is archived of this URL"),
        (["merge", "wire", ONE, "no url"], "no url"),
        (["split", "unknown"], "there is no such manual group"),
        (["split", "wire", "http://127.0.0.1/never"], "nothing is archived of this URL"),
        (["split", "wire", ONE, "--why", "too short"], "give 10 characters at least"),
    ],
)
def test_what_is_refused_leaves_no_decision(fresh, arguments, sentence):
    said = fresh("groups", *arguments, *([] if "--why" in arguments else ["--why", WHY]))
    assert (said.code, said.stdout) == (2, b"")
    assert sentence in said.err
    assert "\x1b" not in said.err
    assert groups(fresh) == {}


def test_a_user_without_a_name_is_asked_for_one(fresh, monkeypatch):
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    said = fresh("groups", "merge", "wire", ONE, TWO, "--why", WHY)
    assert (said.code, said.stdout) == (2, b"")
    assert "--by: say who decides" in said.err
