"""Forgeries of what a snapshot, a source, a cluster and a locator say beside the words: titles, dates, figures."""

from __future__ import annotations

from collections.abc import Callable

from schemas.findings import FindingKind as K
from validator.selftest.capture import Json
from validator.selftest.forgery import Forgery, Stage
from validator.selftest.mutants import Mutant
from validator.selftest.mutants_claims import author
from validator.selftest.mutants_quotes import Edit, on_edge

_A, _L = Stage.DOCUMENT, Stage.LEAVES


def snapshot(**values: object) -> Edit:
    """The author has the first page say something else of itself."""
    return author(lambda document: document["snapshots"][0].update(values))


def source(**values: object) -> Edit:
    return author(lambda document: document["sources"][0].update(values))


def cluster(change: Callable[[Json], object]) -> Edit:
    """On the cluster of three."""
    return author(lambda document: change(next(c for c in document["clusters"] if len(c["members"]) == 3)))


def beside_leader(found: Json) -> Json:
    """The edge that no member needs: of the two that do not lead."""
    edge: Json = next(e for e in found["edges"] if found["leader_text_sha256"] not in (e["a"], e["b"]))
    return edge


def parted(*spans: tuple[int, int]) -> Edit:
    """The first quote leaves something out, its parts at these places."""

    def edit(forgery: Forgery) -> None:
        edge = forgery.edge("ev-001")
        text, base = forgery.text_of(edge), edge["quote_start"]
        places = [(base + start, base + end) for start, end in spans]
        edge["parts"] = [{"start": start, "end": end, "quote": text[start:end]} for start, end in places]

    return edit


def invented_part(forgery: Forgery) -> None:
    parted((0, 36), (37, 61))(forgery)
    forgery.edge("ev-001")["parts"][0]["quote"] = "The valve closes in 4 milliseconds,"


MUTANTS = (
    Mutant("another title", _A, snapshot(title="The valve fails"), K.LEAF_DESCRIPTION),
    Mutant("an author of one's own", _A, snapshot(author="A. Nobel"), K.LEAF_DESCRIPTION),
    Mutant("a publisher of one's own", _A, snapshot(publisher="The Academy"), K.LEAF_DESCRIPTION),
    Mutant("another language", _A, snapshot(language="la"), K.LEAF_DESCRIPTION),
    Mutant("another visit", _A, snapshot(visit=7), K.LEAF_DESCRIPTION),
    Mutant("a date of one's own", _A, snapshot(published_at="2020-01-01"), K.LEAF_DESCRIPTION),
    Mutant("a date's source of one's own", _A, snapshot(published_source="json-ld"), K.LEAF_DESCRIPTION),
    Mutant(
        "a wish for robots made up",
        _L,
        lambda forgery: forgery.snapshots["story"].update(
            robots_directives=[{"source": "header", "agent": None, "directive": "noarchive"}]
        ),
        K.LEAF_DESCRIPTION,
    ),
    Mutant(
        "a server's digest made up",
        _L,
        lambda forgery: forgery.snapshots["story"].update(
            server_digests=[{"field": "digest", "algorithm": "md5", "agrees": False, "reason": None}]
        ),
        K.LEAF_DESCRIPTION,
    ),
    Mutant("an outline of one's own", _A, snapshot(pages=[0, 9]), K.LEAF_DESCRIPTION),
    Mutant("a source's author of one's own", _A, source(author="A. Nobel"), K.SOURCE_FIELD),
    Mutant("a source's publisher of one's own", _A, source(publisher="The Academy"), K.SOURCE_FIELD),
    Mutant("a page of a page without pages", _A, on_edge("ev-001", locator={"page": 77}), K.BUNDLE_LOCATOR),
    Mutant("another paragraph", _A, on_edge("ev-001", locator={"paragraph": 3}), K.BUNDLE_LOCATOR),
    Mutant("another heading", _A, on_edge("ev-001", locator={"heading": "Results"}), K.BUNDLE_LOCATOR),
    Mutant("parts in another order", _A, parted((37, 61), (0, 36)), K.BUNDLE_PARTS),
    Mutant("parts that overlap", _A, parted((0, 36), (20, 61)), K.BUNDLE_PARTS),
    Mutant("a part beyond the quote", _A, parted((0, 36), (38, 70)), K.BUNDLE_PARTS),
    Mutant("a part that cuts a word", _A, parted((0, 33), (37, 61)), K.BUNDLE_QUOTE_CUT),
    Mutant("a part with another figure", _A, invented_part, K.BUNDLE_PARTS),
    Mutant(
        "a verdict turned round that no member needs",
        _A,
        cluster(lambda found: beside_leader(found).update(confirmed=False)),
        K.CLUSTER_EDGE,
    ),
    Mutant(
        "an opening of one's own",
        _A,
        cluster(lambda found: found["edges"][0]["figures"].update(opening_ppm=1)),
        K.CLUSTER_EDGE,
    ),
    Mutant(
        "numbers of one's own",
        _A,
        cluster(lambda found: found["edges"][0]["figures"].update(numbers_ppm=1)),
        K.CLUSTER_EDGE,
    ),
    Mutant(
        "other numbers, written onto letters, called the same",
        _A,
        cluster(lambda found: found["edges"][0]["figures"].update(numbers_ppm=1_000_000)),
        K.CLUSTER_EDGE,
    ),
    Mutant(
        "a rule that its figures do not bear",
        _A,
        cluster(lambda found: beside_leader(found).update(rule="shared-frame", confirmed=False)),
        K.CLUSTER_EDGE,
    ),
    Mutant(
        "an overlap of one's own",
        _A,
        cluster(lambda found: found["edges"][0]["figures"].update(shingle_jaccard_ppm=999_999)),
        K.CLUSTER_EDGE,
    ),
    Mutant(
        "an edge twice", _A, cluster(lambda found: found["edges"].append(found["edges"][0])), K.CLUSTER_EDGE_MISPLACED
    ),
    Mutant(
        "a member twice", _A, cluster(lambda found: found["members"].append(found["members"][0])), K.BUNDLE_LISTED_TWICE
    ),
    Mutant(
        "a source of a group twice",
        _A,
        author(
            lambda document: document["independence"][0]["source_ids"].append(
                document["independence"][0]["source_ids"][0]
            )
        ),
        K.BUNDLE_LISTED_TWICE,
    ),
    Mutant(
        "a representative for no reason",
        _A,
        cluster(lambda found: found.update(representative_reason="the best known")),
        K.CLUSTER_REPRESENTATIVE_DIFFERS,
    ),
)
