"""`CitationUrl`: which URLs share one number in the reader's list (`citation-index@1`, R042-R049).

It groups identities further, for display: it drops `ref` and `source`, collapses slashes and knows a
few hosts. Such a merge can be wrong, so it is never used to find, name or dedupe a snapshot; every
member keeps its `NormalizedUrl`, and the trace says which steps joined it to the others (X1).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.urls.conservative import MAX_KEY_IN_TRACE, sealed
from schemas.urls.identity import CitationUrl, NormalizedUrl
from schemas.urls.parameters import without_parameters
from schemas.urls.policy import DropRule, FragmentRule, RewriteRule, UrlPolicy, citation_index_1
from schemas.urls.split import split

_SLASHES = re.compile(r"/{2,}")
_EMBEDDED = re.compile(r"https?:/", re.IGNORECASE)
_DIRECTIVE = ":~:"


@dataclass(frozen=True, slots=True)
class Citation:
    """The URL that a number belongs to, and the steps that led to it, in order."""

    value: CitationUrl
    trace: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Parts:
    """What rules look at; `authority` is the host, with its port where that is not the default."""

    scheme: str
    authority: str
    path: str
    query: str | None

    @classmethod
    def of(cls, url: str) -> _Parts:
        raw = split(url)
        authority = raw.host or ""
        if raw.port is not None:
            authority += ":" + raw.port
        return cls(raw.scheme or "", authority, raw.path, raw.query)

    def joined(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}" + ("" if self.query is None else "?" + self.query)


def citation_url(normalized: NormalizedUrl, fragment: str | None, policy: UrlPolicy | None = None) -> Citation:
    """Map an identity and its fragment to the URL that is numbered, under `citation-index@1` unless given.

    In this order: drop the named parameters (R042); collapse repeated slashes of the path (R045; in `@1` also
    where a path embeds a URL, which `citation-index@2` leaves alone, X2); each host rule once, in the order of
    the policy (R046-R048); then the fragment, which is kept only where a rule says that it is identity (R043,
    X3). A fragment directive (`:~:text=`) is never part of it. Host case and path case are as the identity has
    them (R044).
    """
    rules = policy or citation_index_1()
    if rules.identity != "citation-url":
        raise ValueError(f"{rules.name} is no policy for citation URLs")
    trace: list[str] = []
    parts = _without(_Parts.of(normalized), rules, trace)
    collapsed = _collapsed(parts.path, rules)
    if collapsed != parts.path:
        parts = _Parts(parts.scheme, parts.authority, collapsed, parts.query)
        trace.append("collapse-slashes")
    for rule in rules.host_rules:
        if isinstance(rule, RewriteRule):
            parts = _rewritten(parts, rule, trace)
        elif isinstance(rule, DropRule) and rule.match(parts.authority, parts.path):
            parts = _without(parts, rule, trace)
    url = sealed(parts.joined())
    anchor = (fragment or "").partition(_DIRECTIVE)[0]
    for rule in rules.host_rules:
        if isinstance(rule, FragmentRule) and _applies(rule, parts, anchor):
            return Citation(CitationUrl(f"{url}#{anchor}"), (*trace, f"rule {rule.id}"))
    return Citation(CitationUrl(url), tuple(trace))


def _collapsed(path: str, rules: UrlPolicy) -> str:
    if not rules.collapse_slashes:
        return path
    embedded = None if rules.collapse_slashes is True else _EMBEDDED.search(path)
    own = len(path) if embedded is None else embedded.start()
    return _SLASHES.sub("/", path[:own]) + path[own:]


def _without(parts: _Parts, source: UrlPolicy | DropRule, trace: list[str]) -> _Parts:
    query, dropped = without_parameters(parts.query, source.parameter_names)
    if not dropped:
        return parts
    if isinstance(source, DropRule):
        trace.append(f"rule {source.id}")
    trace.extend(f"drop-parameter {key[:MAX_KEY_IN_TRACE]}" for key in dropped)
    return _Parts(parts.scheme, parts.authority, parts.path, query)


def _rewritten(parts: _Parts, rule: RewriteRule, trace: list[str]) -> _Parts:
    match = rule.match(parts.authority, parts.path)
    if match is None:
        return parts
    target = rule.target(match)
    if target.startswith("/"):
        target = f"{parts.scheme}://{parts.authority}{target}"
    new = _Parts.of(target)
    query = f"{new.query}&{parts.query}" if new.query and parts.query else new.query or parts.query
    after = _Parts(new.scheme, new.authority, new.path, query)
    if after != parts:
        trace.append(f"rule {rule.id}")
    return after


def _applies(rule: FragmentRule, parts: _Parts, anchor: str) -> bool:
    return bool(anchor and rule.match(parts.authority, parts.path) and rule.fragment_pattern.fullmatch(anchor))
