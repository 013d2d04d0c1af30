"""Registrable domains: our reading of the list, held to the keepers' vectors and to what the archive makes of it."""

import re
from importlib.resources import files

import pytest

from validator.sites import BY_HOST, Sites, registrable_domain
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
    ],
)
def test_a_site_is_what_somebody_registered_else_the_host(url: str, site: str) -> None:
    """R071: hosts side by side are no two sources; an address and a suffix are registered by nobody."""
    assert SITES.of(url) == suffixes.owner_of(url) == site


def test_a_bundle_without_a_list_keeps_its_hosts() -> None:
    assert BY_HOST.of("https://news.example.co.uk:8443/a") == "news.example.co.uk:8443"


def test_the_policy_names_the_day_of_its_list_and_its_digest() -> None:
    assert re.fullmatch(r"public-suffixes@20\d{6}\+[0-9a-f]{64}", suffixes.suffix_policy_id())
    assert {"com", "co.uk", "*.ck", "!www.ck", "github.io", "xn--55qx5d.cn"} <= RULES
