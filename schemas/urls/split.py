"""Cut a URL into its parts without changing it: `split(raw).joined() == raw` for every string.

The cuts fall where the WHATWG parser makes them (URL Standard, 4.4), so that a slice and the parsed
host always belong to each other: junk at both ends is set apart, any run of slashes and backslashes
may stand after a special scheme, a backslash ends its authority, the last `@` ends the userinfo.
Nothing is decoded, lowered or judged here; a part may be nonsense.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

JUNK: Final = "".join(map(chr, range(0x21)))
"""C0 controls and space: what the URL Standard takes off both ends of its input."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-\t\n\r]*):")
_WRAPPING = str.maketrans("", "", "\t\n\r")
_SPECIAL: Final = frozenset({"http", "https", "ws", "wss", "ftp"})
_ANY_SLASHES = re.compile(r"[/\\\t\n\r]*")
_FILE_SLASHES = re.compile(r"[/\\][\t\n\r]*[/\\]")
_TWO_SLASHES = re.compile(r"/[\t\n\r]*/")
_AUTHORITY_WITH_BACKSLASH_END = re.compile(r"[^/\\?#]*")
_AUTHORITY = re.compile(r"[^/?#]*")


class RawUrl(NamedTuple):
    """The slices of one URL string. None says that the part and its delimiter are absent, "" that it is empty."""

    lead: str
    """C0 controls and spaces before the URL."""
    scheme: str | None
    """As written, without its colon."""
    slashes: str
    """What stands between the scheme and the authority: `//` in a usual URL."""
    userinfo: str | None
    """Before the last `@` of the authority."""
    host: str | None
    """None where there is no authority; IPv6 with its brackets."""
    port: str | None
    path: str
    query: str | None
    fragment: str | None
    trail: str
    """C0 controls and spaces after the URL."""

    def joined(self) -> str:
        """The string that was split, character for character."""
        return "".join(
            (
                self.lead,
                "" if self.scheme is None else self.scheme + ":",
                self.slashes,
                "" if self.userinfo is None else self.userinfo + "@",
                self.host or "",
                "" if self.port is None else ":" + self.port,
                self.path,
                "" if self.query is None else "?" + self.query,
                "" if self.fragment is None else "#" + self.fragment,
                self.trail,
            )
        )


def split(raw: str) -> RawUrl:
    """Slice any string as the WHATWG parser would read it; one pass, no failure."""
    body = raw.lstrip(JUNK)
    lead = raw[: len(raw) - len(body)]
    text = body.rstrip(JUNK)
    trail = body[len(text) :]

    text, fragment = _cut(text, "#")
    text, query = _cut(text, "?")
    scheme: str | None = None
    if match := _SCHEME.match(text):
        scheme = match[1]
        text = text[match.end() :]

    name = "" if scheme is None else scheme.translate(_WRAPPING).lower()
    if name in _SPECIAL:
        opening = _ANY_SLASHES.match(text)
    elif name == "file":
        opening = _FILE_SLASHES.match(text)
    else:
        opening = _TWO_SLASHES.match(text)
    if opening is None:
        return RawUrl(lead, scheme, "", None, None, None, text, query, fragment, trail)

    ends = _AUTHORITY_WITH_BACKSLASH_END if name in _SPECIAL or name == "file" else _AUTHORITY
    authority_match = ends.match(text, opening.end())
    authority = authority_match[0] if authority_match else ""
    path = text[opening.end() + len(authority) :]
    userinfo, host, port = _split_authority(authority)
    return RawUrl(lead, scheme, opening[0], userinfo, host, port, path, query, fragment, trail)


def _split_authority(authority: str) -> tuple[str | None, str, str | None]:
    """Userinfo ends at the last `@`, the host at the first `:` outside brackets (URL Standard, 4.4)."""
    userinfo: str | None = None
    before, at, rest = authority.rpartition("@")
    if at:
        userinfo = before
    closing = rest.find("]") if rest.startswith("[") else -1
    colon = rest.find(":", closing + 1) if closing >= 0 or not rest.startswith("[") else -1
    if colon < 0:
        return userinfo, rest, None
    return userinfo, rest[:colon], rest[colon + 1 :]


def _cut(text: str, mark: str) -> tuple[str, str | None]:
    head, found, tail = text.partition(mark)
    return (head, tail) if found else (head, None)
