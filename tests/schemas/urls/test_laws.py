"""Laws that hold for every string, on generated and on third-party input."""

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.urls.citation import citation_url
from schemas.urls.conservative import Normalized, normalize, read_normalized, wire_url
from schemas.urls.error import UrlError
from schemas.urls.location import SURROUNDING
from schemas.urls.parameters import ParameterNames
from schemas.urls.parse import ParsedUrl, parse
from schemas.urls.policy import conservative_1
from schemas.urls.split import split

THOROUGH = settings(deadline=None, max_examples=300)


def check_idempotent(raw: str) -> None:
    first = normalize(raw)
    if isinstance(first, UrlError):
        return
    again = normalize(first.url)
    assert isinstance(again, Normalized)
    assert again.url == first.url
    assert (again.fragment, again.userinfo_removed, again.trace) == (None, False, ())
    assert read_normalized(first.url) == first.url


def check_citation_idempotent(raw: str) -> None:
    first = normalize(raw)
    if isinstance(first, UrlError):
        return
    citation = citation_url(first.url, first.fragment)
    again = normalize(citation.value)
    assert isinstance(again, Normalized)
    assert citation_url(again.url, again.fragment).value == citation.value


def check_request_is_what_the_parser_means(raw: str) -> None:
    """Host, port and path of the request are those of the WHATWG parser, so no other server is asked.

    Less the whitespace around the URL, of which we take more away (R026), and backslashes, which the
    parser makes slashes of.
    """
    sent, parsed = wire_url(raw), parse(raw.strip(SURROUNDING))
    if isinstance(sent, UrlError) or isinstance(parsed, UrlError):
        return
    again = parse(sent)
    assert isinstance(again, ParsedUrl)
    assert sent.isascii()
    assert " " not in sent
    assert (again.scheme, again.host, again.port) == (parsed.scheme, parsed.host, parsed.port)
    assert (again.username, again.password, again.fragment) == ("", "", None)
    if "\\" not in raw:
        assert again.path == parsed.path
        assert again.query == parsed.query


def check_identity_names_the_request(raw: str) -> None:
    """What is named and what is fetched agree, from the string as given and from the request alike."""
    identity, sent = normalize(raw), wire_url(raw)
    if isinstance(identity, UrlError) or isinstance(sent, UrlError):
        assert sent == identity
        return
    dropped = any(step.startswith("drop-parameter") for step in identity.trace)
    assert dropped or wire_url(identity.url) == sent
    of_the_request = normalize(sent)
    assert isinstance(of_the_request, Normalized)
    assert wire_url(of_the_request.url) == wire_url(identity.url)


@THOROUGH
@given(data=st.data())
def test_normalize_is_idempotent(any_strings: st.SearchStrategy[str], data: st.DataObject) -> None:
    """X8."""
    check_idempotent(data.draw(any_strings))


@THOROUGH
@given(data=st.data())
def test_citation_is_idempotent(any_strings: st.SearchStrategy[str], data: st.DataObject) -> None:
    check_citation_idempotent(data.draw(any_strings))


@THOROUGH
@given(data=st.data())
def test_the_request_is_what_the_parser_means(any_strings: st.SearchStrategy[str], data: st.DataObject) -> None:
    check_request_is_what_the_parser_means(data.draw(any_strings))


@THOROUGH
@given(data=st.data())
def test_identity_and_request_never_drift_apart(any_strings: st.SearchStrategy[str], data: st.DataObject) -> None:
    check_identity_names_the_request(data.draw(any_strings))


@THOROUGH
@given(host=st.from_regex(r"\A([a-z0-9-]{1,8}\.){0,3}[a-z0-9-]{1,8}\Z"))
def test_a_host_that_is_not_handed_to_the_parser_is_one_that_it_would_not_change(host: str) -> None:
    identity, parsed = normalize(f"http://{host}/"), parse(f"http://{host}/")
    assert isinstance(identity, Normalized) == isinstance(parsed, ParsedUrl)
    if isinstance(identity, Normalized) and isinstance(parsed, ParsedUrl):
        assert identity.url == parsed.href


@THOROUGH
@given(query=st.text(st.sampled_from("ab=&;%5F_utmUTMgclid?/é +"), max_size=40))
def test_a_query_loses_whole_named_pieces_and_nothing_else(query: str) -> None:
    """R024, R025, R027, X8: against the plain statement of the rule."""
    identity = normalize(f"http://h/?{query}|")
    assert isinstance(identity, Normalized)
    names: ParameterNames = conservative_1().parameter_names
    pieces = f"{query}|".split("&")
    kept = [piece for piece in pieces if not names.names(piece.split("=")[0])]
    assert split(identity.url).query == ("&".join(kept) if kept else None)


def test_the_laws_hold_on_every_string_of_the_suites(sample_strings: list[str]) -> None:
    for raw in sample_strings:
        candidate = raw if ":" in raw[:9] else "http://h/" + raw
        check_idempotent(candidate)
        check_citation_idempotent(candidate)
        check_request_is_what_the_parser_means(candidate)
        check_identity_names_the_request(candidate)
