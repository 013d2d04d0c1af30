"""Registrable domains, held to the test vectors that the list's keepers publish with it."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from workers.discover.domains import is_address, list_id, registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.org", "example.org"),
        ("example.org.", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("alice.github.io", "alice.github.io"),
        ("github.io", "github.io"),
        ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("localhost", "localhost"),
    ],
)
def test_a_host_has_its_registrable_domain_or_stands_for_itself(host: str, domain: str):
    assert registrable_domain(host) == domain


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.0.0.1.", True), ("[::1]", True), ("2001:db8::1", True), ("1.2.3.example", False)],
)
def test_an_address_is_told_from_a_name(host: str, expected: bool):
    assert is_address(host) is expected


def test_the_keepers_own_vectors_hold():
    text = files("publicsuffixlist").joinpath("test_psl.txt").read_text("utf-8")
    rows = re.findall(r"^checkPublicSuffix\('([^']*)', (?:'([^']*)'|null)\)", text, re.MULTILINE)
    usable = [
        (host, domain or host) for host, domain in rows if host.isascii() and host == host.lower() and host[0] != "."
    ]
    assert len(usable) > 40
    assert [(host, registrable_domain(host)) for host, _ in usable] == usable


def test_the_list_in_force_has_a_name():
    assert re.fullmatch(r"psl@[0-9.]+", list_id())
