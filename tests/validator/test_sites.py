"""Registrable domains: our reading of the list, held to the keepers' vectors and to what the archive makes of it."""

import re
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.urls.conservative import Normalized, normalize
from validator.sites import BY_HOST, Sites, _rules_of, registrable_domain
from workers.dedup import suffixes

RULES = frozenset(map(str, suffixes.rules_of(suffixes._published())))
SITES = Sites(RULES)


def test_both_readings_hold_to_the_keepers_own_vectors() -> None:
    text = files("publicsuffixlist").joinpath("test_psl.txt").read_text("utf-8")
    rows = re.findall(r"^checkPublicSuffix\('([^']*)', (?:'([^']*)'|null)\)", text, re.MULTILINE)
    wanted = {host: domain or None for host, domain in rows if host.isascii() and host == host.lower()}
    assert len(wanted) > 40
    assert {host: registrable_domain(host, RULES) for host in wanted} == wanted
    assert {host: suffixes.registrable_domain(host) for host in wanted} == wanted


def test_both_readings_agree_on_hosts_around_the_rules() -> None:
    names = [rule.lstrip("!").replace("*.", "") for rule in sorted(RULES)[::9]]
    hosts = [f"{below}{name}" for name in names for below in ("", "a.", "b.a.", "c.b.a.")]
    assert [registrable_domain(host, RULES) for host in hosts] == [suffixes.registrable_domain(host) for host in hosts]


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://news.example.co.uk:8443/a", "example.co.uk"),
        ("https://www.example.org./", "example.org"),
        ("https://alice.github.io/", "alice.github.io"),
        ("https://github.io:81/", "github.io:81"),
        ("https://www.ck/", "www.ck"),
        ("https://shop.xn--55qx5d.cn/", "shop.xn--55qx5d.cn"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://[::1]:8000/", "[::1]:8000"),
        ("http://localhost:80/", "localhost:80"),
        ("http://github.io./", "github.io"),
        ("http://www.co.uk./", "www.co.uk"),
        ("http://co.uk.:81/", "co.uk:81"),
        ("http://www./", "www"),
        ("http://www.:81/", "www:81"),
        ("http://www/", "www"),
    ],
)
def test_a_site_is_what_somebody_registered_else_the_host(url: str, site: str) -> None:
    """R071: hosts side by side are no two sources; an address and a suffix are registered by nobody."""
    assert SITES.of(url) == suffixes.owner_of(url) == site


LABELS = st.sampled_from(
    ("www", "a", "github", "io", "co", "uk", "com", "ck", "1", "0x7f", "_x", "-", "xn--55qx5d", "*")
)
HOSTS = st.lists(LABELS, min_size=1, max_size=5).map(".".join) | st.sampled_from(("[::1]", "127.0.0.1", "w\u00fcrm.de"))


@settings(deadline=None)
@given(HOSTS, st.sampled_from(("", ":81", ":65535")))
def test_a_host_and_the_same_with_its_final_dot_are_one_site_to_both(host: str, port: str) -> None:
    """Whatever stands for a host in a normalized URL."""
    urls = [normalize(f"http://{written}{port}/a") for written in (host, f"{host}.")]
    found = [url.url for url in urls if isinstance(url, Normalized)]
    for url in found:
        assert SITES.of(url) == suffixes.owner_of(url) != ""
        assert not SITES.of(url).startswith(":")
    assert len({SITES.of(url) for url in found}) <= 1
    assert len({BY_HOST.of(url) for url in found}) <= 1


STRAY = (
    "!*.ck",
    "!com",
    "!a.com",
    "-",
    "_",
    "1.2",
    "1",
    "a-.com",
    "-a.com",
    "*",
    "*.*.ck",
    "a.*.ck",
    "A.com",
    "a..com",
)


@pytest.mark.parametrize("rule", [*STRAY, "!b.www.ck", "*.1", "com.", ".com", "!", "", "com\n", "x" * 64])
def test_a_rule_that_the_published_list_cannot_have_makes_the_list_unusable(rule: str) -> None:
    """R071: an exception without its rule would let an author part what one registered."""
    rules = [*sorted(RULES)]
    assert _rules_of({"rules": [*rules]}) == RULES
    assert _rules_of({"rules": [*rules, rule]}) is None


def test_a_bundle_without_a_list_keeps_its_hosts() -> None:
    assert BY_HOST.of("https://news.example.co.uk:8443/a") == "news.example.co.uk:8443"


def test_the_policy_names_the_day_of_its_list_and_its_digest() -> None:
    assert re.fullmatch(r"public-suffixes@20\d{6}\+[0-9a-f]{64}", suffixes.suffix_policy_id())
    assert {"com", "co.uk", "*.ck", "!www.ck", "github.io", "xn--55qx5d.cn"} <= RULES
