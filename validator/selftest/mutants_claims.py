"""Forgeries of claims, judgements, sources and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from schemas.canonical import canonical_sha256
from schemas.findings import FindingKind as K
from schemas.judging import checker_id
from schemas.records.source import Tier
from validator.selftest.capture import Json
from validator.selftest.document import BUILT_AT
from validator.selftest.forgery import Forgery, Stage
from validator.selftest.mutants import Mutant
from validator.selftest.mutants_quotes import Edit, on_edge, raw

Change = Callable[[Json], object]


def author(change: Change) -> Edit:
    """The author changes the document before signing it."""
    return lambda forgery: change(forgery.document)


def carrier(change: Change) -> Edit:
    """Whoever carries the bundle changes the document; the signature stays as it was."""
    return lambda forgery: forgery.edit_document(change)


def entry(document: Json, name: str, identifier: str) -> Json:
    found: Json = next(e for e in document[name] if e["id"] == identifier)
    return found


def put(name: str, identifier: str, **values: object) -> Change:
    return lambda document: entry(document, name, identifier).update(values)


def without(name: str, identifiers: Iterable[str]) -> Change:
    gone = set(identifiers)

    def change(document: Json) -> None:
        document[name] = [e for e in document[name] if e["id"] not in gone]

    return change


def again(name: str) -> Change:
    return lambda document: document[name].append(document[name][0])


def dropped_claim(document: Json) -> None:
    """A claim with all that belongs to it: nothing is left that could tell, but for the signature."""
    without("claims", ["c-05"])(document)
    without("evidence", ["ev-009"])(document)
    without("judgements", ["j-009"])(document)


def dropped_contradiction(document: Json) -> None:
    without("evidence", ["ev-006"])(document)
    without("judgements", ["j-006"])(document)
    document["arbitrations"] = []


def unarbitrated(document: Json) -> None:
    document["arbitrations"] = []


def set_aside_more(document: Json) -> None:
    document["arbitrations"][0]["evidence_ids"].append("ev-005")


def softened(document: Json) -> None:
    """The contradiction is now called no support, edge and judgement alike; its arbitration is gone."""
    entry(document, "evidence", "ev-006")["support"] = "no_support"
    document["judgements"].append({**entry(document, "judgements", "j-006"), "id": "j-106"})
    entry(document, "judgements", "j-006").update(judged_at="2026-08-31T00:00:00Z")
    entry(document, "judgements", "j-106").update(support="no_support")
    entry(document, "evidence", "ev-006")["judgement_id"] = "j-106"
    document["arbitrations"] = []


def tied(document: Json) -> None:
    document["judgements"].append({**document["judgements"][0], "id": "j-101", "support": "contradicts"})


def disagreeing(document: Json) -> None:
    """One person finds all of it, the last that it is none; nobody says who is right."""
    own = entry(document, "judgements", "j-001")
    own.update(checker_version="human@1", by="ada")
    entry(document, "evidence", "ev-001").update(checker_version="human@1")
    earlier = {"id": "j-101", "by": "bob", "support": "no_support", "judged_at": "2026-08-21T00:00:00Z"}
    document["judgements"].append({**own, **earlier})


def outdated(document: Json) -> None:
    document["judgements"].append({**document["judgements"][0], "id": "j-101", "support": "no_support"})
    entry(document, "judgements", "j-001").update(judged_at="2026-08-31T00:00:00Z")
    entry(document, "evidence", "ev-001").update(checked_at="2026-08-31T00:00:00Z")


def against_a_person(document: Json) -> None:
    """Somebody reviewed the edge and found half of it; the author goes on naming his own, later word."""
    person = {"id": "j-101", "support": "partial", "checker_version": "human@1", "judged_at": "2026-08-31T00:00:00Z"}
    document["judgements"].append({**document["judgements"][0], **person})


def judged_by(checker: str) -> Change:
    """The first edge rests on this checker's word."""

    def change(document: Json) -> None:
        entry(document, "evidence", "ev-001")["checker_version"] = checker
        entry(document, "judgements", "j-001")["checker_version"] = checker

    return change


