"""The short ways for usual URLs give what the long ways give."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.urls import request, surt, wire
from schemas.urls.conservative import Normalized
from schemas.urls.identity import NormalizedUrl
from schemas.urls.policy import conservative_1

_HOSTS = st.from_regex(
    r"(www[0-9]?\.)?([a-z0-9-]{1,5}\.){0,3}[a-z0-9]{1,5}|[0-9]{1,3}(\.[0-9]{1,3}){3}|xn--[a-z]{3}", fullmatch=True
)
_PORTS = st.sampled_from(["", ":", ":80", ":443", ":8080", ":65535", ":65536", ":099", ":18990"])
_PATHS = st.text(alphabet="aB1/._-~%()\\ é|#", max_size=12)
_QUERIES = st.one_of(st.none(), st.text(alphabet="aB=&.-_19%sid", max_size=16), st.just("PHPSESSID=" + "a" * 32))


@st.composite
def _urls(draw: st.DrawFn) -> str:
    query = draw(_QUERIES)
    path = draw(st.one_of(st.just(""), _PATHS.map(lambda path: "/" + path)))
    tail = "" if query is None else "?" + query
    return f"{draw(st.sampled_from(['http', 'https', 'HTTP']))}://{draw(_HOSTS)}{draw(_PORTS)}{path}{tail}"


@settings(max_examples=400)
@given(_urls())
def test_a_usual_url_goes_over_the_wire_as_the_long_way_says(url: str) -> None:
    assert wire.wire_url(url) == wire._read_for_the_wire(url)


@settings(max_examples=400)
@given(_urls())
def test_a_usual_url_has_the_key_that_the_long_way_gives(url: str) -> None:
    assert surt.url_key(url) == surt._any_key(url)


@settings(max_examples=100)
@given(st.from_regex(wire._AS_IT_IS, fullmatch=True), st.from_regex(surt._USUAL, fullmatch=True))
def test_whatever_the_short_ways_take_they_take_rightly(sendable: str, usual: str) -> None:
    if "#" not in sendable:
        assert wire._read_for_the_wire(sendable) == sendable
    assert surt.url_key(usual) == surt._any_key(usual)


def test_usual_urls_do_take_the_short_ways() -> None:
    url = "https://www.example.org/news/2026/a-story.html?id=7&page=2"
    assert wire._AS_IT_IS.fullmatch(url)
    assert surt._USUAL.fullmatch(url)


_AS_ASKED = st.one_of(
    _urls(),
    st.builds(
        "{}{}{}{}".format,
        st.sampled_from(
            ["https://a.test/", "https://a.test", "http://a.test:80/", "https://u:p@a.test/", " https://a.test/"]
        ),
        st.text(alphabet='aB1/\\ .?#%\t\né\x85\u2028"', max_size=6),
        st.sampled_from(
            ["", "?", "?utm_x=1", "?UTM_x=1", "?a&fbclid=2", "?%75tm_x=1", "?u\u212a=1", "?mc_cid", "?a=gclid"]
        ),
        st.sampled_from(["", "#", "#x", "&gclid=%20", " ", "\\"]),
    ),
)


@settings(max_examples=600)
@given(_AS_ASKED)
def test_a_url_that_names_itself_is_what_the_long_way_says(url: str) -> None:
    long_way = request._read_for_identity(url)
    assert request.identity_of_request(url) == long_way
    if request.names_itself(url):
        assert long_way == Normalized(NormalizedUrl(url), None, False, ())


@given(_QUERIES, st.sampled_from(["utm_source=1", "a=utm", "FbClid", "%66bclid=1", "f+bclid"]))
def test_a_query_that_can_hold_no_named_parameter_is_not_cut_up(query: str | None, piece: str) -> None:
    text = f"{query or ''}&{piece}"
    names = conservative_1().parameter_names
    dropped = [part for part in text.split("&") if part and names.names(part.partition("=")[0])]
    assert not dropped or names.may_be_in(text)


def test_usual_urls_do_name_themselves() -> None:
    for url in (
        "https://www.example.org/news/2026/a-story.html?id=7&page=2",
        "http://127.0.0.1:8081/",
        "https://[::1]/x",
    ):
        assert request.names_itself(url)
    assert not request.names_itself("https://a.test/" + "x" * request.MAX_RECORDED_CHARS)
