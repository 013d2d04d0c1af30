"""`conservative@1`: what changes in an identity, and everything that must not."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import JsonValue

from schemas.urls.conservative import Normalized, normalize, read_normalized
from schemas.urls.error import UrlError
from schemas.urls.policy import citation_index_1


def identity(raw: str) -> str:
    result = normalize(raw)
    assert isinstance(result, Normalized), result
    return result.url


CHANGED = [
    ("R020 scheme and host", "HTTPS://Example.ORG/Path", "https://example.org/Path"),
    ("R020 IDNA host", "http://Bücher.de/", "http://xn--bcher-kva.de/"),
    ("R020 percent-encoded host", "http://ex%41mple.com/", "http://example.com/"),
    ("R020 numeric host", "http://0x7f.1/", "http://127.0.0.1/"),
    ("R020 IPv6 host", "http://[2001:DB8:0::1]/", "http://[2001:db8::1]/"),
    ("R021 http 80", "http://h:80/", "http://h/"),
    ("R021 https 443", "https://h:443/", "https://h/"),
    ("R021 empty port", "http://h:/", "http://h/"),
    ("R021 leading zeros", "http://h:08080/", "http://h:8080/"),
    ("R022 userinfo", "http://user:pa@ss@h/", "http://h/"),
    ("R023 fragment", "http://h/a#b#c", "http://h/a"),
    ("R024 prefix in any case", "http://h/?UTM_Source=x&a=1", "http://h/?a=1"),
    ("R024 named keys", "http://h/?gclid=1&fbclid=2&mc_cid=3&mc_eid=4", "http://h/"),
    ("R024 named key in any case", "http://h/?FbClId=2&a", "http://h/?a"),
    ("X8 encoded key", "http://h/?utm%5Fsource=x&%67clid=1&a=1", "http://h/?a=1"),
    ("X8 only the piece goes", "http://h/?a=1&&utm_x=2&&b", "http://h/?a=1&&&b"),
    ("R026 empty path", "http://h", "http://h/"),
    ("R026 empty path before a query", "http://h?a", "http://h/?a"),
    ("R026 whitespace", "\u00a0\n http://h/a\u3000\t", "http://h/a"),
    ("R026 byte order mark", "\ufeffhttp://h/a", "http://h/a"),
    ("wrapped in HTML source", "http://ex\nample.org/a\r\n\tb", "http://example.org/ab"),
    ("slashes of the parser", "http:\\\\h\\a", "http://h/a"),
    ("one slash", "https:/h/a", "https://h/a"),
    ("space that becomes the end", "http://h/a #top", "http://h/a%20"),
    ("space that becomes the end of a query", "http://h/?a=1 &utm_x", "http://h/?a=1%20"),
]


@pytest.mark.parametrize(("raw", "expected"), [row[1:] for row in CHANGED], ids=[row[0] for row in CHANGED])
def test_what_no_server_can_tell_apart_gets_one_identity(raw: str, expected: str) -> None:
    assert identity(raw) == expected


KEPT = [
    "http://h/?q=%FF",  # X8, the eight ways in which parsing and writing again breaks a query
    "http://h/?q=a%20b",
    "http://h/?flag",
    "http://h/?b=1;c=2",
    "http://h/?path=a/b",
    "http://h/?a=1&&b=2",
    "http://h/?",
    "https://[2001:db8::1]:8080/a",
    "http://h/?a=1&",
    "http://h/?&a=1",
    "http://h/?=1",
    "http://h/?b=2&a=1",  # R029: no sorting
    "http://h/?a=1&a=1",
    "http://h/?page=2&lang=en&id=123",  # R025
    "http://h/?ref=x&source=y",  # X1: those go from citations only
    "http://h/?xutm_source=1&utm=2&gclids=3&my_gclid=4",
    "http://h/?b=1;utm_source=2",  # a semicolon separates nothing
    "http://h/?utm%255Fsource=x",  # decoded once, not twice
    "http://h/?a=utm_source=x",
    "http://h/utm_source=x",
    "http://h/a/",  # R028
    "http://h/a",
    "http://h/Path/INDEX.html",
    "http://h//a///b",  # X2
    "https://web.archive.org/web/2020/https://example.org/",
    "http://h/a/../b/./c",  # R030
    "http://h/%7Euser/%7e",
    "http://h/%zz|'\"<>^`{}",
    "http://h/a b?c d",
    "http://h/é?ü=ß",
    "http://h/a\\b",
    "http://h./",
    "http://www.h.example/",
    "https://h:80/",
    "http://h:443/",
    "http://a_b.example/",
]


@pytest.mark.parametrize("raw", KEPT)
def test_everything_else_comes_back_as_the_identical_string(raw: str) -> None:
    """R025, R027, R028, R029, R030, X8."""
    result = normalize(raw)
    assert isinstance(result, Normalized)
    assert result.url == raw
    assert result.trace == ()


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "url.empty"),
        (" \n\t ", "url.empty"),
        ("example.com/page", "url.no-scheme"),
        ("//example.com/", "url.no-scheme"),
        ("example.com:80/page", "url.scheme-not-supported"),
        ("mailto:a@example.com", "url.scheme-not-supported"),
        ("ftp://example.com/", "url.scheme-not-supported"),
        ("javascript:alert(1)", "url.scheme-not-supported"),
        ("file:///etc/passwd", "url.scheme-not-supported"),
        ("http://", "url.no-host"),
        ("http:///?x", "url.no-host"),
        ("http://user@/x", "url.no-host"),
        ("http://h:99999/", "url.port-invalid"),
        ("http://h:80:80/", "url.port-invalid"),
        ("http://h:８０/", "url.port-invalid"),
        ("http://a b/", "url.host-invalid"),
        ("http://256.256.256.256/", "url.host-invalid"),
        ("http://[::1/", "url.host-invalid"),
        ("http://2001:db8::1/", "url.port-invalid"),
        ("http://h/\x00x", "url.control-character"),
        ("http://h/?\x1b[0m", "url.control-character"),
        ("http://h/\x7fx", "url.control-character"),
        ("http://h/\udc80", "url.not-unicode"),
        ("http://h/" + "x" * 100_000, "url.too-long"),
    ],
)
def test_what_is_no_http_url_is_refused_with_a_reason(raw: str, code: str) -> None:
    """X8: no scheme guessed, no port let through, nothing raised."""
    error = normalize(raw)
    assert isinstance(error, UrlError)
    assert error.code == code


def test_a_refusal_points_into_the_string_as_given() -> None:
    raw = "  http://user@h:99999/"
    error = normalize(raw)
    assert isinstance(error, UrlError)
    assert error.position == raw.index("99999")
    wrapped = normalize("http://h\n:99999/")
    assert isinstance(wrapped, UrlError)
    assert wrapped.position is None


def test_hosts_that_dns_cannot_hold_are_refused(rows: Callable[[str], list[dict[str, JsonValue]]]) -> None:
    for row in rows("wpt/verifydnslength_tests.json"):
        result = normalize(str(row["input"]))
        assert isinstance(result, UrlError) == row["failure"], row["input"]


def test_the_fragment_is_kept_beside_the_identity() -> None:
    """R023, X3: always a locator."""
    for raw, fragment in (("http://h/", None), ("http://h/#", ""), ("http://h/#a#b%20é", "a#b%20é")):
        result = normalize(raw)
        assert isinstance(result, Normalized)
        assert (result.url, result.fragment) == ("http://h/", fragment)


def test_removed_userinfo_is_told_and_never_shown() -> None:
    """R022."""
    result = normalize("http://me:secret@h/")
    assert isinstance(result, Normalized)
    assert result.userinfo_removed
    assert "secret" not in repr(result)


def test_the_trace_names_each_step_in_order() -> None:
    result = normalize(" HTTP://u@Bücher.de:80?UTM_a=1&x&utm_b&UTM_a=2#f")
    assert isinstance(result, Normalized)
    assert result.trace == (
        "trim", "scheme", "userinfo", "host", "port", "empty-path",
        "drop-parameter UTM_a", "drop-parameter utm_b", "fragment",
    )  # fmt: skip


def test_the_trace_does_not_grow_with_a_hostile_key() -> None:
    result = normalize("http://h/?utm_" + "x" * 60_000)
    assert isinstance(result, Normalized)
    assert sum(map(len, result.trace)) < 200


def test_rfc_3986_6_2_3_equivalents_get_one_identity(rows: Callable[[str], list[dict[str, JsonValue]]]) -> None:
    """R030: scheme-based normalization holds; 6.2.2 (percent-encoding, dot segments) is not attempted."""
    found = [row for row in rows("rfc3986/equivalence_6_2.json") if row["section"] == "6.2.3"]
    assert found
    for row in found:
        assert identity(str(row["a"])) == identity(str(row["b"]))


def test_samples_of_another_canonicaliser_are_idempotent_or_refused(urls_data: Path) -> None:
    samples = json.loads((urls_data / "urlcanon" / "idempotence.json").read_text(encoding="utf-8"))
    results = [normalize(raw) for raw in samples]
    accepted = [result.url for result in results if isinstance(result, Normalized)]
    assert accepted
    assert [identity(url) for url in accepted] == accepted


def test_a_stored_string_is_accepted_as_identity_only_if_it_is_one() -> None:
    assert read_normalized("http://h/?a b") == "http://h/?a b"
    for text in ("http://H/", "http://h/#x", "http://h/#", "http://h/?utm_x=1", " http://h/"):
        error = read_normalized(text)
        assert isinstance(error, UrlError)
        assert error.code == "url.not-normalized"
    broken = read_normalized("nonsense")
    assert isinstance(broken, UrlError)
    assert broken.code == "url.no-scheme"


def test_a_citation_policy_makes_no_identity() -> None:
    """X1: two policies, two types."""
    with pytest.raises(ValueError, match="no policy for normalized URLs"):
        normalize("http://h/", citation_index_1())
