"""What a site is: the registrable domain of a host by the list of public suffixes that a bundle carries.

Our own reading of the list, by the format's section "Independence". A bundle without one is of `independence@1`, where
a site is the host itself. The list is its author's word, like all of a bundle; the signed leaves name the one that the
archive had, so a bundle that leaves its list out, or has one that no leaf names, is told of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.finding import Severity
from validator.found import Found
from validator.identity import host_of
from validator.input import BundleInput

if TYPE_CHECKING:
    from validator.independence import Group

KIND: Final = "suffixes"
NAMED: Final = "public-suffixes@"
MOST_SHOWN: Final = 300
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_RULE: Final = re.compile(rf"(?:!|\*\.)?(?:{_LABEL}\.)*(?![0-9]+\Z){_LABEL}")
_ADDRESS: Final = re.compile(r"\[.*|[0-9]+(?:\.[0-9]+){3}")
_PORT: Final = re.compile(r":[0-9]+$")


@dataclass(frozen=True, slots=True)
class Sites:
    """`rules` of the list; None: sites are hosts."""

    rules: frozenset[str] | None = None

    def of(self, normalized_url: str) -> str:
        """Of a URL: the registrable domain, else the host without final dot and one leading `www.`, with its port."""
        whole = host_of(normalized_url).lower()
        port = _PORT.search(whole)
        host = whole[: port.start()] if port else whole
        domain = None if self.rules is None else registrable_domain(host, self.rules)
        return domain or host.removesuffix(".").removeprefix("www.") + (port[0] if port else "")


BY_HOST: Final = Sites()


def registrable_domain(host: str, rules: frozenset[str]) -> str | None:
    """The public suffix and the label before it; None of an address, and where no label is before it."""
    labels = host.removesuffix(".").split(".")
    if _ADDRESS.fullmatch(host.removesuffix(".")) or not all(labels):
        return None
    at = _beginning(labels, rules)
    return ".".join(labels[at - 1 :]) if at else None


def _beginning(labels: list[str], rules: frozenset[str]) -> int:
    """Where the public suffix begins: an exception decides, else the rule of most labels, else the last label is it."""
    names = [".".join(labels[at:]) for at in range(len(labels))]
    for at, name in enumerate(names):
        if f"!{name}" in rules:
            return at + 1
    for at, name in enumerate(names):
        if name in rules or (at + 1 < len(names) and f"*.{names[at + 1]}" in rules):
            return at
    return len(labels) - 1


def sites_of(given: BundleInput) -> Sites:
    """By the bundle's list, where it has one that can be applied."""
    lists = [rules for rules in map(_rules_of, _values(given)) if rules is not None]
    return Sites(lists[0]) if len(lists) == 1 == len(_values(given)) else BY_HOST


def check_suffixes(given: BundleInput, groups: Mapping[str, Group], strict: bool, found: Found) -> None:
    """The list that the bundle carries, and those that its signed leaves name. `groups` are the recomputed ones: a list
    that no leaf names, and that parts what leaves have as one site, may have been written for that."""
    lists = [(i, policy) for i, policy in enumerate(given.bundle.policies) if policy.kind == KIND]
    if lists and sites_of(given) is BY_HOST:
        for i, policy in lists:
            found.add(FindingKind.INDEPENDENCE_LIST, pointer=pointer(("policies", i)), ids=(policy.id,))
        return
    own = {policy.id for _, policy in lists}
    leaves = [snapshot.inclusion.leaf for snapshot in given.bundle.snapshots]
    logged = {name for leaf in leaves for name in leaf.policies if name.startswith(NAMED)}
    if own <= logged and (own or not logged):
        return
    parted = sorted(_parted_sites(given, groups))
    graver = Severity.ERROR if strict else Severity.WARNING
    found.add(
        FindingKind.INDEPENDENCE_OTHER_LIST,
        pointer="/policies",
        ids=tuple(sorted(own)),
        expected=" ".join(sorted(logged)) or "a list that a signed leaf names",
        actual=" ".join(sorted(own)) or "none: sites are hosts",
        detail=f"It parts what leaves have as one: {', '.join(parted)[:MOST_SHOWN]}." if parted else "",
        severity=graver if parted or not own else Severity.WARNING if strict else None,
    )


def _parted_sites(given: BundleInput, groups: Mapping[str, Group]) -> set[str]:
    """Groups of one site, as leaves name them, whose sources stand in several here without anybody's having said so."""
    now: dict[str, set[Group]] = {}
    for snapshot in given.bundle.snapshots:
        name, group = snapshot.inclusion.leaf.group, groups.get(snapshot.source_id)
        if name.startswith("site:") and group is not None and not group.set_apart:
            now.setdefault(name, set()).add(group)
    return {name for name, found in now.items() if len(found) > 1}


def _values(given: BundleInput) -> list[JsonValue]:
    return [policy.value for policy in given.bundle.policies if policy.kind == KIND]


def _rules_of(value: JsonValue) -> frozenset[str] | None:
    """The rules of a list; None where it is none. An exception is one to a rule with `*` for its first label."""
    rules = value.get("rules") if isinstance(value, dict) else None
    if not isinstance(rules, list) or not rules:
        return None
    named = frozenset(rule for rule in rules if isinstance(rule, str) and _RULE.fullmatch(rule))
    excepted = all(f"*.{rule.partition('.')[2]}" in named for rule in named if rule.startswith("!"))
    return named if len(named) == len(rules) and excepted else None