def unaudited(document: Json) -> None:
    """A model that is pinned, as it should be, and that no person has looked after."""
    pins: Json = {"model": "judge", "prompt": "Judge the quote.", "temperature": "0"}
    name = checker_id("chat@1", pins)
    judged_by(name)(document)
    document["policies"].insert(0, {"id": name, "kind": "checker", "sha256": canonical_sha256(pins), "value": pins})


def twin(forgery: Forgery) -> None:
    """The same claim once more, so that the contradiction stays with its twin."""
    forgery.document["claims"].append({**forgery.document["claims"][2], "id": "c-06"})
    for number, old in ((10, "ev-005"), (11, "ev-004")):
        edge = {**forgery.edge(old), "id": f"ev-{number:03d}", "claim_id": "c-06", "judgement_id": f"j-{number:03d}"}
        forgery.document["evidence"].append(edge)
        judged = {**forgery.document["judgements"][0], "id": edge["judgement_id"], "evidence_id": edge["id"]}
        forgery.document["judgements"].append(judged)
        forgery.judge(edge)


def padded(document: Json) -> None:
    document["evidence"].append({**document["evidence"][0], "id": "ev-101", "judgement_id": "j-101"})
    document["judgements"].append({**document["judgements"][0], "id": "j-101", "evidence_id": "ev-101"})


def promoted(forgery: Forgery) -> None:
    """The list of links becomes the second source of a critical claim."""
    forgery.document["evidence"][2] |= {"claim_id": "c-05"}
    edge = forgery.edge("ev-007")
    edge["claim_id"] = "c-01"
    without("evidence", ["ev-002"])(forgery.document)
    without("judgements", ["j-002"])(forgery.document)
    for each in (edge, forgery.edge("ev-003")):
        forgery.judge(each)


def one_group(forgery: Forgery) -> None:
    """Only one group is left for a critical claim that needs two."""
    without("evidence", ["ev-002", "ev-003"])(forgery.document)
    without("judgements", ["j-002", "j-003"])(forgery.document)


def own_group(document: Json) -> None:
    """One more group, made of nothing."""
    document["independence"].append({**document["independence"][0], "group": "site:elsewhere.example"})


def by_host(document: Json) -> None:
    """A host beside others of its domain as a site of its own, though the list says whose it is."""
    story = next(source for source in document["sources"] if source["host"] == "news.example.org")
    for record in document["independence"]:
        if record["source_ids"] == [story["id"]]:
            record["group"] = "site:news.example.org"
    for edge in document["evidence"]:
        if edge["source_id"] == story["id"]:
            edge["independence_group"] = "site:news.example.org"


def without_list(document: Json) -> None:
    """The same, and the list is gone that would say so."""
    document["policies"] = [policy for policy in document["policies"] if policy["kind"] != "suffixes"]
    for record in document["independence"]:
        if record["reason"] == "own":
            own = next(source for source in document["sources"] if source["id"] == record["source_ids"][0])
            record["group"] = f"site:{own['host']}"
    groups = {source: record["group"] for record in document["independence"] for source in record["source_ids"]}
    for edge in document["evidence"]:
        edge["independence_group"] = groups[edge["source_id"]]


def no_rules(document: Json) -> None:
    """A list that says nothing."""
    policy: Any = next(p for p in document["policies"] if p["kind"] == "suffixes")
    policy |= {"value": {"rules": []}, "sha256": canonical_sha256({"rules": []})}


def split(document: Json) -> None:
    """A manual group that nobody stands for."""
    record = document["independence"].pop(0)
    manual = {**record, "group": "manual:mine", "reason": "manual", "by": "", "at": BUILT_AT, "why": "so"}
    document["independence"].append(manual)
    for edge in document["evidence"]:
        if edge["source_id"] in record["source_ids"]:
            edge["independence_group"] = "manual:mine"


def copied(forgery: Forgery) -> None:
    """Two sites with one text, kept apart by two clusters of one each."""
    at, lab = next((i, page) for i, page in enumerate(forgery.pages) if page.name == "lab")
    story = next(page for page in forgery.pages if page.name == "story")
    forgery.pages[at] = replace(story, name="lab", url=lab.url, tier=lab.tier)


