"""SURT keys: written down case by case, without the peer (contracts, CDXJ)."""

import time
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from schemas.urls.percent import unescape_fully
from schemas.urls.surt import url_key
from schemas.urls.surt_session import without_path_session

ID32 = "0123456789abcdefABCDEF0123456789"
ID24 = "0123456789abcdefghijKLMN"

KEYS = [
    ("host reversed", "http://a.b.example.org/", "org,example,b,a)/"),
    ("no path", "http://example.org", "org,example)/"),
    ("www", "https://www.example.org/", "org,example)/"),
    ("www with digits", "http://www12.example.org/", "org,example)/"),
    ("www alone", "http://www/", "www)/"),
    ("case", "HTTP://Example.ORG/Path?Q=A", "org,example)/path?q=a"),
    ("default ports", "https://example.org:443/", "org,example)/"),
    ("port of the other scheme", "http://example.org:443/", "org,example:443)/"),
    ("port", "http://example.org:08080/", "org,example:8080)/"),
    ("port 0", "http://example.org:0/", "org,example)/"),
    ("userinfo and fragment", "http://u:p@example.org/#x", "org,example)/"),
    ("IPv4", "http://127.0.0.1/", "1,0,0,127)/"),
    ("IPv4 as one number", "http://2130706433/", "1,0,0,127)/"),
    ("IPv4 in octal", "http://0177.0.0.01/", "1,0,0,127)/"),
    ("short IPv4", "http://127.1/", "1,0,0,127)/"),
    ("number too large for an address", "http://300.1.2.3/", "3,2,1,300)/"),
    ("no octal number", "http://1.099/", "099,1)/"),
    ("no IPv4", "http://1.2.3.4.5/", "5,4,3,2,1)/"),
    ("IPv6", "http://[2001:DB8::1]:8080/a", "2001:db8::1:8080)/a"),
    ("dots", "http://..example..org../", "org,example)/"),
    ("IDNA", "http://bücher.de/", "de,xn--bcher-kva)/"),
    ("path dots and slashes", "http://h/a/./b//../c//d/", "h)/a/b/c/d"),
    ("trailing slash", "http://h/a/", "h)/a"),
    ("only one trailing slash", "http://h/a//", "h)/a"),
    ("escapes undone and done", "http://h/%41%2520%7e%C3%A9|é", "h)/a%20~%c3%a9|%c3%a9"),
    ("parameters sorted", "http://h/?b=2&a=1&a&a=", "h)/?a&a=&a=1&b=2"),
    ("empty query", "http://h/?", "h)/"),
    ("empty piece", "http://h/?a&", "h)/?&a"),
    ("session ids", f"http://h/?a=1&PHPSESSID={ID32}&b=2", "h)/?a=1&b=2"),
    ("session id at the end", f"http://h/?a=1&jsessionid={ID32}", "h)/?&a=1"),
    ("only a session id", f"http://h/?sid={ID32}", "h)/"),
    ("cold fusion", "http://h/?a=1&cfid=2&cftoken=3&b", "h)/?a=1&b"),
    ("path session", f"http://h/(S({ID24}))/p.aspx", "h)/p.aspx"),
    ("plain path session", f"http://h/x/({ID24})/p.ASPX?a", "h)/x/p.aspx?a"),
    ("not before another page", f"http://h/({ID24})/p.html", f"h)/({ID24.lower()})/p.html"),
    ("no scheme", "example.org/a", "org,example)/a"),
    ("two schemes", "http://https://example.org/", "org,example)/"),
    ("one slash", "http:/example.org/a", "org,example)/a"),
    ("whitespace", " http://exam\nple.org/a b ", "org,example)/a%20b"),
    ("no URL", "", "-"),
    ("another scheme", "urn:uuid:ABC", "urn:uuid:abc"),
    ("record of the file itself", "filedesc://Some.arc", "filedesc://Some.arc"),
]


@pytest.mark.parametrize(("url", "key"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS])
def test_a_url_has_this_key(url: str, key: str) -> None:
    assert url_key(url) == key


