"""An http or https URL read once: cleaned, sliced, its host and port canonical, its path and query raw.

Both the identity (`conservative`) and the request (`wire`) are composed from this reading, so that what
is fetched and what is named cannot drift apart. Host and port come from the WHATWG parser, which is
given the authority slice alone; path, query and fragment are slices of the string as given.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ada_url import URL

from schemas.urls.error import UrlError, excerpt
from schemas.urls.parse import explain, unreadable
from schemas.urls.split import JUNK, split

SURROUNDING: Final = (
    JUNK + "\x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What is trimmed from both ends: C0 controls and space, Unicode White_Space, U+FEFF."""

_WRAPPING = str.maketrans("", "", "\t\n\r")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PLAIN_HOST = re.compile(r"(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*")
"""Lower-case ASCII labels, the last one no number: what the parser gives back as it is, at a third of the time."""
_SCHEMES: Final = ("http", "https")


class HttpLocation(NamedTuple):
    """The parts of an http(s) URL. `steps` names what was changed on the way, in order."""

    scheme: str
    host: str
    """ASCII, lower-case, as the WHATWG parser serialises it; IPv6 in brackets."""
    port: str
    """Decimal; "" for the scheme's default."""
    path: str
    """Raw; begins with `/`."""
    query: str | None
    fragment: str | None
    userinfo: str | None
    steps: tuple[str, ...]

    @property
    def origin(self) -> str:
        """Scheme, host and port, without a slash at the end."""
        return f"{self.scheme}://{self.host}:{self.port}" if self.port else f"{self.scheme}://{self.host}"


def read_http_url(raw: str) -> HttpLocation | UrlError:
    """Read any string as an http(s) URL (R020-R023, R026).

    Steps, in order: trim both ends (`SURROUNDING`); remove TAB, LF and CR, as every WHATWG parser does
    before it looks; refuse other controls; slice; lower the scheme; host and port through the parser;
    an empty path, and a backslash that ends the authority, become `/`.
    """
    refusal = unreadable(raw)
    if refusal is not None:
        return refusal
    steps: list[str] = []
    text = raw.strip(SURROUNDING)
    if text != raw:
        steps.append("trim")
    if not text:
        return UrlError("url.empty", "the URL is empty; give one that begins with http:// or https://", 0)
    if _CONTROL.search(text):
        text = text.translate(_WRAPPING)
        steps.append("tab-newline")
        if control := _CONTROL.search(text):
            return _control_error(control[0], raw)

    parts = split(text)
    scheme = (parts.scheme or "").lower()
    if scheme not in _SCHEMES:
        return _placed(explain(parts) if parts.scheme is None else _foreign_scheme(parts.scheme), text, raw)
    host_as_given = parts.host or ""
    port_as_given = "" if parts.port is None else ":" + parts.port
    if not host_as_given:
        return _placed(explain(parts), text, raw)
    if not port_as_given and _PLAIN_HOST.fullmatch(host_as_given) and "xn--" not in host_as_given:
        host, port = host_as_given, ""
    else:
        try:
            parsed = URL(f"{scheme}://{host_as_given}{port_as_given}/")
        except ValueError:
            return _placed(explain(parts), text, raw)
        host, port = parsed.hostname, parsed.port
    if not _fits_dns(host):
        shown = "" if "@" in text else excerpt(host) + " "
        message = f"host {shown}has an empty label or one over 63 characters, or over 253 in all; correct it"
        return _placed(UrlError("url.host-invalid", message, text.find(host_as_given)), text, raw)

    path = parts.path
    if path[:1] != "/":
        path = "/" + path[1:]
    if parts.scheme != scheme:
        steps.append("scheme")
    if parts.slashes != "//" or parts.path[:1] == "\\":
        steps.append("slashes")
    if parts.userinfo is not None:
        steps.append("userinfo")
    if host != host_as_given:
        steps.append("host")
    if port_as_given != (":" + port if port else ""):
        steps.append("port")
    if not parts.path:
        steps.append("empty-path")
    return HttpLocation(scheme, host, port, path, parts.query, parts.fragment, parts.userinfo, tuple(steps))


def _fits_dns(host: str) -> bool:
    """RFC 1035, 2.3.4; a dot at the end is the root. The URL Standard lets longer names pass, but no resolver does."""
    if host[0] == "[":
        return True
    name = host.removesuffix(".")
    return len(name) <= 253 and all(0 < len(label) <= 63 for label in name.split("."))


def _foreign_scheme(scheme: str) -> UrlError:
    """`example.com:80/x` reads as a scheme too, so the advice names both cures."""
    advice = "only http and https are archived; if it is a host name, write https:// in front"
    return UrlError("url.scheme-not-supported", f"scheme {excerpt(scheme)} is not supported: {advice}", 0)


def _control_error(control: str, raw: str) -> UrlError:
    position = raw.find(control, len(raw) - len(raw.lstrip(SURROUNDING)))
    message = f"control character U+{ord(control):04X} at {position}; percent-encode or remove it"
    return UrlError("url.control-character", message, position)


def _placed(error: UrlError, text: str, raw: str) -> UrlError:
    """The same error, its position counted in the string as given; without one where TAB, LF or CR were removed."""
    offset = raw.find(text)
    if error.position is None or offset < 0:
        return UrlError(error.code, error.message)
    return UrlError(error.code, error.message, offset + error.position)