def reworded(forgery: Forgery) -> None:
    """Two sites with nearly one text."""
    at, lab = next((i, page) for i, page in enumerate(forgery.pages) if page.name == "lab")
    story = next(page for page in forgery.pages if page.name == "story")
    last = "More soon, says an editor."
    forgery.pages[at] = replace(story, name="lab", url=lab.url, tier=lab.tier, sentences=(*story.sentences[:2], last))


def known_cluster(forgery: Forgery) -> None:
    """The log had two pages in one cluster; the author has them apart."""
    for name in ("story", "lab"):
        forgery.leaves[name]["cluster_id"] = "cl-" + "9" * 16


def relabelled(forgery: Forgery) -> None:
    """The log calls a page an aggregator, the author calls it official."""
    for source in forgery.document["sources"]:
        if "links" in source["host"]:
            source["tier"]["tier"] = Tier.OFFICIAL.value


def emptied(*names: str) -> Change:
    def change(document: Json) -> None:
        for name in names:
            document[name] = []

    return change


def unread(forgery: Forgery) -> None:
    """A paywall's page as evidence."""
    forgery.snapshots["story"]["reader_status"] = "paywall"


def policy_changed(document: Json) -> None:
    policy: Any = next(p for p in document["policies"] if p["kind"] == "tier")
    policy["value"] = {"of": "me"}


