"""The request is what was given, byte for byte, as far as a request can carry it."""

import pytest

from schemas.urls.conservative import wire_url
from schemas.urls.error import UrlError
from schemas.urls.parse import MAX_URL_CHARS

AS_GIVEN = [
    "http://h/",
    "http://h/a?",
    "http://h/?utm_source=x&gclid=1",
    "http://h/a|b?c|d",
    "http://h/%zz%",
    "http://h/a/../b/./c//d",
    "http://h/'\"<>^`{}[]~*!$&()+,;=:@",
    "http://h/%7E%7e~?%41&&=#".removesuffix("#"),
    "https://h:8443/?a=1&a=1",
    "http://[::1]:8080/",
]


@pytest.mark.parametrize("raw", AS_GIVEN)
def test_a_sendable_url_is_sent_as_given(raw: str) -> None:
    assert wire_url(raw) == raw


CHANGED = [
    ("fragment", "http://h/a?#b", "http://h/a?"),
    ("userinfo", "http://u:p@h/", "http://h/"),
    ("space", "http://h/a b?c d", "http://h/a%20b?c%20d"),
    ("backslash", "http://h/a\\b?c\\d", "http://h/a%5Cb?c%5Cd"),
    ("backslash that ends the authority", "http://h\\a\\b", "http://h/a%5Cb"),
    ("non-ASCII", "http://h/é?ß=\U0001f600", "http://h/%C3%A9?%C3%9F=%F0%9F%98%80"),
    ("escapes beside non-ASCII", "http://h/%e9é", "http://h/%e9%C3%A9"),
    ("host", "HTTP://Bücher.de:80", "http://xn--bcher-kva.de/"),
    ("whitespace", " http://h/a \n", "http://h/a"),
    ("wrapped", "http://h/a\n b", "http://h/a%20b"),
    ("space before a fragment", "http://h/a #b", "http://h/a%20"),
    ("no-break space inside", "http://h/a\u00a0b", "http://h/a%C2%A0b"),
]


@pytest.mark.parametrize(("raw", "sent"), [row[1:] for row in CHANGED], ids=[row[0] for row in CHANGED])
def test_only_what_no_request_can_carry_is_changed(raw: str, sent: str) -> None:
    assert wire_url(raw) == sent


@pytest.mark.parametrize("raw", ["", "h/x", "ftp://h/", "http://h:99999/", "http://h/\x00x", "http://h/\ud800"])
def test_what_cannot_be_requested_is_refused(raw: str) -> None:
    assert isinstance(wire_url(raw), UrlError)


def test_what_would_be_too_long_once_it_is_encoded_is_refused() -> None:
    """No record holds more than a URL may have, so neither may what is fetched."""
    assert len(str(wire_url("http://h/" + "\\" * 21_842))) == 9 + 3 * 21_842 <= MAX_URL_CHARS
    refused = wire_url("http://h/" + "\\" * 21_843)
    assert isinstance(refused, UrlError)
    assert refused.code == "url.too-long"


def test_no_url_can_smuggle_a_header_line() -> None:
    assert wire_url("http://h/a HTTP/1.1\r\nHost: evil\r\n\r\n") == "http://h/a%20HTTP/1.1Host:%20evil"
