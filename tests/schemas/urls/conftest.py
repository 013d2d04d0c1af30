"""Third-party suites about URLs, the file of declared deviations, and strings that look like URLs."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import strategies as st
from pydantic import JsonValue

DEVIATIONS = Path(__file__).with_name("deviations.toml")
_URL = re.compile(r"https?:", re.IGNORECASE)


@pytest.fixture(scope="session")
def urls_data(conformance_data: Path) -> Path:
    """Folder of the suites about URLs."""
    return conformance_data / "urls"


@pytest.fixture(scope="session")
def rows(urls_data: Path) -> Callable[[str], list[dict[str, JsonValue]]]:
    """The test cases of a suite that is a list of objects; comment strings are left out."""

    def read(name: str) -> list[dict[str, JsonValue]]:
        document = json.loads((urls_data / name).read_text(encoding="utf-8"))
        found = [row for row in document if isinstance(row, dict)]
        assert found, f"{name} holds no test case"
        return found

    return read


@pytest.fixture(scope="session")
def pairs(urls_data: Path) -> Callable[[str], dict[str, JsonValue]]:
    """A suite that is one object, input to expected value."""

    def read(name: str) -> dict[str, JsonValue]:
        document = json.loads((urls_data / name).read_text(encoding="utf-8"))
        assert isinstance(document, dict)
        assert document, f"{name} holds no test case"
        return document

    return read


@pytest.fixture(scope="session")
def declared() -> dict[str, list[dict[str, str]]]:
    """The file of deviations: `deviation`, `claimed` and `declined` entries."""
    document: dict[str, list[dict[str, str]]] = tomllib.loads(DEVIATIONS.read_text(encoding="utf-8"))
    return document


@pytest.fixture(scope="session")
def expect_only_declared(
    declared: dict[str, list[dict[str, str]]],
) -> Callable[[str, Iterable[tuple[str, object, object]]], None]:
    """Check (input, expected, got) of a suite: what differs is declared, and what is declared differs.

    An entry names one `input`, or a kind: every input that is `containing` a text, of which at least one
    has to differ.
    """

    def check(suite: str, results: Iterable[tuple[str, object, object]]) -> None:
        entries = [entry for entry in declared["deviation"] if entry["suite"] == suite]
        single = {entry["input"] for entry in entries if "input" in entry}
        kinds = [entry["containing"] for entry in entries if "containing" in entry]
        unseen_kinds = set(kinds)
        differing: dict[str, str] = {}
        seen: set[str] = set()
        for given, expected, got in results:
            seen.add(given)
            if expected != got:
                differing[given] = f"{given!r}: expected {expected!r}, got {got!r}"
                unseen_kinds -= {kind for kind in kinds if kind in given}
        of_a_kind = {given for given in differing if any(kind in given for kind in kinds)}
        undeclared = [text for given, text in differing.items() if given not in single | of_a_kind]
        assert undeclared == []
        assert single & seen - differing.keys() == set(), "declared deviations that are none"
        assert unseen_kinds == set(), "declared kinds of deviation that nothing shows"

    return check


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry)
    elif isinstance(value, dict):
        yield from value
        for entry in value.values():
            yield from _strings(entry)


@pytest.fixture(scope="session")
def sample_strings(urls_data: Path) -> list[str]:
    """Every string in every suite about URLs, expected values and comments too: input for laws."""
    found: dict[str, None] = {}
    for path in sorted(urls_data.rglob("*.json")):
        found |= dict.fromkeys(_strings(json.loads(path.read_text(encoding="utf-8"))))
    for path in sorted(urls_data.rglob("*.csv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            found |= dict.fromkeys(line.split(", "))
    assert len(found) > 2000
    return list(found)


@pytest.fixture(scope="session")
def sample_urls(sample_strings: list[str]) -> list[str]:
    """Those of the sample strings that begin like an http or https URL."""
    return [text for text in sample_strings if _URL.match(text.strip())]


_LETTERS = "aZ0é%/?#&=:@.[]() \t\n\\;,'\"+-_~|<>^`{}!*$\x00\x7f\u00a0\u2028\u3002\U0001f600"
_HOSTS = [
    "example.com", "WWW.Example.COM", "www2.example.org.", "..a..b..", "a_b.example", "xn--bcher-kva.de", "bücher.de",
    "straße.de", "日本。jp", "ex%41mple.com", "%e6%97%a5.jp", "h%2520x", "127.0.0.1", "0x7f.1", "1", "0300.0250.1",
    "1.2", "[2001:DB8::1]", "[::1]", "[::1", "u:p@example.com", "u@v@example.com", "", "www.", "a b.com", "x\ty.com",
]  # fmt: skip
_SEGMENTS = [
    "a", "B", "", ".", "..", "%2e", "%2E%2e", "%252525", "a%20b", "%E9", "é", "x.aspx", "%3f", "%23", "a;b", "|", "\\",
    "a b", "%zz", "%", "http:", "https:", "(0123456789abcdefghijklmn)", "(S(0123456789abcdefghijklmn))", "\u00a0", "~",
]  # fmt: skip
_PIECES = [
    "a=1", "B=2", "a", "a=", "", "utm_source=x", "UTM_medium=y", "utm%5Fcampaign=z", "utm_=", "gclid=1", "FBCLID=2",
    "mc_cid=3", "mc_eid=4", "ref=x", "source=y", "list=PL1", "v=dQw4w9WgXcQ", "q=%FF", "a%20b=c+d", "b=1;utm_x=2", "=",
    "x=? ", " ", "é=ß", "sid=0123456789abcdefghijklmnopqrstuv", "cfid=1", "cftoken=2", "jsessionid=" + "0aB1" * 8,
]  # fmt: skip
_SCHEMES = ["http://", "https://", "HTTP://", "hTTps:", "http:/", "http:\\\\", "https:///", " http://", "ht\ntp://", ""]


def _url(scheme: str, host: str, port: str, path: list[str], query: list[str] | None, fragment: str | None) -> str:
    text = scheme + host + port + "".join("/" + segment for segment in path)
    text += "" if query is None else "?" + "&".join(query)
    return text + ("" if fragment is None else "#" + fragment)


def _with_insertion(url: str, letter: str, place: int) -> str:
    place %= len(url) + 1
    return url[:place] + letter + url[place:]


@pytest.fixture(scope="session")
def url_strings() -> st.SearchStrategy[str]:
    """Strings built from the parts that have broken URL code before, some with a stray character anywhere."""
    urls = st.builds(
        _url,
        st.sampled_from(_SCHEMES),
        st.sampled_from(_HOSTS),
        st.sampled_from(["", "", "", ":", ":80", ":443", ":8080", ":0", ":00080", ":99999", ":x"]),
        st.lists(st.sampled_from(_SEGMENTS), max_size=6),
        st.none() | st.lists(st.sampled_from(_PIECES), max_size=6),
        st.none() | st.sampled_from(["", "top", "!/route", "/route", ":~:text=x", "a b ", "é"]),
    )
    return urls | st.builds(_with_insertion, urls, st.sampled_from(_LETTERS), st.integers(0, 200))


@pytest.fixture(scope="session")
def any_strings(url_strings: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Whatever a stranger may hand in: URL-like strings and plain garbage, lone surrogates included."""
    everything = st.text(st.characters(exclude_categories=()), max_size=60)
    return url_strings | everything | everything.map(lambda text: "http://" + text)
