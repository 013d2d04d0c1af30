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


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
        "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170",
        "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:0:10.0.0.1",
        "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:10::1",
        "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:c0a8:101::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1",
    ],
)  # fmt: skip
def test_a_special_address_is_refused_with_its_reason(address):
    refusal = check_address(address)
    assert refusal is not None
    assert "RFC" in refusal.reason


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0",
        "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:200::1",
    ],
)  # fmt: skip
def test_a_public_address_passes(address):
    assert check_address(address) is None


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
