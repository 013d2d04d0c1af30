"""What the WHATWG parser makes of a URL (URL Standard, 4.4), and the resolution of references.

ada-url does the parsing. Its serialisation (`href`) is for comparison and display; it rewrites `..`,
quotes, backslashes, spaces and non-ASCII, so it is never an identity and never what is fetched.
Nothing here raises on garbage: a string that is no URL comes back as a `UrlError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ada_url import URL

from schemas.urls.error import UrlError, excerpt
from schemas.urls.split import JUNK, RawUrl, split

MAX_URL_CHARS: Final = 65_536
"""Longest accepted URL, in code points as handed in. Browsers and servers stop long before."""
_WRAPPING = str.maketrans("", "", "\t\n\r")
_MAX_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    """The parts of a URL as the standard's URL record has them; a part that is null there is None or ""."""

    href: str
    scheme: str
    """Lower-case, without colon."""
    username: str
    password: str
    host: str
    """ASCII; IPv6 in brackets; "" where the scheme has no host."""
    port: int | None
    """None where it is absent or the scheme's default."""
    path: str
    query: str | None
    """Without `?`; "" for a URL that ends in `?`."""
    fragment: str | None


def parse(raw: str, base: str | None = None) -> ParsedUrl | UrlError:
    """Parse any string, against a base where one is given."""
    refusal = unreadable(raw)
    if refusal is not None:
        return refusal
    if base is not None:
        outer = parse(base)
        if isinstance(outer, UrlError):
            return UrlError("url.base-invalid", f"the base URL cannot be used: {outer.message}")
    try:
        url = URL(raw, base)
    except ValueError:
        return explain(split(raw))
    href = url.href
    before, hash_mark, fragment = href.partition("#")
    _, question_mark, query = before.partition("?")
    return ParsedUrl(
        href=href,
        scheme=url.protocol[:-1],
        username=url.username,
        password=url.password,
        host=url.hostname,
        port=int(url.port) if url.port else None,
        path=url.pathname,
        query=query if question_mark else None,
        fragment=fragment if hash_mark else None,
    )


def resolve(base: str, reference: str) -> str | UrlError:
    """The target of a reference (a redirect's `Location`, a link) with the bytes that were given.

    RFC 3986, 5.2.2 on raw slices: dot segments of the reference go, every other character stays. The
    result must mean the same as what the WHATWG parser makes of the two; where it would not (the
    reference uses a form that only the standard's parser understands), the parser's own
    serialisation is given. The fragment is the reference's own; a redirect without one inherits the
    old one (RFC 9110, 10.2.2), which is for the caller to do.
    """
    parsed = parse(reference, base)
    if isinstance(parsed, UrlError):
        return parsed
    candidate = _resolve_slices(split(base), split(reference)).translate(_WRAPPING)
    again = parse(candidate)
    same = not isinstance(again, UrlError) and again.href == parsed.href
    return candidate if same else parsed.href


def _resolve_slices(base: RawUrl, reference: RawUrl) -> str:
    """RFC 3986, 5.2.2 (transform references) and 5.3 (recomposition), fragments included."""
    if reference.scheme is not None and (reference.host or reference.scheme.lower() != (base.scheme or "").lower()):
        return _recompose(reference.scheme, reference, _without_dots(reference.path), reference.query, reference)
    if reference.host:
        return _recompose(base.scheme, reference, _without_dots(reference.path), reference.query, reference)
    if reference.path[:1] in ("/", "\\"):
        return _recompose(base.scheme, base, _without_dots(reference.path), reference.query, reference)
    if reference.path:
        return _recompose(base.scheme, base, _without_dots(_merged(base, reference)), reference.query, reference)
    query = base.query if reference.query is None else reference.query
    return _recompose(base.scheme, base, base.path, query, reference)


def _recompose(scheme: str | None, authority: RawUrl, path: str, query: str | None, end: RawUrl) -> str:
    return RawUrl(
        "", scheme, authority.slashes, authority.userinfo, authority.host, authority.port, path, query, end.fragment, ""
    ).joined()


def _merged(base: RawUrl, reference: RawUrl) -> str:
    """RFC 3986, 5.2.3: the reference's path takes the place of the base's last segment."""
    if base.host and not base.path:
        return "/" + reference.path
    return base.path[: base.path.rfind("/") + 1] + reference.path


def _without_dots(path: str) -> str:
    """RFC 3986, 5.2.4, for paths that begin with a slash; any other path stays as it is."""
    if not path.startswith("/") or "/." not in path:
        return path
    kept: list[str] = []
    segments = path[1:].split("/")
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def unreadable(raw: str) -> UrlError | None:
    """Refuse what no parser should be given: a string over the limit, empty, or not Unicode text."""
    if len(raw) > MAX_URL_CHARS:
        return UrlError(
            "url.too-long",
            f"the URL has {len(raw)} characters, {MAX_URL_CHARS} are accepted; shorten it",
            MAX_URL_CHARS,
        )
    if raw.isascii():
        return None
    try:
        raw.encode()
    except UnicodeEncodeError as error:
        return UrlError(
            "url.not-unicode",
            f"character {error.start} is a lone surrogate, which no URL can hold; decode the source as UTF-8 again",
            error.start,
        )
    return None


def explain(parts: RawUrl) -> UrlError:
    """Say why a URL was refused, from its slices. Never quotes userinfo."""
    if parts.scheme is None:
        text = parts.joined().strip(JUNK)
        shown = "the URL" if "@" in text else excerpt(text)
        return UrlError("url.no-scheme", f"{shown} has no scheme; write it with http:// or https:// in front", 0)
    if not parts.host and parts.scheme.lower() != "file":
        return UrlError("url.no-host", "the URL names no host; write it as https://host/path", len(parts.scheme) + 1)
    if parts.port and not _is_port(parts.port.translate(_WRAPPING)):
        shown = "" if _may_hold_a_password(parts) else excerpt(parts.port) + " "
        message = f"port {shown}is not a number from 0 to {_MAX_PORT}; correct or remove it"
        return UrlError("url.port-invalid", message, _offset_of_host(parts) + len(parts.host or "") + 1)
    shown = "" if _may_hold_a_password(parts) else excerpt(parts.host or "") + " "
    message = f"host {shown}is neither a domain name, an IPv4 nor a bracketed IPv6 address; correct it"
    return UrlError("url.host-invalid", message, _offset_of_host(parts))


def _may_hold_a_password(parts: RawUrl) -> bool:
    """Whether an `@` comes later: then a `/`, `?` or `#` in a password may have ended the authority within it."""
    return any("@" in later for later in (parts.path, parts.query or "", parts.fragment or ""))


def _is_port(text: str) -> bool:
    digits = text.lstrip("0") or "0"
    return text.isascii() and text.isdigit() and len(digits) <= len(str(_MAX_PORT)) and int(digits) <= _MAX_PORT


def _offset_of_host(parts: RawUrl) -> int:
    userinfo = 0 if parts.userinfo is None else len(parts.userinfo) + 1
    return len(parts.lead) + len(parts.scheme or "") + (parts.scheme is not None) + len(parts.slashes) + userinfo