_A, _F, _P, _L, _S = Stage.DOCUMENT, Stage.FILES, Stage.PAGES, Stage.LEAVES, Stage.SNAPSHOTS
MUTANTS = (
    Mutant("an id twice", _A, author(again("claims")), K.BUNDLE_DUPLICATE_ID),
    Mutant("a snapshot's id twice", _A, author(again("snapshots")), K.BUNDLE_DUPLICATE_ID),
    Mutant("evidence for no claim", _A, author(put("evidence", "ev-003", claim_id="c-99")), K.BUNDLE_UNKNOWN_REFERENCE),
    Mutant("no claims", _A, author(emptied("claims", "arbitrations")), K.BUNDLE_EMPTY),
    Mutant("no evidence", _A, author(emptied("evidence", "judgements", "arbitrations")), K.BUNDLE_EMPTY),
    Mutant("a claim dropped by its carrier", _F, carrier(dropped_claim), K.SIGNATURE_SUBJECT),
    Mutant("a claim dropped, its evidence left", _A, author(without("claims", ["c-05"])), K.BUNDLE_UNKNOWN_REFERENCE),
    Mutant("a contradiction dropped by its carrier", _F, carrier(dropped_contradiction), K.SIGNATURE_SUBJECT),
    Mutant("a contradiction dropped, its judgement left", _A, author(without("evidence", ["ev-006"])), K.BUNDLE_ORPHAN),
    Mutant("an arbitration dropped", _A, author(unarbitrated), K.CLAIM_STATUS),
    Mutant("an arbitration of what does not contradict", _A, author(set_aside_more), K.ARBITRATION_MISPLACED),
    Mutant(
        "an arbitration without a reason",
        _A,
        author(lambda document: document["arbitrations"][0].update(why=" " * 12)),
        K.ARBITRATION_UNEXPLAINED,
    ),
    Mutant("a contradiction called no support", _A, author(softened), K.JUDGEMENT_OVERRULED),
    Mutant("partial raised to full", _A, author(put("evidence", "ev-008", support="full")), K.JUDGEMENT_DIFFERS),
    Mutant(
        "importance lowered by its carrier",
        _F,
        carrier(put("claims", "c-01", importance="ordinary")),
        K.SIGNATURE_SUBJECT,
    ),
    Mutant("importance raised", _A, author(put("claims", "c-02", importance="critical")), K.CLAIM_NOT_SUPPORTED),
    Mutant("importance in another case", _F, raw(b'"importance":"critical"', b'"importance":"Critical"'), None),
    Mutant("a status that does not follow", _A, author(put("claims", "c-04", status="partial")), K.CLAIM_STATUS),
    Mutant("a claim's words changed", _A, author(put("claims", "c-02", text="It costs $50.")), K.JUDGEMENT_STALE),
    Mutant("a claim stated twice", _A, twin, K.CLAIM_TWICE),
    Mutant("one piece of evidence twice", _A, author(padded), K.BUNDLE_EDGE_TWICE),
    Mutant(
        "a judgement of other words", _A, author(put("judgements", "j-001", inputs_sha256="0" * 64)), K.JUDGEMENT_STALE
    ),
    Mutant("a judgement that was overtaken", _A, author(outdated), K.JUDGEMENT_SUPERSEDED),
    Mutant("a person's judgement overruled by the author", _A, author(against_a_person), K.JUDGEMENT_SUPERSEDED),
    Mutant("a lexical checker's word as support", _A, author(judged_by("lexical@1")), K.JUDGEMENT_ONLY_WARNS),
    Mutant("a model that nobody pinned", _A, author(judged_by("chat@1")), K.JUDGEMENT_UNPINNED),
    Mutant("a model that nobody audited", _A, author(unaudited), K.JUDGEMENT_SAMPLE),
    Mutant("two judgements of one time", _A, author(tied), K.JUDGEMENT_TIED),
    Mutant("two people who disagree", _A, author(disagreeing), K.JUDGEMENT_UNRESOLVED),
    Mutant("a judgement without a word", _A, author(put("judgements", "j-001", rationale="")), K.JUDGEMENT_BARE),
    Mutant(
        "a judgement after the bundle", _A, on_edge("ev-001", checked_at="2026-09-01T00:00:01Z"), K.TIME_AFTER_BUILT
    ),
    Mutant("a group missing", _A, author(lambda document: document["independence"].pop()), K.INDEPENDENCE_GROUPS),
    Mutant("a group made of nothing", _A, author(own_group), K.INDEPENDENCE_GROUPS),
    Mutant("a host of a domain as a site of its own", _A, author(by_host), K.INDEPENDENCE_GROUPS),
    Mutant("the list of public suffixes left out", _A, author(without_list), K.INDEPENDENCE_OTHER_LIST),
    Mutant("a list of no public suffixes", _A, author(no_rules), K.INDEPENDENCE_LIST),
    Mutant("a manual group that nobody stands for", _A, author(split), K.INDEPENDENCE_UNEXPLAINED),
    Mutant(
        "an edge in another group",
        _A,
        author(put("evidence", "ev-001", independence_group="site:elsewhere.example")),
        K.INDEPENDENCE_EDGE,
    ),
    Mutant("one group where two are needed", _A, one_group, K.CLAIM_NOT_SUPPORTED),
    Mutant("an aggregator under a critical claim", _A, promoted, K.EDGE_NOT_COUNTED),
    Mutant("a copy as a second source", _P, copied, K.CLUSTER_SAME_TEXT),
    Mutant("a reworded copy as a second source", _P, reworded, K.INDEPENDENCE_COPIES),
    Mutant("a cluster of the log taken apart", _L, known_cluster, K.INDEPENDENCE_LEAF_SPLIT),
    Mutant("an aggregator called official", _A, relabelled, K.TIER_DIFFERS),
    Mutant("a type that no source fits", _A, author(put("claims", "c-04", claim_type="price")), K.CLAIM_TIER_UNFIT),
    Mutant("a vendor's comparison", _A, author(put("claims", "c-02", claim_type="comparison")), K.CLAIM_BY_VENDOR),
    Mutant("a policy changed", _A, author(policy_changed), K.BUNDLE_POLICY_DIGEST),
    Mutant("a policy dropped", _A, author(lambda document: document["policies"].pop()), K.BUNDLE_POLICY_MISSING),
    Mutant("a page behind a paywall", _S, unread, K.BUNDLE_NOT_CITEABLE),
    Mutant("a search snippet beside the quote", _F, raw(b'"match_level"', b'"snippet":"...","match_level"'), None),
    Mutant("a name twice", _F, raw(b'"offset_unit"', b'"id":"other","offset_unit"'), None),
)
