"""Reads robots.txt as RFC 9309 has it: which group is ours, and what it allows.

Protego matches paths; what it does otherwise than the RFC is done here first. The file is cut into
lines at CR and LF only, so that no other character can smuggle a rule out of a comment; a byte order
mark is taken off; our groups are those whose product token *equals* ours (2.2.1), merged into one that
Protego is handed; lines that are neither rule nor user-agent do not end a group (2.2.4).

Beyond the RFC, on the side of what a site meant to forbid: misspelt `Disallow`, a missing colon, HTML
tags at the end of a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from protego import Protego

from schemas.urls.error import UrlError
from schemas.urls.parse import parse
from workers.capture.request_head import target_of

MAX_ROBOTS_BYTES: Final = 500 * 1024  # RFC 9309, 2.5: at least 500 KiB must be read

Group = Literal["own", "any", "none"]
_Kind = Literal["agent", "allow", "disallow", "delay"]
_KINDS: Final[dict[bytes, _Kind]] = {
    b"user-agent": "agent",
    b"useragent": "agent",
    b"user agent": "agent",
    b"allow": "allow",
    b"disallow": "disallow",
    b"dissallow": "disallow",
    b"dissalow": "disallow",
    b"disalow": "disallow",
    b"diasllow": "disallow",
    b"disallaw": "disallow",
    b"crawl-delay": "delay",
    b"crawl delay": "delay",
    b"crawldelay": "delay",
}
_LINE_END = re.compile(rb"\r\n|\r|\n")
_BLANKS = re.compile(rb"[ \t]+")
_WITHOUT_COLON = re.compile(rb"(user[- ]?agent|allow|d[isal]{5,8}ow|disallaw|crawl[- ]?delay)[ \t]+(.*)", re.IGNORECASE)
_TAG = re.compile(rb"</?[A-Za-z][^<>]*>")
_TOKEN = re.compile(rb"[A-Za-z0-9_-]+")
_DELAY = re.compile(rb"[0-9]{1,9}(\.[0-9]{0,9})?")
_PLAIN_PATH = re.compile(r"(?!.*/\.)/(?!/)[A-Za-z0-9_.~/=-]*")
"""Of characters that the matcher takes as they are, and without a segment that begins with a dot."""
_PLAIN_START = re.compile(r"/(?!/)[A-Za-z0-9_.~/=-]*")
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The merged group that binds one crawler."""

    matcher: Protego
    group: Group
    """Whether a group names us, only `*` applies, or neither is there."""
    crawl_delay: float | None
    lines: tuple[str, ...]
    """Its rules, as the matcher reads them."""
    starts: tuple[str, ...] = field(init=False, compare=False)
    """With one of these begins every plain path that a rule may forbid: what stands in it before anything special."""

    def __post_init__(self) -> None:
        forbidding = (line.removeprefix("disallow: ") for line in self.lines if line.startswith("disallow: "))
        found = [_PLAIN_START.match(value) for value in forbidding if value]
        object.__setattr__(self, "starts", tuple("" if start is None else start.group() for start in found))

    def allows(self, url: str) -> bool:
        """Whether the URL may be fetched. Rules see its path and query; a path with dot segments must pass
        both as it stands and as servers resolve it."""
        target = target_of(url)
        if isinstance(target, UrlError):
            return False
        if not target.path.startswith(self.starts) and _PLAIN_PATH.fullmatch(target.path):
            return True  # the usual page: the matcher would take ten times as long to say so
        if not self.lines:
            return True
        paths = {target.path}
        if "/." in target.path:
            resolved = parse(target.url)
            if not isinstance(resolved, UrlError):
                paths.add(resolved.path if resolved.query is None else f"{resolved.path}?{resolved.query}")
        return all(self.matcher.can_fetch(f"http://host{path}", "*") for path in paths)


