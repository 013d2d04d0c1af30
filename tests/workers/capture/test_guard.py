"""The guard against every special range and every spelling of an address."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.urls.error import UrlError
from workers.capture.guard import (
    Refusal,
    check_address,
    check_port,
    is_allowed,
    parse_networks,
)
from workers.capture.request_head import Target, target_of

LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


REGISTERED = [
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/32",
    "192.0.0.171/32", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.88.99.2/32",
    "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
    "240.0.0.0/4", "255.255.255.255/32",
    "::1/128", "::/128", "::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32",
    "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48",
    "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
]  # fmt: skip
"""The rows of both IANA registries, multicast, and what was once special: written down apart from the code."""


@pytest.mark.parametrize("row", REGISTERED)
def test_no_address_of_a_registered_range_is_reached(row):
    network = ip_network(row)
    for address in {network[0], network[-1], network[network.num_addresses // 2]}:
        refusal = check_address(str(address))
        assert refusal is not None
        assert "RFC" in refusal.reason


def test_a_range_is_named_by_its_narrowest_row():
    for address, named in {
        "192.0.0.9": "port control",
        "192.0.0.77": "protocol assignments",
        "255.255.255.255": "broadcast",
        "240.0.0.1": "reserved",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2": "Teredo",
        "2001:100::1": "protocol assignments",
        "::1": "loopback",
        "::7f00:1": "IPv4-compatible",
        "4000::1": "outside global unicast",
        "100:0:0:2::1": "outside global unicast",
    }.items():
        assert named in check_address(address).reason


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254", "169.254.170.2", "169.254.169.253", "169.254.42.42", "100.100.100.200", "192.0.0.192",
        "168.63.129.16", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42", "fe80::a9fe:a9fe",
    ],
)  # fmt: skip
def test_no_metadata_service_of_a_cloud_is_reached(address):
    assert check_address(address) is not None


@pytest.mark.parametrize(
    "address",
    [
        "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "0:0:0:0:0:ffff:10.0.0.1", "::ffff:0:10.0.0.1", "64:ff9b::127.0.0.1",
        "64:ff9b::a9fe:a9fe", "::127.0.0.1", "2002:7f00:1::", "2002:c0a8:101::1", "64:ff9b:1::808:808",
        "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:127.0.0.1",
    ],
)  # fmt: skip
def test_a_form_that_leads_to_a_private_ipv4_address_is_refused(address):
    assert check_address(address) is not None


def test_a_zone_names_an_interface_of_this_machine_and_is_refused():
    for address in ("fe80::1%eth0", "2606:4700::1111%eth0", "::1%lo"):
        assert check_address(address) is not None


@given(st.integers(0, 2**32 - 1))
def test_what_the_standard_library_calls_private_is_refused_too(number):
    """A second opinion: `ipaddress` holds a table of its own."""
    address = ip_address(number)
    assert address.is_global or address.is_multicast or check_address(str(address)) is not None


@given(st.integers(0, 2**128 - 1))
def test_what_the_standard_library_calls_private_is_refused_too_in_ipv6(number):
    address = ip_address(number)
    assert address.is_global or check_address(str(address)) is not None


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0",
        "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:200::1",
        "168.63.129.15", "192.31.195.255", "2606:4700::5efe:8.8.8.8", "2620:4f:8001::1", "3ffe::1",
    ],
)  # fmt: skip
def test_a_public_address_passes(address):
    assert check_address(address) is None


def test_without_a_contact_no_public_address_is_reached_and_opened_ones_are():
    refusal = check_address("8.8.8.8", LOOPBACK, public=False)
    assert refusal is not None
    assert "CITEVAULT_CONTACT" in refusal.reason
    assert "private" in check_address("10.0.0.1", LOOPBACK, public=False).reason
    assert check_address("127.0.0.1", LOOPBACK, public=False) is None


@pytest.mark.parametrize("text", ["", "localhost", "127.0.0.1:80", "0177.0.0.1", "1.2.3", "x" * 10_000, "[::1]"])
def test_what_is_no_address_is_refused(text):
    assert isinstance(check_address(text), Refusal)


@given(st.integers(0, 2**32 - 1))
def test_an_ipv4_address_is_judged_alike_in_every_form_it_can_take(number):
    plain = str(ip_address(number))
    mapped = str(ip_address((0xFFFF << 32) | number))
    translated = str(ip_address(int(ip_address("64:ff9b::")) | number))
    verdicts = {check_address(form) is None for form in (plain, mapped, translated)}
    assert len(verdicts) == 1


def test_an_allowed_network_opens_its_addresses_and_their_mapped_forms_only():
    for address in ("127.0.0.1", "127.9.9.9", "::ffff:127.0.0.1", "::1"):
        assert check_address(address, LOOPBACK) is None
        assert is_allowed(address, LOOPBACK)
    for address in ("10.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "169.254.169.254"):
        assert check_address(address, LOOPBACK) is not None
        assert not is_allowed(address, LOOPBACK)


@pytest.mark.parametrize("port", [0, 22, 25, 6000, 6667, 10080])
def test_a_port_of_another_protocol_is_refused(port):
    assert check_port(port) is not None


@pytest.mark.parametrize("port", [80, 443, 8080, 8443, 3000, 65535])
def test_a_port_of_the_web_passes(port):
    assert check_port(port) is None


def test_only_http_and_https_are_fetched():
    assert isinstance(target_of("http://a.test/"), Target)
    assert isinstance(target_of("https://a.test/"), Target)
    for scheme in ("file", "ftp", "gopher", "data", "javascript", ""):
        assert isinstance(target_of(f"{scheme}://a.test/"), UrlError)


def test_networks_are_read_from_text_or_refused_with_advice():
    assert parse_networks(["127.0.0.0/8", " ::1 "]) == LOOPBACK
    for text in ("127.0.0.1/8", "loopback", "", "1.2.3.4/99"):
        refusal = parse_networks([text])
        assert isinstance(refusal, Refusal)
        assert "write it like" in refusal.reason


@pytest.mark.parametrize(
    "spelling",
    ["0x7f.1", "0177.0.0.1", "2130706433", "127.1", "0x7f000001", "127.0.0.1.", "①②⑦.0.0.1", "[::ffff:7f00:1]"],
)
def test_no_spelling_of_a_loopback_host_hides_it(spelling):
    target = target_of(f"http://{spelling}/")
    address = target.host.strip("[]").rstrip(".")
    assert check_address(address) is not None
