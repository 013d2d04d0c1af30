"""News agencies and release wires by the names that pages credit them with. Policy `agencies@1`, data as tiers are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Final, Literal

from pydantic import Field

from schemas.reading import DocumentError, read_document
from schemas.records.base import Record, ShortText
from workers.errors import CorruptError

AGENCIES: Final = "agencies@1"
AgencyKind = Literal["wire", "release"]
Names = Annotated[tuple[ShortText, ...], Field(min_length=1)]


class Agency(Record):
    """One agency, in the spellings of many languages. Case counts: `AP` is one, `ap` is none."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
    kind: AgencyKind
    """wire: its own reporting; release: what others have it send out."""
    hosts: tuple[ShortText, ...]
    names: Names


class AgencyPolicy(Record):
    """All of them, and the words that may stand in a line that does nothing but credit one."""

    schema_id: Literal["citevault/agency-policy@1"] = Field(alias="schema")
    name: Literal["agencies@1"]
    agencies: tuple[Agency, ...]
    credit_words: Names
    picture_words: Names
    """A line with one of these says whose the picture is."""


@dataclass(frozen=True, slots=True)
class AgencyNames:
    """The policy, ready to look for names."""

    by_name: dict[str, Agency]
    by_host: dict[str, Agency]
    name: re.Pattern[str]
    """One name, whole: no letter before or after it, where its script puts spaces between words."""
    credit_words: frozenset[str]
    picture_words: frozenset[str]


@cache
def agency_names() -> AgencyNames:
    """`agencies@1` as the package ships it."""
    policy = read_document(files("workers.dedup").joinpath("policies", f"{AGENCIES}.json").read_bytes(), AgencyPolicy)
    if isinstance(policy, DocumentError):
        raise CorruptError(
            f"the list of agencies of this installation cannot be read: {policy}",
            where=f"workers/dedup/policies/{AGENCIES}.json",
            next_step="install Citevault again",
        )
    by_name = {name: agency for agency in policy.agencies for name in agency.names}
    longest_first = sorted(by_name, key=lambda name: (-len(name), name))
    return AgencyNames(
        by_name=by_name,
        by_host={host: agency for agency in policy.agencies for host in agency.hosts},
        name=re.compile("|".join(_whole(name) for name in longest_first)),
        credit_words=frozenset(word.casefold() for word in policy.credit_words),
        picture_words=frozenset(word.casefold() for word in policy.picture_words),
    )


def _whole(name: str) -> str:
    """Letters of an alphabet bound a name that is written in one; `ロイター` may stand within a sentence."""
    before = r"(?<![^\W\d_])" if _is_spaced(name[0]) else ""
    after = r"(?![^\W_])" if _is_spaced(name[-1]) else ""
    return before + re.escape(name) + after


def _is_spaced(letter: str) -> bool:
    return letter.isalpha() and letter < "\u0e00"
