"""Who a host belongs to: its registrable domain by the public suffix list, which is a policy (R071, X31).

The list changes every week, so the one that was applied is named by its day and digest, and stands whole in each bundle
whose groups it made: both of its parts, since whoever writes at `alice.github.io` is not whoever writes at
`bob.github.io`. It comes with a library that is renewed with the list. What the library answers is not asked for: it
takes `x` for a public suffix where the list has `*.x`, which the published algorithm does not.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from pydantic import JsonValue

from schemas.canonical import canonical_sha256
from workers.dedup.site import site_of

NAME: Final = "public-suffixes"
_VERSION = re.compile(r"^// VERSION: (\d{4})-(\d\d)-(\d\d)", re.MULTILINE)
_PORT = re.compile(r":[0-9]+$")
_UNREGISTERED = re.compile(r"\A(?:www\.(?!(?::[0-9]+)?\Z))?(.*?)\.?((?::[0-9]+)?)\Z", re.DOTALL)
_ADDRESS = re.compile(r"\[.*|[0-9]+(?:\.[0-9]+){3}")


def owner_of(normalized_url: str) -> str:
    """`https://news.example.co.uk:8443/a` to `example.co.uk`. The site of an address, of a name without dots, and of
    a public suffix itself (`github.io`), which nobody has registered, without its final dot."""
    return registered_by(normalized_url) or _UNREGISTERED.sub(r"\1\2", site_of(normalized_url, www=True))


def registered_by(normalized_url: str) -> str | None:
    """The registrable domain of a URL's host, where there is one."""
    return registrable_domain(_PORT.sub("", site_of(normalized_url, www=True)))


@lru_cache(maxsize=8192)
def registrable_domain(host: str) -> str | None:
    """The public suffix of a host and the label before it. `host`: ASCII, lower case, without port."""
    name = host.removesuffix(".")
    if _ADDRESS.fullmatch(name) or not all(name.split(".")):
        return None
    rules, labels = _rules(), name.split(".")
    suffix = labels[-1]
    for start in range(len(labels) - 1, -1, -1):  # the rule of most labels decides, and an exception before all
        tail = ".".join(labels[start:])
        above = tail.partition(".")[2]
        if f"!{tail}" in rules:
            suffix = above
            break
        if tail in rules or (above and f"*.{above}" in rules):
            suffix = tail
    own = name.removesuffix(suffix).rstrip(".").rpartition(".")[2]
    return f"{own}.{suffix}" if own else None


@cache
def suffix_policy() -> dict[str, JsonValue]:
    """The list, as a bundle carries it: rules in ASCII, sorted."""
    dated = _VERSION.search(_published())
    rules: list[JsonValue] = list(rules_of(_published()))
    return {
        "list": f"{NAME}@{''.join(dated.groups()) if dated else '0'}",
        "source": "https://publicsuffix.org/list/public_suffix_list.dat",
        "licence": "MPL-2.0",
        "rules": rules,
    }


def rules_of(published: str) -> list[str]:
    """The rules of a list as it is published, each once."""
    lines = (line.strip() for line in published.splitlines())
    return sorted({_ascii(line.split()[0]) for line in lines if line and not line.startswith("//")})


@cache
def _published() -> str:
    return files("publicsuffixlist").joinpath("public_suffix_list.dat").read_text("utf-8")


def is_suffix_policy(policy_id: str) -> bool:
    """Whether this is the id of a list, of whatever day."""
    return policy_id.startswith(f"{NAME}@")


@cache
def suffix_policy_id() -> str:
    """`public-suffixes@<day>+<its whole digest>`: 8 hex of it are found again with another list in an hour."""
    policy = suffix_policy()
    return f"{policy['list']}+{canonical_sha256(policy)}"


def _ascii(rule: str) -> str:
    """A rule as hosts are written in normalized URLs."""
    labels = rule.lower().removeprefix("!").split(".")
    name = ".".join(label if label.isascii() else label.encode("idna").decode("ascii") for label in labels)
    return f"!{name}" if rule.startswith("!") else name


@cache
def _rules() -> frozenset[str]:
    return frozenset(rules_of(_published()))