@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_every_string_has_a_key_without_blanks(any_strings: st.SearchStrategy[str], data: st.DataObject) -> None:
    key = url_key("http://" + data.draw(any_strings))
    assert key
    assert key.isascii()
    assert not set(" \t\n\r") & set(key)


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("%25aF4106é"), max_size=40).map(lambda text: text.encode()))
def test_unescaping_in_one_pass_equals_unescaping_again_and_again(data: bytes) -> None:
    expected = data
    while (shorter := unquote_to_bytes(expected)) != expected:
        expected = shorter
    assert unescape_fully(data) == expected


@pytest.mark.parametrize(
    "url",
    [
        "http://h/" + "%25" * 20_000,
        "http://" + "%25" * 20_000 + "/",
        "http://h/?" + "cfid=" * 13_000,
        "http://h/?" + "sid=" * 16_000,
        "http://h" + f"/({ID24})" * 2_300 + "/",
        "http://h" + f"/(a({ID24}))" * 2_000 + "/",
        "http://h/" + "../" * 20_000,
        "http://" + "9" * 60_000 + "/",
        "http://" + "0." * 30_000 + "/",
        "http://h/?" + "a&" * 30_000,
        "http://" + "ü" * 30_000 + ".de/",
    ],
    ids=lambda url: url[:24],
)
def test_a_hostile_url_costs_no_more_than_its_length(url: str) -> None:
    started = time.perf_counter()
    url_key(url)
    assert time.perf_counter() - started < 2


def test_unescaping_equals_that_of_two_archives(
    rows: Callable[[str], list[dict[str, JsonValue]]], pairs: Callable[[str], dict[str, JsonValue]]
) -> None:
    cases = [
        (strings[1], strings[0])
        for row in rows("webarchive-commons/canonicalizer_pairs.json")
        if "unescapeRepeatedly" in str(row["shape"]) and isinstance(strings := row["strings"], list)
    ]
    table = pairs("urlcanon/surt.json")["unescapeRepeatedly"]
    assert isinstance(table, dict)
    cases += table.items()
    assert len(cases) >= 4
    for given_, expected in cases:
        assert unescape_fully(str(given_).encode()) == str(expected).encode()


def _archive_case(shape: str, one: str, other: str) -> tuple[str, str] | None:
    """Expected and given of a Java pair as keys or parts of keys; None for a function that we do not have."""
    if "checkCanonicalization" in shape or "compCan" in shape:
        return url_key(one), url_key(other)  # two spellings of one page
    if "massageHost" in shape:
        return url_key(f"http://{one}/"), url_key(f"http://{other}/")
    if "attemptIPFormats" in shape:
        return ",".join(reversed(one.split("."))) + ")/", url_key(f"http://{other}/")
    if "alphaReorderQuery" in shape:
        return f"h)/?{one}", url_key(f"http://h/?{other}")
    if "checkStripPathSessionID" in shape:
        return one.lower(), without_path_session(other.lower().encode()).decode()
    if "makeKey" in shape:
        return one, url_key(other)
    return None


def test_the_java_canonicalisers_agree_where_both_have_a_function(
    rows: Callable[[str], list[dict[str, JsonValue]]],
    expect_only_declared: Callable[[str, list[tuple[str, object, object]]], None],
) -> None:
    suite = "webarchive-commons/canonicalizer_pairs.json"
    results: list[tuple[str, object, object]] = []
    for row in rows(suite):
        strings = row["strings"]
        assert isinstance(strings, list)
        case = _archive_case(str(row["shape"]), str(strings[0]), str(strings[1]))
        if case is not None:
            results.append((str(strings[1]), *case))
    assert len(results) >= 15
    expect_only_declared(suite, results)


def test_urlcanons_surt_functions_agree_where_both_have_them(pairs: Callable[[str], dict[str, JsonValue]]) -> None:
    suite = pairs("urlcanon/surt.json")
    tables = {name: table for name, table in suite.items() if isinstance(table, dict)}
    for query, expected in tables["alphaRorderQuery"].items():
        assert url_key(f"http://h/?{query}") == f"h)/?{expected}"
    for host, expected in tables["massageHost"].items():
        assert url_key(f"http://{host}/") == url_key(f"http://{expected}/")
    for path, expected in tables["stripPathSessionId"].items():
        assert without_path_session(path.lower().encode()) == str(expected).lower().encode()
    for url, expected in tables["defaultIASurt"].items():
        if url.startswith("http"):
            assert url_key(url) == str(expected).removeprefix("http://(").removeprefix("https://(")
