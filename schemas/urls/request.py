"""Which resource a URL is, as somebody asks for it: the identity of the request, not of its spelling.

A raw `ü` and `%C3%BC` are one request, hence one record and one resource. So a URL goes into its wire form
first and then through `conservative@1`. What is set apart from a spelling (fragment, userinfo) is still told.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from schemas.urls.conservative import Normalized, normalize
from schemas.urls.error import UrlError
from schemas.urls.identity import NormalizedUrl
from schemas.urls.parameters import without_parameters
from schemas.urls.policy import conservative_1
from schemas.urls.wire import wire_url

MAX_RECORDED_CHARS = 30_000
"""A longer target does not fit a record header that every WARC reader takes (32 KiB with all other fields)."""


ORIGINS_REMEMBERED = 65_536
"""Some 10 MB. A long list names a host again and again."""


def identity_of_request(requested: str) -> Normalized | UrlError:
    """Identity of the URL that is sent for a URL as asked, or why there can be no such request."""
    if names_itself(requested):
        return Normalized(NormalizedUrl(requested), None, False, ())
    return _read_for_identity(requested)


def names_itself(requested: str) -> bool:
    """Whether a URL is its own identity, found with a few looks at the string. True is certain: the long way gives back
    the same URL, with nothing set apart. False only says that it takes the long way to know."""
    end = requested.find("/", 8)
    if (
        end < 0
        or len(requested) > MAX_RECORDED_CHARS
        or not (requested.isascii() and requested.isprintable())
        or "#" in requested
        or " " in requested
        or "\\" in requested
        or not _is_its_own_origin(requested[:end])
    ):
        return False
    question_mark = requested.find("?", end)
    return (
        question_mark < 0 or not without_parameters(requested[question_mark + 1 :], conservative_1().parameter_names)[1]
    )


def _read_for_identity(requested: str) -> Normalized | UrlError:
    """The same for any string."""
    as_given = normalize(requested)
    if isinstance(as_given, UrlError):
        return as_given
    wired = wire_url(requested)
    if isinstance(wired, UrlError):
        return wired
    if len(wired) > MAX_RECORDED_CHARS:
        return UrlError("url.too-long", f"the URL is sent as {len(wired)} characters, a WARC record holds 30,000")
    if wired == requested:
        return as_given
    sent = normalize(wired)
    return sent if isinstance(sent, UrlError) else replace(as_given, url=sent.url)


@lru_cache(maxsize=ORIGINS_REMEMBERED)
def _is_its_own_origin(origin: str) -> bool:
    """Whether `scheme://host:port`, with a slash behind it, is its own identity."""
    url = origin + "/"
    return _read_for_identity(url) == Normalized(NormalizedUrl(url), None, False, ())