def robots_url(url: str) -> str | UrlError:
    """Where the rules for a URL stand: they hold for one scheme, host and port (RFC 9309, 2.3)."""
    target = target_of(url)
    if isinstance(target, UrlError):
        return target
    return f"{target.scheme}://{target.authority}/robots.txt"


def parse_robots(body: bytes, agent: str) -> RobotsRules:
    """Rules for a crawler with this product token (what follows a token, as in `name/1.0`, is ignored).

    Never fails; what cannot be read is no rule.
    """
    token = _TOKEN.match(agent.encode("ascii", "replace"))
    ours = token.group().lower() if token else b""
    own = _Group()
    everybody = _Group()
    binding: list[_Group] = []
    in_rules = False
    for kind, value in _records(_text(body)):
        if kind == "agent":
            if in_rules:
                binding, in_rules = [], False
            group = own if _names(value, ours) else everybody if _names_all(value) else None
            if group is not None:
                group.named = True
                if group not in binding:
                    binding.append(group)
        elif kind == "delay":
            if _DELAY.fullmatch(value):
                for group in binding:
                    group.delay = float(value)
        else:
            in_rules = True
            for group in binding:
                group.lines.append(f"{kind}: {_ascii(value)}")
    chosen = own if own.named else everybody
    return rules_of_lines(chosen.lines, "own" if own.named else "any" if everybody.named else "none", chosen.delay)


def rules_of_lines(lines: Sequence[str], group: Group, crawl_delay: float | None) -> RobotsRules:
    """Rules from the lines of other rules."""
    return RobotsRules(Protego.parse("\n".join(["user-agent: *", *lines])), group, crawl_delay, tuple(lines))


class _Group:
    """Rules gathered for one product token."""

    def __init__(self) -> None:
        self.named = False
        self.lines: list[str] = []
        self.delay: float | None = None


def _text(body: bytes) -> bytes:
    """The part that is read, without a byte order mark; a line that the limit cuts is left out."""
    if len(body) > MAX_ROBOTS_BYTES:
        body = body[:MAX_ROBOTS_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r"), 0)]
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            rest = body[len(mark) :]
            return rest if encoding == "utf-8" else rest.decode(encoding, "replace").encode()
    return body


def _records(text: bytes) -> list[tuple[_Kind, bytes]]:
    """Lines that mean something, as kind and value; comments and outer blanks removed."""
    records: list[tuple[_Kind, bytes]] = []
    for line in _LINE_END.split(text):
        content = _without_tags(line.partition(b"#")[0].strip(b" \t"))
        name, colon, value = content.partition(b":")
        kind = _kind(name) if colon else None
        if kind is None and (bare := _WITHOUT_COLON.fullmatch(content)):
            kind, value = _kind(bare.group(1)), bare.group(2)
        if kind is not None:
            records.append((kind, value.strip(b" \t")))
    return records


def _without_tags(line: bytes) -> bytes:
    """A line without the HTML tags at its end: some sites serve the file as a page, with `<BR>`."""
    end = len(line)
    while end and line[end - 1 : end] == b">":
        start = line.rfind(b"<", 0, end)
        if start < 0 or not _TAG.fullmatch(line, start, end):
            break
        end = start
    return line[:end].rstrip(b" \t") if end < len(line) else line


def _kind(name: bytes) -> _Kind | None:
    return _KINDS.get(_BLANKS.sub(b" ", name.strip(b" \t").lower()))


def _names(value: bytes, ours: bytes) -> bool:
    token = _TOKEN.match(value)
    return token is not None and token.group().lower() == ours


def _names_all(value: bytes) -> bool:
    return value[:1] == b"*" and value[1:2] in (b"", b" ", b"\t")


def _ascii(value: bytes) -> str:
    """Octets outside US-ASCII percent-encoded (RFC 9309, 2.2.2), and controls and blanks with them."""
    return "".join(chr(byte) if 0x21 <= byte <= 0x7E else f"%{byte:02X}" for byte in value)
