"""Edges of clusters: each of two texts of its cluster, once, under its cluster's parameters; its figures as the texts
give them, and its verdict as its rule does (`schemas/README.md, Clusters`).

Recomputed is what the texts alone tell, of texts that the bundle has: overlap, containment and numbers, and where they
are cut into words the opening. The rest is its author's word, though a rule's verdict has to follow from it: titles,
authors, dates and links are those of the first capture of each text in the whole archive, which need not be here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from schemas.canonical import sha256_hex
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.records.cluster import Cluster, EdgeFigures, EdgeVerdict
from validator.cuts import is_spaceless
from validator.found import Found
from validator.input import BundleInput
from validator.limits import LIMITS
from validator.place import Unavailable, read_all
from validator.quantities import NEWER, OLDER, numbers_ppm, quantities_of

WORD_PARAMS: Final = "minhash-w5-p128-affine32-s1-sha1-32"
CHARACTER_PARAMS: Final = "minhash-c5-p128-affine32-s1-sha1-32"
CUT: Final = (WORD_PARAMS, CHARACTER_PARAMS)
MOST_CHARACTERS: Final = 2 * 1024 * 1024
"""Of a text, that are cut into runs."""
RUN, OPENING = 5, 20
CHARACTER_RUNS: Final = 14
"""So many times the memory of five-word runs is what a run of each character takes (130 bytes against 9)."""
WHOLE: Final = 1_000_000
NULL: Final = (0, 0)
ALL, EVER, NO, YES = WHOLE + 1, 2**53, (0, 1), (1, 2)
_WORD: Final = re.compile(r"\w+")
_BETWEEN: Final = re.compile(
    r"[\s\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e\u00a1-\u00bf\u2000-\u206f"
    r"\u3000-\u3004\u3008-\u3020\u3030\u303d\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """Of a rule since `confirm@2`: its verdict, and the overlap that it takes, half-open, in parts per million."""

    confirms: bool
    least: int = 500_000
    below: int = WHOLE
    needs: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Other figures that it rests on, half-open; `NULL` where it has to have none."""

    def takes(self, figures: EdgeFigures) -> bool:
        """Whether these figures can be ones that it decides by."""
        told = {"shingle_jaccard_ppm": (self.least, self.below), **self.needs}
        return all(_lies(getattr(figures, name), within) for name, within in told.items())

    def __str__(self) -> str:
        said = "confirmed" if self.confirms else "not confirmed"
        told = {"overlap": (self.least, self.below), **self.needs}
        return ", ".join([said, *(f"{name} from {least} to below {below}" for name, (least, below) in told.items())])


def _lies(value: int | None, within: tuple[int, int]) -> bool:
    return value is None if within == NULL else value is not None and within[0] <= value < within[1]


_RULES: Final[Mapping[str, Rule]] = {
    "not-comparable": Rule(confirms=False, least=0, below=1),
    "same-words": Rule(confirms=True, least=WHOLE, below=WHOLE + 1),
    "low-overlap": Rule(confirms=False, least=0, below=500_000),
    "same-site-other-title": Rule(confirms=False, needs={"title_ppm": (0, 800_000)}),
    "same-site-other-numbers": Rule(confirms=False, needs={"numbers_ppm": (0, 250_000)}),
    "same-site-other-opening": Rule(confirms=False, needs={"title_ppm": NULL, "opening_ppm": (0, 200_000)}),
    "shared-frame": Rule(confirms=False, needs={"title_in_shared_ppm": (0, 334_000)}),
    "other-title-author-and-year": Rule(
        confirms=False,
        below=900_000,
        needs={"title_ppm": (0, 300_000), "same_author": NO, "days_apart": (366, EVER)},
    ),
    "form-other-numbers": Rule(confirms=False, below=900_000, needs={"numbers_ppm": (0, 250_000)}),
    "overlap": Rule(confirms=True, least=700_000),
    "overlap-and-title": Rule(confirms=True, below=700_000, needs={"title_ppm": (700_000, ALL)}),
    "overlap-author-and-day": Rule(confirms=True, below=700_000, needs={"same_author": YES, "days_apart": (0, 4)}),
    "contained-and-links": Rule(
        confirms=True, below=700_000, needs={"containment_ppm": (900_000, ALL), "outlinks_ppm": (500_000, ALL)}
    ),
    "overlap-alone": Rule(confirms=False, below=700_000),
}
RULES: Final = {"confirm@2": _RULES, "confirm@3": _RULES}
"""By version. Of another version only the figures are looked at."""
OLDER_NUMBERS: Final = ("confirm@1", "confirm@2")


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of five words or characters of a text, and of its first 24 words."""

    whole: frozenset[str]
    opening: frozenset[str] | None
    """None where it may have been cut by another rule than words."""
    quantities: Counter[str] = field(default_factory=Counter)


def check_cluster_edges(given: BundleInput, found: Found) -> None:
    """All edges of all clusters."""
    at = {s.text_sha256: s.id for s in given.bundle.snapshots if s.text_sha256 and s.text_path}
    left = [LIMITS.run_characters]

    @lru_cache(maxsize=64)
    def runs(text_sha256: str, params: str, rules: str) -> Runs | None:
        if text_sha256 not in at or left[0] <= 0:
            return None
        data = read_all(given.place, f"texts/{at[text_sha256]}.txt", LIMITS.text)
        if isinstance(data, Unavailable) or sha256_hex(data) != text_sha256:
            return None  # reported where texts are read
        text = data.decode("utf-8", "replace")
        left[0] -= len(text[:MOST_CHARACTERS]) * (CHARACTER_RUNS if params == CHARACTER_PARAMS else 1)
        return runs_of(text, params, rules)

    for i, cluster in enumerate(given.bundle.clusters):
        _placed(cluster, i, found)
        for j, edge in enumerate(cluster.edges):
            where = pointer(("clusters", i, "edges", j))
            found.looked_at("cluster edges")
            _verdict(cluster, edge, where, found)
            if edge.params in CUT and edge.rule != "not-comparable" and edge.a != edge.b:
                one, other = (runs(text, edge.params, edge.rules) for text in (edge.a, edge.b))
                if one is not None and other is not None:
                    found.looked_at("figures of edges")
                    _figures(cluster, edge, where, one, other, found)
    if left[0] <= 0:
        found.add(FindingKind.CLUSTER_EDGES_UNCHECKED, expected=f"at most {LIMITS.run_characters} code points of texts")


def _placed(cluster: Cluster, i: int, found: Found) -> None:
    """An edge binds two texts of its cluster, by the cluster's own parameters and rules, once."""
    texts = {member.text_sha256 for member in cluster.members} | {cluster.leader_text_sha256}
    seen: set[tuple[str, str]] = set()
    for j, edge in enumerate(cluster.edges):
        pair = (edge.a, edge.b)
        if not edge.a < edge.b:
            expected: str | None = "a < b"
        elif pair in seen:
            expected = "each pair once"
        elif not texts.issuperset(pair):
            expected = "two texts of the cluster"
        elif (edge.params, edge.rules) != (cluster.params, cluster.rules):
            expected = f"{cluster.params} and {cluster.rules}"
        else:
            expected = None
        seen.add(pair)
        if expected is not None:
            found.add(
                FindingKind.CLUSTER_EDGE_MISPLACED,
                pointer=pointer(("clusters", i, "edges", j)),
                ids=(cluster.id,),
                expected=expected,
                actual=f"{edge.a} {edge.b}, {edge.params}, {edge.rules}",
            )


