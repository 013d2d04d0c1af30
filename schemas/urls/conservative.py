"""`NormalizedUrl`: which resource a URL names, by rules that hold on every web server.

Two URLs get one identity only if no server can tell them apart, or if they differ in a parameter that
the policy names. A false merge would be a false citation, so dot segments, percent-encoding, letter
case of the path, trailing slashes, repeated slashes and parameter order are left as they are (R025,
R027-R030), and anything stronger is a policy of its own (R031).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from schemas.urls.error import UrlError
from schemas.urls.identity import NormalizedUrl
from schemas.urls.location import SURROUNDING, read_http_url
from schemas.urls.parameters import without_parameters
from schemas.urls.percent import encode_for_wire
from schemas.urls.policy import UrlPolicy, conservative_1
from schemas.urls.wire import wire_url

__all__ = ["Normalized", "normalize", "read_normalized", "sealed", "wire_url"]

MAX_KEY_IN_TRACE: Final = 64
"""Characters of a dropped key that the trace shows; keys come from strangers."""


@dataclass(frozen=True, slots=True)
class Normalized:
    """An identity, what was set apart from it, and why it differs from the string that was given."""

    url: NormalizedUrl
    fragment: str | None
    """Raw, without `#`: a locator within the resource, never part of this identity (R023, X3). None: no `#`."""
    userinfo_removed: bool
    trace: tuple[str, ...]
    """Steps that changed something, in order; `drop-parameter KEY` for each distinct key that went."""


def normalize(raw: str, policy: UrlPolicy | None = None) -> Normalized | UrlError:
    """Identity of an http(s) URL under a policy, `conservative@1` unless another is given (R020-R030, X8).

    Idempotent; a URL that needs no change comes back as it was. Only the query is searched for
    parameters, only names of the policy go.
    """
    location = read_http_url(raw)
    if isinstance(location, UrlError):
        return location
    rules = policy or conservative_1()
    if rules.identity != "normalized-url":
        raise ValueError(f"{rules.name} is no policy for normalized URLs")
    query, dropped = without_parameters(location.query, rules.parameter_names)
    before = location.origin + location.path + ("" if query is None else "?" + query)
    url = sealed(before)
    trace = location.steps + tuple(f"drop-parameter {key[:MAX_KEY_IN_TRACE]}" for key in dropped)
    if location.fragment is not None:
        trace += ("fragment",)
    if url != before:
        trace += ("seal-end",)
    return Normalized(NormalizedUrl(url), location.fragment, location.userinfo is not None, trace)


def read_normalized(text: str, policy: UrlPolicy | None = None) -> NormalizedUrl | UrlError:
    """Accept a stored string as an identity only if it is one: `normalize` must give back the same string."""
    again = normalize(text, policy)
    if isinstance(again, UrlError):
        return again
    if again.url != text or again.fragment is not None:
        changes = ", ".join(again.trace)[:200]
        return UrlError("url.not-normalized", f"the URL is not normalized ({changes}); store what normalize gives")
    return again.url


def sealed(url: str) -> str:
    """Percent-encode whitespace that has become the end of a URL.

    `/a #top` loses its fragment; the space before it belongs to the path and is sent as `%20`, but at
    the end of a string it would be trimmed by the next reader, and `/a` is another resource.
    """
    body = url.rstrip(SURROUNDING)
    return url if len(body) == len(url) else body + encode_for_wire(url[len(body) :])
