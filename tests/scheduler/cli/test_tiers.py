"""`tiers`: which rule gives which tier, what it is good for, and rules of one's own."""

from __future__ import annotations

import json
import re

import pytest

pytestmark = pytest.mark.real
OWN = {"reason": "our-lab", "tier": "primary", "why": "the lab whose data these are", "hosts": ["unknown-host.example"]}


def own_rules(path, *rules):
    path.write_text(json.dumps({"schema": "citevault/tier-overrides@1", "rules": list(rules)}), encoding="utf-8")
    return path


def test_a_tier_names_its_rule_and_what_it_is_good_for(citevault):
    """R064, R065, R066, R067, R068, R069."""
    said = citevault("tiers", "explain", "https://docs.python.org/3/", "--json")
    assert said.code == 0
    assert (said.json["tier"], said.json["reason"]) == ("official", "official-documentation")
    assert (said.json["place"], said.json["own_rule"]) == ("docs.python.org", False)
    assert "comparison" not in said.json["carries"]
    assert {"specification", "policy", "price"} <= set(said.json["carries"])
    person = citevault("tiers", "explain", "https://docs.python.org/3/")
    assert person.out.startswith(f"official: rule official-documentation of {said.json['policy']}\n")
    assert "not how it compares" in person.out


def test_a_host_that_no_rule_names_is_told_so(citevault):
    said = citevault("tiers", "explain", "https://unknown-host.example/page", "--json")
    assert (said.json["tier"], said.json["reason"], said.json["place"]) == ("secondary", "default", None)
    assert "CITEVAULT_TIER_RULES" in citevault("tiers", "explain", "https://unknown-host.example/page").out


def test_own_rules_in_the_data_dir_go_before(fresh, empty):
    before = fresh("tiers", "explain", "https://unknown-host.example/", "--json").json
    own_rules(empty.data_dir / "tiers.json", OWN)
    after = fresh("tiers", "explain", "https://unknown-host.example/", "--json").json
    assert (after["tier"], after["reason"], after["own_rule"]) == ("primary", "our-lab", True)
    assert after["policy"] != before["policy"]
    listed = fresh("tiers", "rules", "--json").json
    assert (listed[0]["reason"], listed[0]["own"], listed[0]["hosts"]) == ("our-lab", True, 1)
    assert len(listed) > 20


def test_a_named_file_of_rules_is_used(fresh, monkeypatch, tmp_path):
    monkeypatch.setenv("CITEVAULT_TIER_RULES", str(own_rules(tmp_path / "ours.json", OWN)))
    assert fresh("tiers", "explain", "https://unknown-host.example/", "--json").json["reason"] == "our-lab"
    monkeypatch.setenv("CITEVAULT_TIER_RULES", str(tmp_path / "nowhere.json"))
    said = fresh("tiers", "explain", "https://unknown-host.example/")
    assert (said.code, said.stdout) == (2, b"")
    assert "CITEVAULT_TIER_RULES" in said.err


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ([{**OWN, "tier": "trusted"}], "/rules/0/tier"),
        ([OWN, {**OWN, "reason": "again"}], "both name unknown-host.example"),
    ],
)
def test_a_file_of_rules_is_tried_before_it_is_used(unconfigured, tmp_path, rules, told):
    said = unconfigured("tiers", "rules", str(own_rules(tmp_path / "ours.json", *rules)))
    assert (said.code, said.stdout) == (2, b"")
    assert told in said.err


def test_a_tier_of_what_is_no_url_is_bad_input(citevault):
    said = citevault("tiers", "explain", "no url\x1b[2J")
    assert (said.code, said.stdout) == (2, b"")
    assert "\x1b" not in said.err


def test_a_rule_reaches_a_port_that_it_names_and_says_so_where_it_does_not(fresh, empty, tmp_path):
    """An id of a policy keeps its meaning: `lab.example` is no other port of it."""
    hosts = ["lab.example", "*.lab.example", "127.0.0.1:8931"]
    rules = own_rules(empty.data_dir / "tiers.json", {**OWN, "hosts": hosts})
    for reached in ("http://lab.example/", "https://www.lab.example:443/", "http://127.0.0.1:8931/a"):
        assert fresh("tiers", "explain", reached, "--json").json["reason"] == "our-lab"
    for missed, place in (("lab.example:8080", "lab.example"), ("a.lab.example:8080", "*.lab.example")):
        said = fresh("tiers", "explain", f"http://{missed}/").out
        assert f"no rule names {missed}; rule our-lab names {place}, and without a port" in said
        assert f'with "{missed}" in its hosts (CITEVAULT_TIER_RULES)' in said
    assert "no rule names 127.0.0.1:8932\n" in fresh("tiers", "explain", "http://127.0.0.1:8932/").out
    assert 'such as "lab.example:8080"' in fresh("tiers", "rules", str(rules)).err
    assert "CITEVAULT_TIER_RULES" not in fresh("tiers", "explain", "http://[::1]:8080/").out


def test_no_number_of_a_requirement_is_told_to_a_person(unconfigured, fresh, tmp_path):
    """Those in the published file stay there, since its digest is its id; the words of one's own rules stay whole."""
    own = own_rules(tmp_path / "ours.json", {**OWN, "why": "room (R101) of the lab"})
    listed = unconfigured("tiers", "rules", str(own)).out
    assert "room (R101) of the lab" in listed
    assert re.findall(r"R[0-9]{3}", listed) == ["R101"]
    for host in ("www.iso.org", "docs.python.org", "nature.com", "reuters.com", "en.wikipedia.org", "nobody.example"):
        assert re.search(r"R[0-9]{3}", fresh("tiers", "explain", f"https://{host}/").out) is None