def _verdict(cluster: Cluster, edge: EdgeVerdict, where: str, found: Found) -> None:
    known = RULES.get(edge.rules)
    if known is None:
        return
    rule, overlap = known.get(edge.rule), edge.figures.shingle_jaccard_ppm
    if rule is None or rule.confirms is not edge.confirmed or not rule.takes(edge.figures):
        expected = f"a rule of {edge.rules}" if rule is None else f"{edge.rule}: {rule}"
        actual = f"{edge.rule}: {'confirmed' if edge.confirmed else 'not confirmed'}, overlap {overlap}"
        found.add(FindingKind.CLUSTER_EDGE, pointer=where, ids=(cluster.id,), expected=expected, actual=actual)


def _figures(cluster: Cluster, edge: EdgeVerdict, where: str, one: Runs, other: Runs, found: Found) -> None:
    wanted = figures_of(one, other)
    for name, expected in wanted.items():
        actual = getattr(edge.figures, name)
        if expected != actual:
            found.add(
                FindingKind.CLUSTER_EDGE,
                pointer=f"{where}/figures/{name}",
                ids=(cluster.id,),
                expected=expected,
                actual=actual,
            )


def figures_of(one: Runs, other: Runs) -> dict[str, int | None]:
    """Fields of `EdgeFigures` that follow from the texts alone."""
    shared = len(one.whole & other.whole)
    out: dict[str, int | None] = {
        "shingle_jaccard_ppm": _ppm(shared, len(one.whole) + len(other.whole) - shared),
        "containment_ppm": _ppm(shared, min(len(one.whole), len(other.whole))),
        "numbers_ppm": numbers_ppm(one.quantities, other.quantities),
    }
    if one.opening is not None and other.opening is not None:
        pairs = ((one.opening, other.whole), (other.opening, one.whole))
        shares = [_ppm(len(opening & whole), len(opening)) for opening, whole in pairs]
        out["opening_ppm"] = max(shares) if one.opening and other.opening else None
    return out


def _ppm(part: int, whole: int) -> int:
    return part * WHOLE // whole if whole else 0


def runs_of(text: str, params: str = WORD_PARAMS, rules: str = "") -> Runs:
    """As `params` cut it, with its numbers as `rules` read them."""
    text = text[:MOST_CHARACTERS]
    quantities = quantities_of(text, OLDER if rules in OLDER_NUMBERS else NEWER)
    if params == CHARACTER_PARAMS:
        letters = _BETWEEN.sub("", text.casefold())
        return Runs(frozenset(letters[at : at + RUN] for at in range(len(letters) - RUN + 1)), None, quantities)
    whole = _cut(text)
    if len(whole) < 3 * OPENING:
        return Runs(whole, frozenset(), quantities)
    words = _WORD.finditer(text)
    end = 0
    for _, word in zip(range(OPENING + RUN - 1), words, strict=False):
        end = word.end()
    opening = text[:end]
    return Runs(whole, None if any(map(is_spaceless, opening)) else _cut(opening), quantities)


def _cut(text: str) -> frozenset[str]:
    words = _WORD.findall(text.casefold())
    return frozenset(" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


UNTOLD: Final = tuple(
    name
    for name in EdgeFigures.model_fields
    if name not in ("shingle_jaccard_ppm", "containment_ppm", "opening_ppm", "numbers_ppm")
)
"""Figures that no bundle tells enough to recompute."""
