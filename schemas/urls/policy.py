"""URL policies as data: which parameters an identity drops, and the rules it knows for single hosts.

A policy is a document under `schemas/urls/policies/`, never code and never configuration, so that a
stranger can apply the same one. Its id carries its digest. A published file never changes: another
list of names is another version beside it (X7). Every host rule carries examples for both answers,
the URLs that it changes and those that it must leave alone; a rule without them is refused (R031, X4).
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from schemas.canonical import canonical_sha256
from schemas.reading import DocumentError, read_document
from schemas.records.base import Record, ShortText, Url
from schemas.urls.parameters import ParameterNames

CONSERVATIVE_1: Final = "conservative@1"
CITATION_INDEX_1: Final = "citation-index@1"
CITATION_INDEX_2: Final = "citation-index@2"

ParameterName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_.\-]{1,64}$")]
Host = Annotated[str, StringConstraints(pattern=r"^(\*|[a-z0-9][a-z0-9.\-]{0,252}(:[0-9]{1,5})?)$")]
"""Host, with its port where it is not the default one; `*` for every host."""
RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
Pattern = Annotated[str, StringConstraints(min_length=1, max_length=300)]
"""RE2 syntax without look-around and back-references, which must match the whole of its subject."""

_BEYOND_RE2 = re.compile(r"\(\?(?!:|P<)|\\[0-9]|[*+?}]\+")
_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")


def _compiled(pattern: str) -> str:
    if _BEYOND_RE2.search(pattern):
        raise ValueError("a pattern of groups, classes and counts, without look-around and back-references")
    try:
        re.compile(pattern)
    except re.error:
        raise ValueError("a valid regular expression") from None
    return pattern


class Example(Record):
    """A URL and the citation URL that it gets."""

    before: Url
    after: Url


class Examples(Record):
    """Both answers of a rule. In `keeps` stand URLs on which the rule does not act."""

    changes: tuple[Example, ...] = Field(min_length=1)
    keeps: tuple[Url, ...] = Field(min_length=1)


class _HostRule(Record):
    """Where a rule applies: the host is listed, and the whole path matches."""

    id: RuleId
    why: ShortText
    hosts: tuple[Host, ...] = Field(min_length=1)
    path: Pattern
    examples: Examples

    check_path = field_validator("path")(_compiled)

    @cached_property
    def path_pattern(self) -> re.Pattern[str]:
        """The path pattern, compiled."""
        return re.compile(self.path)

    def match(self, authority: str, path: str) -> re.Match[str] | None:
        """The match of the path where this rule applies to the URL."""
        if authority in self.hosts or "*" in self.hosts:
            return self.path_pattern.fullmatch(path)
        return None


class RewriteRule(_HostRule):
    """Another spelling of the same page. `to` replaces the path, or scheme, host and path; the query stays.

    `{name}` in `to` stands for what the group of that name in `path` matched.
    """

    kind: Literal["rewrite"]
    to: Annotated[str, StringConstraints(pattern=r"^(https://[a-z0-9.\-]+)?(/|\{)", max_length=300)]

    @model_validator(mode="after")
    def _names_its_groups(self) -> RewriteRule:
        if set(_PLACEHOLDER.findall(self.to)) != set(self.path_pattern.groupindex):
            raise ValueError("a `to` that uses each group of `path`")
        return self

    def target(self, match: re.Match[str]) -> str:
        """`to` with the matched groups in it."""
        return _PLACEHOLDER.sub(lambda m: str(match[m[1]]), self.to)


class DropRule(_HostRule):
    """Parameters that do not change which page of this host is meant."""

    kind: Literal["drop-parameters"]
    parameters: tuple[ParameterName, ...] = Field(min_length=1)

    @cached_property
    def parameter_names(self) -> ParameterNames:
        """The names in the form that `without_parameters` takes."""
        return ParameterNames(frozenset(self.parameters))


class FragmentRule(_HostRule):
    """Pages on which a matching fragment names the thing cited, not a place within it (X3)."""

    kind: Literal["fragment-identity"]
    fragment: Pattern

    check_fragment = field_validator("fragment")(_compiled)

    @cached_property
    def fragment_pattern(self) -> re.Pattern[str]:
        """The fragment pattern, compiled."""
        return re.compile(self.fragment)


HostRule = Annotated[RewriteRule | DropRule | FragmentRule, Field(discriminator="kind")]


class UrlPolicy(Record):
    """One version of one identity's rules. Every field stands in the file, so its digest covers all of them."""

    schema_id: Literal["citevault/url-policy@1"] = Field(alias="schema")
    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z-]{0,62}@[1-9][0-9]{0,3}$")]
    identity: Literal["normalized-url", "citation-url"]
    drop_parameters: tuple[ParameterName, ...]
    drop_prefixes: tuple[ParameterName, ...]
    collapse_slashes: bool | Literal["but-embedded-urls"]
    """Repeated slashes of a path; those of a URL that stands in the path stay (X2)."""
    host_rules: tuple[HostRule, ...]

    @model_validator(mode="after")
    def _is_consistent(self) -> UrlPolicy:
        if self.identity == "normalized-url" and (self.collapse_slashes or self.host_rules):
            raise ValueError("no host rules and no collapsed slashes in a policy for normalized URLs")
        if len({rule.id for rule in self.host_rules}) != len(self.host_rules):
            raise ValueError("host rules with ids of their own")
        return self

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the policy's RFC 8785 bytes, 64 lower-case hex."""
        return canonical_sha256(self)

    @cached_property
    def id(self) -> str:
        """What records name: `conservative@1+<8 hex of the digest>`."""
        return f"{self.name}+{self.digest[:8]}"

    @cached_property
    def parameter_names(self) -> ParameterNames:
        """The names dropped on every host."""
        return ParameterNames(frozenset(self.drop_parameters), self.drop_prefixes)


def read_policy(data: bytes) -> UrlPolicy | DocumentError:
    """Read a policy document strictly: duplicates, unknown names, rules without examples are refused."""
    return read_document(data, UrlPolicy)


@cache
def load_policy(name: str) -> UrlPolicy:
    """A policy that ships with this package, by its name. An unknown name raises `LookupError`."""
    if name not in (CONSERVATIVE_1, CITATION_INDEX_1, CITATION_INDEX_2):
        raise LookupError(f"no URL policy {name!r} ships with this version")
    policy = read_policy(files("schemas.urls").joinpath("policies", f"{name}.json").read_bytes())
    if isinstance(policy, DocumentError):
        problem = f"{policy.message} at {policy.pointer}"
        raise LookupError(f"the shipped URL policy {name} cannot be read: {problem}")  # noqa: TRY004 (not a type error)
    return policy


def conservative_1() -> UrlPolicy:
    """The policy of `NormalizedUrl` (R024): tracking parameters named by it go, nothing else."""
    return load_policy(CONSERVATIVE_1)


def citation_index_1() -> UrlPolicy:
    """The policy of `CitationUrl` (R042-R048)."""
    return load_policy(CITATION_INDEX_1)
