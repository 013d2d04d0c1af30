"""For each finding code of a bundle the smallest edit that triggers exactly it, and nothing else.

An edit is made at a stage; what comes later is made from it, as a careful forger would. `options` are those of
the run, `trust` names the keys that the caller trusts.
"""

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from schemas.canonical import canonical_sha256
from schemas.findings import FindingKind as K

Edit = Callable[[Any], object]


@dataclass
class Case:
    kind: K
    stage: str
    edit: Edit
    exit_code: int = 1
    deep: bool = False
    trust: str | None = "both"
    profile: str = "claim"
    options: tuple[str, ...] = ()
    author: bool = True
    trust_author: str | None = None
    note: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind.code}{'-' + self.note if self.note else ''}"


def d(change: Callable[[dict[str, Any]], object]) -> Edit:
    """An edit of the document."""
    return lambda world: change(world.document)


def text_file(world: Any, name: str) -> str:
    return f"texts/{world.snapshots[name]['id']}.txt"


def flip_text(world: Any) -> None:
    path = text_file(world, "b")
    world.files[path] = world.files[path].replace(b"40", b"41")


def retext(new: str, *, chars: int | None = None) -> Edit:
    """Give page b another text, bound by leaf and conversion record: the extractor's fault, not a forger's."""

    def edit(world: Any) -> None:
        data = new.encode("utf-8", "surrogateescape")
        snapshot = world.snapshots["b"]
        digest = __import__("hashlib").sha256(data).hexdigest()
        snapshot["text_sha256"] = digest
        snapshot["text_chars"] = len(new) if chars is None else chars
        world.texts["b"] = data
        for record in world.records["b"]:
            if record.role == "conversion":
                record.block_sha256 = digest

    return edit


SENTENCE = "The valve closes in 40 milliseconds & is fast enough for the northern grid."


def quote_drifts(world: Any) -> None:
    edge = world.edge("ev-002")
    edge["quote"] = edge["quote"].replace("is fast", "is not fast")
    world.judge(edge)


def context_drifts(world: Any) -> None:
    edge = world.edge("ev-002")
    edge["prefix"] = edge["prefix"][1:]
    world.judge(edge)


def quote_only(world: Any) -> None:
    world.snapshots["e"] |= {"retention": "quote_only", "text_path": None}


def orphan_source(world: Any) -> None:
    url = "https://other.example/"
    source = {**world.document["sources"][0], "normalized_url": url, "host": "other.example", "cluster_id": None}
    source["id"] = "src-" + __import__("hashlib").sha256(b"conservative@1\n" + url.encode()).hexdigest()[:16]
    world.document["sources"].append(source)
    group = {"group": "unknown", "source_ids": [source["id"]], "reason": "unknown", "by": "x", "at": None, "why": ""}
    world.document["independence"].append(group)


def other_source(world: Any) -> None:
    """The copy's source, which is in the same group."""
    world.edge("ev-002")["source_id"] = world.page("c").source_id


def misplaced(document: dict[str, Any]) -> None:
    document["arbitrations"][0]["evidence_ids"].append("ev-007")


def claim(document: dict[str, Any], number: int) -> dict[str, Any]:
    found: dict[str, Any] = document["claims"][number - 1]
    return found


def without_edges(*ids: str) -> Callable[[dict[str, Any]], None]:
    def edit(document: dict[str, Any]) -> None:
        document["evidence"] = [e for e in document["evidence"] if e["id"] not in ids]
        document["judgements"] = [j for j in document["judgements"] if j["evidence_id"] not in ids]

    return edit


def single_source(document: dict[str, Any]) -> None:
    without_edges("ev-001", "ev-002")(document)
    claim(document, 1)["status"] = "single-source"


def uncited(document: dict[str, Any]) -> None:
    document["claims"].append({"id": "c-04", "text": "x", "importance": "ordinary", "status": "uncited"})


def conflicted(document: dict[str, Any]) -> None:
    document["arbitrations"] = []
    claim(document, 3)["status"] = "conflicted"


def aggregator_counts_not(world: Any) -> None:
    claim(world.document, 2)["importance"] = "critical"


def stale(document: dict[str, Any]) -> None:
    document["judgements"][1]["inputs_sha256"] = "0" * 64


def upgraded(document: dict[str, Any]) -> None:
    document["judgements"][1]["support"] = "partial"


def regrouped(document: dict[str, Any]) -> None:
    own = next(g for g in document["independence"] if g["group"] == "site:docs.example.com")
    own["reason"] = "site"


def two_manual(document: dict[str, Any]) -> None:
    manual = next(g for g in document["independence"] if g["reason"] == "manual")
    document["independence"].append(manual | {"group": "manual:again"})


def member_text(document: dict[str, Any]) -> None:
    cluster = next(c for c in document["clusters"] if c["id"] == "cl-" + "d" * 16)
    cluster["members"][0]["text_sha256"] = cluster["leader_text_sha256"] = "0" * 64


def no_confirmed_edge(document: dict[str, Any]) -> None:
    cluster = next(c for c in document["clusters"] if len(c["members"]) == 2)
    cluster["edges"][0]["confirmed"] = False


def told_one_cluster(world: Any) -> None:
    """The log had a and d in one cluster; the author has them apart."""
    for name in ("a", "d"):
        world.leaves[name]["cluster_id"] = "cl-" + "9" * 16


def other_tier_policy(world: Any) -> None:
    world.leaves["b"]["tier"] = {"tier": "aggregator", "policy": "tiers@0", "reason": "links"}


def list_of(*rules: str) -> dict[str, Any]:
    digest = canonical_sha256({"rules": list(rules)})
    return {"id": f"public-suffixes@1+{digest}", "kind": "suffixes", "sha256": digest, "value": {"rules": rules}}


def own_list(document: dict[str, Any]) -> None:
    """By which each host is a domain of its own."""
    document["policies"].append(list_of(*(f"example.{name}" for name in ("com", "edu", "info", "net", "org"))))
    for entry, name in ((document["independence"], "group"), (document["evidence"], "independence_group")):
        for record in entry:
            record[name] = record[name].removesuffix(":8443")


def list_of_the_log(world: Any) -> None:
    world.leaves["b"]["policies"] = sorted([*world.leaves["b"]["policies"], "public-suffixes@1+01234567"])


def full_stop(world: Any) -> None:
    edge, text = world.edge("ev-002"), world.texts["b"].decode()
    at = text.index(".")
    edge |= {"quote": ".", "quote_start": at, "quote_end": at + 1, "locator": None}
    edge |= {"prefix": text[max(0, at - 32) : at], "suffix": text[at + 1 : at + 33]}
    world.judge(edge)


def padded(document: dict[str, Any]) -> None:
    document["evidence"].append(document["evidence"][0] | {"id": "ev-900", "judgement_id": "j-900"})
    document["judgements"].append(document["judgements"][0] | {"id": "j-900", "evidence_id": "ev-900"})


def judged_again(document: dict[str, Any]) -> None:
    """Of a moment later the opposite; what the edge names is half a second older."""
    earlier = "2026-08-31T23:59:59.5Z"
    later = {"id": "j-900", "support": "no_support"}
    document["judgements"].append(document["judgements"][1] | later)
    document["judgements"][1]["judged_at"] = document["evidence"][1]["checked_at"] = earlier


def tied(document: dict[str, Any]) -> None:
    document["judgements"].append(document["judgements"][1] | {"id": "j-900", "support": "contradicts"})


def overruled(document: dict[str, Any]) -> None:
    """The author said that it contradicts; who reviewed it says that it does not."""
    before = {"id": "j-900", "support": "contradicts", "judged_at": "2026-08-31T00:00:00Z"}
    document["judgements"].append(document["judgements"][1] | before)
    by("human@1")(document)


def by(checker: str) -> Callable[[dict[str, Any]], None]:
    """The edge's judgement is by this checker."""

    def edit(document: dict[str, Any]) -> None:
        document["judgements"][1]["checker_version"] = document["evidence"][1]["checker_version"] = checker

    return edit


def also(*words: tuple[str, str, str], own: str = "human@1") -> Edit:
    """Others judged the edge too, earlier: checker, who, support. `own` made the edge's own judgement."""

    def edit(world: Any) -> None:
        document = world.document
        by(own)(document)
        for number, (checker, who, support) in enumerate(words, 900):
            said = {"id": f"j-{number}", "checker_version": checker, "by": who, "support": support}
            said["judged_at"] = f"2026-08-30T00:00:00.{number}Z"
            document["judgements"].append(document["judgements"][1] | said)
        document["policies"].append(PINNED)

    return edit


PINS = {"model": "judge-7b", "prompt": "Judge the quote.", "temperature": "0"}
PINNED_SHA256 = (
    __import__("hashlib").sha256(json.dumps(PINS, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
)
CHAT = f"chat@1+{PINNED_SHA256[:8]}"
PINNED = {"id": CHAT, "kind": "checker", "sha256": PINNED_SHA256, "value": PINS}


def by_model_alone(world: Any) -> None:
    by(CHAT)(world.document)
    world.document["policies"].append(PINNED)


def against_rank(document: dict[str, Any]) -> None:
    """A person judged it; the author says otherwise, later, and names himself."""
    person = {"id": "j-900", "support": "partial", "checker_version": "human@1", "judged_at": "2026-08-31T00:00:00Z"}
    document["judgements"].append(document["judgements"][1] | person)


def on(start: int, length: int | None = None) -> Edit:
    """Put edge ev-002 on another span of its sentence, as carefully as its author can."""

    def edit(world: Any) -> None:
        edge, text = world.edge("ev-002"), world.texts["b"].decode()
        first = text.index(SENTENCE) + start
        last = text.index(SENTENCE) + len(SENTENCE) if length is None else first + length
        edge |= {"quote": text[first:last], "quote_start": first, "quote_end": last}
        edge |= {"prefix": text[max(0, first - 32) : first], "suffix": text[last : last + 32]}
        world.judge(edge)

    return edit


def in_parts(*spans: tuple[int, int]) -> Edit:
    """Edge ev-002 leaves out what stands between these spans of its sentence, its own span the whole sentence."""

    def edit(world: Any) -> None:
        edge = world.edge("ev-002")
        base = edge["quote_start"]
        edge["parts"] = [{"start": base + a, "end": base + b, "quote": SENTENCE[a:b]} for a, b in spans]
        world.judge(edge)

    return edit


def located(**values: Any) -> Edit:
    return d(lambda x: x["evidence"][1].update(locator=values))


def doubled(name: str, field: str) -> Edit:
    """The longest list of that field among these entries names its first entry once more."""

    def change(document: dict[str, Any]) -> None:
        listed = max((entry[field] for entry in document[name]), key=len)
        listed.append(listed[0])

    return d(change)


def described(**values: Any) -> Edit:
    return d(lambda x: x["snapshots"][1].update(values))


def undescribed(world: Any) -> None:
    """The log is of an older archive."""
    for leaf in world.leaves.values():
        del leaf["description_sha256"]


def figures(**values: Any) -> Edit:
    return d(lambda x: next(c for c in x["clusters"] if c["edges"])["edges"][0]["figures"].update(values))


def said_twice(world: Any) -> None:
    claim(world.document, 3)["text"] = "It  was MEASURED"
    for identifier in ("ev-007", "ev-008", "ev-009"):
        world.judge(world.edge(identifier))


def made_up_figure(world: Any) -> None:
    claim(world.document, 1)["text"] = "The valve closes in 4 milliseconds."
    for identifier in ("ev-001", "ev-002", "ev-003"):
        world.judge(world.edge(identifier))


def several_things(world: Any) -> None:
    claim(world.document, 2)["text"] = "It was measured, is fast, and closes."
    for identifier in ("ev-004", "ev-005", "ev-006"):
        world.judge(world.edge(identifier))


def by_vendor(document: dict[str, Any]) -> None:
    without_edges("ev-007")(document)
    claim(document, 3)["claim_type"] = "comparison"


def copied(more: str) -> Edit:
    """Page b is page d with a few words more, and no cluster says so."""
    return lambda world: setattr(world.page("b"), "sentences", [*world.page("d").sentences, more])


def one_domain(world: Any) -> None:
    world.page("b").url = "https://example.com./story"
    world.page("d").url = "https://m.docs.example.com:8443/report?id=7"


def merged_by_number(world: Any) -> None:
    world.page("c").url = "https://news.example.org/story?ref=home"


def split_by_hand(world: Any) -> None:
    world.page("e").url = "https://lab.example.edu:8443/links"


def withheld(world: Any) -> None:
    """The rights allow a quote and its text, not the page."""
    world.snapshots["e"]["retention"] = "quote_only"
    world.records["e"] = [record for record in world.records["e"] if record.role != "response"]


def early(document: dict[str, Any]) -> None:
    """Built, judged and decided before the page was seen."""
    before = "2026-08-22T03:15:00Z"
    document["created_at"] = before
    for entry, name in (("evidence", "checked_at"), ("judgements", "judged_at"), ("arbitrations", "at")):
        for item in document[entry]:
            item[name] = before
    next(g for g in document["independence"] if g["reason"] == "manual")["at"] = before


def manual(**values: str) -> Edit:
    return d(lambda x: next(g for g in x["independence"] if g["reason"] == "manual").update(values))


def same_text_apart(world: Any) -> None:
    """Page e copies page d's text; both clusters claim to be alone."""
    world.page("e").sentences = list(world.page("d").sentences)
    world.page("e").cluster = "e"


def leaf(name: str, value: Any) -> Edit:
    return lambda world: world.leaves["b"].__setitem__(name, value)


def wrong_role(world: Any) -> None:
    records = world.leaves["b"]["records"]
    records[0]["record_id"] = "urn:uuid:00000000-0000-4000-8000-000000000009"


def unbound_text(world: Any) -> None:
    next(r for r in world.leaves["b"]["records"] if r["role"] == "conversion")["block_sha256"] = "0" * 64


def retime(world: Any) -> None:
    world.snapshots["e"]["retrieved_at"] = "2026-08-22T03:15:01Z"


def unnormalized(world: Any) -> None:
    world.snapshots["b"]["final_url"] += "?utm_source=x&page=2"


def head_bytes(world: Any) -> None:
    name = "manifest/0000000001.json"
    world.files[name] = world.files[name] + b"\n"


def drop(pattern: str) -> Edit:
    def edit(world: Any) -> None:
        for name in [n for n in world.files if pattern in n]:
            del world.files[name]

    return edit


def envelope(change: Callable[[dict[str, Any]], object]) -> Edit:
    def edit(world: Any) -> None:
        name = next(n for n in world.files if n.startswith("manifest/") and n.endswith(".dsse.json"))
        document = json.loads(world.files[name])
        change(document)
        world.files[name] = json.dumps(document).encode()

    return edit


def break_signature(document: dict[str, Any]) -> None:
    signature = document["signatures"][0]
    first = "B" if signature["sig"][0] == "A" else "A"
    signature["sig"] = first + signature["sig"][1:]


def head_signed_by_author(world: Any) -> None:
    name = next(n for n in world.files if n.startswith("manifest/") and n.endswith(".dsse.json"))
    world.files[name] = json.dumps(world.author.head_envelope(world.head)).encode()


def other_subject(world: Any) -> None:
    """The author signs, but something else."""
    world.files["bundle.dsse.json"] = next(
        data for name, data in world.files.items() if name.startswith("manifest/") and name.endswith(".dsse.json")
    )


def warc(role: str, change: Callable[[bytes], bytes], name: str = "b", *, rebind: bool = False) -> Edit:
    """Change the bytes of one record before it is compressed; offsets follow."""

    def edit(world: Any) -> None:
        import hashlib

        record = next(r for r in world.records[name] if r.role == role)
        plain = change(gzip.decompress(record.data))
        record.data = gzip.compress(plain, mtime=0)
        if rebind:
            record.block_sha256 = hashlib.sha256(plain.partition(b"\r\n\r\n")[2][:-4]).hexdigest()

    return edit


def same_length(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    assert len(old) == len(new)

    def change(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new)

    return change


def cut(world: Any) -> None:
    record = next(r for r in world.records["b"] if r.role == "response")
    record.data = record.data[:-4]


def tombstone(world: Any) -> None:
    record = next(r for r in world.records["b"] if r.role == "request")
    block = b"tombstone: by order\r\n"
    head = (
        f"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <{record.id[:-1]}0>\r\nWARC-Refers-To: <{record.id}>\r\n"
    )
    head += f"WARC-Date: 2026-09-01T00:00:00Z\r\nContent-Length: {len(block)}\r\n\r\n"
    record.data = gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


def forget_member(document: dict[str, Any]) -> None:
    snapshot = next(s for s in document["snapshots"] if "news" in s["final_url"])
    snapshot["warc"]["members"] = [m for m in snapshot["warc"]["members"] if m["type"] != "warcinfo"]


def invent(world: Any) -> None:
    """The extractor made up a sentence: text, leaf and conversion record all agree on it."""
    page = world.page("b")
    page.html = page.body.decode().replace("northern", "southern")


def footnote(world: Any) -> None:
    page = world.page("b")
    page.html = page.body.decode().replace("northern grid", "northern <sup>note 3</sup> grid")


def unknown_coding(world: Any) -> None:
    world.page("b").content_type = "text/html\r\nContent-Encoding: compress"
    world.page("b").html = None


def pdf(world: Any) -> None:
    world.page("b").content_type = "application/pdf"


def decoded_digest(world: Any) -> None:
    world.snapshots["b"]["decoded_sha256"] = "0" * 64


def payload_header(data: bytes) -> bytes:
    head, _, rest = data.partition(b"WARC-Payload-Digest: sha256:")
    return head + b"WARC-Payload-Digest: sha256:" + b"0" * 64 + rest[64:]


def refers_elsewhere(data: bytes) -> bytes:
    head, _, rest = data.partition(b"WARC-Refers-To: <urn:uuid:")
    return head + b"WARC-Refers-To: <urn:uuid:" + b"0" * 8 + rest[8:]


def huge(root: Path) -> None:
    text = next((root / "texts").iterdir())
    os.truncate(text, 65 * 1024 * 1024)


def looped(root: Path) -> None:
    text = next((root / "texts").iterdir())
    text.unlink()
    text.symlink_to(text.name)


def piped(root: Path) -> None:
    text = next((root / "texts").iterdir())
    text.unlink()
    os.mkfifo(text)


def escaping(root: Path) -> None:
    text = next((root / "texts").iterdir())
    outside = root.parent / "outside.txt"
    outside.write_bytes(text.read_bytes())
    text.unlink()
    text.symlink_to(outside)


def other_head(world: Any) -> None:
    """Beside the signed head another one, as if there were two logs."""
    world.files["manifest/0000000002.json"] = world.files["manifest/0000000001.json"]


def flipped_key(world: Any) -> None:
    """One byte of a key file."""
    name = next(name for name in world.files if name.startswith("keys/"))
    data = bytearray(world.files[name])
    data[60] ^= 1
    world.files[name] = bytes(data)


def swapped_keys(world: Any) -> None:
    one, other = (name for name in world.files if name.startswith("keys/"))
    world.files[one], world.files[other] = world.files[other], world.files[one]


def linked_folder(root: Path) -> None:
    (root.parent / "elsewhere").mkdir()
    (root / "more").symlink_to(root.parent / "elsewhere")


def appended(world: Any) -> None:
    world.files["archive/records.warc.gz"] += world.warcinfo


def forget_warcinfo(document: dict[str, Any]) -> None:
    for snapshot in document["snapshots"]:
        snapshot["warc"]["members"] = [m for m in snapshot["warc"]["members"] if m["type"] != "warcinfo"]


def checkpoint(size: int = 5, root: str = "0" * 64, sequence: int = 1) -> str:
    head = {"sequence": sequence, "tree_size": size, "root_sha256": root, "head_sha256": "1" * 64}
    return json.dumps({"schema": "citevault/checkpoint@1", **head})


CASES = [
    Case(K.FILE_MISSING, "files", lambda w: w.files.pop(text_file(w, "b"))),
    Case(K.FILE_MISSING, "files", drop("records.warc"), note="warc"),
    Case(K.FILE_MISSING, "files", drop("manifest/0000000001.json"), note="head"),
    Case(K.FILE_UNSAFE_PATH, "disk", escaping),
    Case(K.FILE_UNSAFE_PATH, "document", d(lambda x: x["snapshots"][1]["warc"].update(path="../x")), note="warc"),
    Case(K.FILE_NOT_REGULAR, "disk", piped),
    Case(K.FILE_TOO_LARGE, "disk", huge, exit_code=3),
    Case(K.FILE_UNREADABLE, "disk", looped, exit_code=3),
    Case(K.FILE_UNLISTED, "files", lambda w: w.files.update({"texts/more.txt": b"x"}), exit_code=0),
    Case(K.FILE_UNLISTED, "files", lambda w: w.files.update({"read.me": b"x"}), profile="strict", note="strict"),
    Case(K.FILE_UNLISTED, "files", lambda w: w.files.update({"keys/key.pem": b"x"}), exit_code=0, note="key"),
    Case(K.FILE_UNLISTED, "files", other_head, exit_code=0, note="head"),
    Case(K.FILE_UNLISTED, "disk", linked_folder, exit_code=0, note="linked-folder"),
    Case(K.BUNDLE_DUPLICATE_ID, "document", d(lambda x: x["claims"].append(x["claims"][0]))),
    Case(
        K.BUNDLE_UNKNOWN_REFERENCE,
        "document",
        d(lambda x: x["clusters"][0].update(representative_source_id="src-" + "0" * 16)),
    ),
    Case(K.BUNDLE_ORPHAN, "document", orphan_source),
    Case(K.BUNDLE_ORPHAN, "document", d(lambda x: x["evidence"].__delitem__(5)), note="cut-edge"),
    Case(K.BUNDLE_SOURCE_MISMATCH, "document", other_source),
    Case(K.BUNDLE_ID_NOT_DERIVED, "snapshots", retime),
    Case(K.BUNDLE_URL_NOT_NORMALIZED, "snapshots", unnormalized),
    Case(K.BUNDLE_URL_NOT_NORMALIZED, "document", d(lambda x: x["sources"][0].update(host="example.com")), note="host"),
    Case(K.BUNDLE_POLICY_DIGEST, "document", d(lambda x: x["policies"][1].update(value={"rules": [1]}))),
    Case(K.BUNDLE_POLICY_MISSING, "document", d(lambda x: x["policies"].pop())),
    Case(K.BUNDLE_POLICY_MISSING, "document", d(lambda x: x["policies"][-1].update(kind="tier")), note="kind"),
    Case(K.SNAPSHOT_FIELD, "snapshots", lambda w: w.snapshots["b"].update(fragment="other"), note="fragment"),
    Case(K.SNAPSHOT_FIELD, "snapshots", lambda w: w.snapshots["b"].update(content_bytes=1), deep=True, note="size"),
    Case(K.SNAPSHOT_FIELD, "snapshots", lambda w: w.snapshots["b"].update(etag='"x"'), deep=True, note="etag"),
    Case(
        K.SNAPSHOT_FIELD,
        "snapshots",
        lambda w: w.snapshots["d"].update(last_modified="Mon, 01 Jan 2001 00:00:00 GMT"),
        deep=True,
        note="revisit",
    ),
    Case(
        K.SNAPSHOT_FIELD,
        "snapshots",
        lambda w: w.snapshots["b"].update(content_type="text/html"),
        deep=True,
        note="type",
    ),
    Case(K.BUNDLE_LISTED_TWICE, "document", doubled("clusters", "members"), note="members"),
    Case(K.BUNDLE_LISTED_TWICE, "document", doubled("independence", "source_ids"), note="sources"),
    Case(K.BUNDLE_LISTED_TWICE, "document", doubled("arbitrations", "evidence_ids"), note="set-aside"),
    Case(K.SOURCE_FIELD, "document", d(lambda x: x["sources"][1].update(author="A. Nother")), note="author"),
    Case(K.SOURCE_FIELD, "document", d(lambda x: x["sources"][1].update(publisher="The Times")), note="publisher"),
    Case(K.LEAF_DESCRIPTION, "document", described(title="Another title"), note="title"),
    Case(K.LEAF_DESCRIPTION, "document", described(language="la"), note="language"),
    Case(K.LEAF_DESCRIPTION, "document", described(visit=9), note="visit"),
    Case(K.LEAF_DESCRIPTION, "document", described(published_source="meta"), note="published-source"),
    Case(K.LEAF_DESCRIPTION, "document", described(pages=[0, 5]), note="outline"),
    Case(K.LEAF_UNDESCRIBED, "leaves", undescribed, exit_code=0),
    Case(K.BUNDLE_LOCATOR, "document", located(page=77), note="page"),
    Case(K.BUNDLE_LOCATOR, "document", located(paragraph=1), note="paragraph"),
    Case(K.BUNDLE_LOCATOR, "document", located(heading="Results"), note="heading"),
    Case(K.BUNDLE_PARTS, "document", in_parts((53, 75), (0, 35)), note="order"),
    Case(K.BUNDLE_PARTS, "document", in_parts((0, 35), (20, 75)), note="overlap"),
    Case(K.BUNDLE_PARTS, "document", in_parts((0, 35), (53, 74)), note="end"),
    Case(K.BUNDLE_QUOTE_CUT, "document", in_parts((0, 33), (53, 75)), note="part"),
    Case(K.BUNDLE_NOT_CITEABLE, "snapshots", lambda w: w.snapshots["b"].update(reader_status="paywall")),
    Case(K.BUNDLE_QUOTE_DRIFTED, "document", quote_drifts),
    Case(K.BUNDLE_QUOTE_DRIFTED, "document", d(lambda x: x["evidence"][1].update(quote_end=10**6)), note="outside"),
    Case(K.BUNDLE_CONTEXT_DRIFTED, "document", context_drifts),
    Case(K.BUNDLE_NOT_REPLAYABLE, "snapshots", quote_only, exit_code=3),
    Case(K.BUNDLE_QUOTE_NOT_IN_PAYLOAD, "pages", invent, deep=True),
    Case(K.BUNDLE_QUOTE_SCATTERED, "pages", footnote, exit_code=0, deep=True),
    Case(K.BUNDLE_QUOTE_WORDLESS, "document", full_stop),
    Case(K.BUNDLE_QUOTE_SCANT, "document", on(4, 5), exit_code=0),
    Case(K.BUNDLE_QUOTE_SCANT, "document", on(4, 5), profile="strict", note="strict"),
    Case(K.BUNDLE_QUOTE_CUT, "document", on(1), note="word"),
    Case(K.BUNDLE_QUOTE_CUT, "document", on(21), note="figure"),
    Case(K.BUNDLE_LOOSE_MATCH, "document", d(lambda x: x["evidence"][1].update(match_level="dehyphen")), exit_code=0),
    Case(
        K.BUNDLE_LOOSE_MATCH,
        "document",
        d(lambda x: x["evidence"][1].update(match_level="whitespace")),
        profile="strict",
        note="strict",
    ),
    Case(K.BUNDLE_LOSSY_MERGE, "pages", merged_by_number, exit_code=0),
    Case(K.BUNDLE_EDGE_TWICE, "document", d(padded)),
    Case(K.TEXT_PATH, "snapshots", lambda w: w.snapshots["b"].update(text_path="texts/b.txt")),
    Case(K.TEXT_DIGEST, "files", flip_text),
    Case(K.TEXT_NOT_UTF8, "snapshots", retext(f"Local news.\n{SENTENCE}\nMore to follow.\udcff\n")),
    Case(K.TEXT_NOT_UTF8, "snapshots", retext(f"\ufeffLocal news.\n{SENTENCE}\nMore to follow.\n"), note="bom"),
    Case(K.TEXT_NOT_NORMALIZED, "snapshots", retext(f"Local news.\r\n{SENTENCE}\r\nMore to follow.\n")),
    Case(K.TEXT_LENGTH, "snapshots", lambda w: w.snapshots["d"].update(text_chars=w.snapshots["d"]["text_chars"] + 1)),
    Case(K.CLAIM_STATUS, "document", d(lambda x: claim(x, 2).update(status="partial"))),
    Case(K.CLAIM_NOT_SUPPORTED, "document", d(single_source)),
    Case(K.CLAIM_UNCITED, "document", d(uncited)),
    Case(K.CLAIM_UNCITED, "document", d(uncited), exit_code=0, profile="paragraph", note="paragraph"),
    Case(K.CLAIM_CONFLICTED, "document", d(conflicted), exit_code=0),
    Case(K.CLAIM_CONFLICTED, "document", d(conflicted), profile="strict", note="strict"),
    Case(K.EDGE_NOT_COUNTED, "document", aggregator_counts_not, exit_code=0),
    Case(K.CLAIM_TWICE, "document", said_twice),
    Case(K.CLAIM_TIER_UNFIT, "document", d(without_edges("ev-003")), exit_code=0),
    Case(K.CLAIM_TIER_UNFIT, "document", d(without_edges("ev-003")), profile="strict", note="strict"),
    Case(K.CLAIM_BY_VENDOR, "document", d(by_vendor), exit_code=0),
    Case(K.CLAIM_BY_VENDOR, "document", d(by_vendor), profile="strict", note="strict"),
    Case(K.CLAIM_FIGURE, "document", made_up_figure, exit_code=0),
    Case(K.CLAIM_FIGURE, "document", made_up_figure, exit_code=0, profile="strict", note="strict"),
    Case(K.CLAIM_COMPOUND, "document", several_things, exit_code=0),
    Case(K.JUDGEMENT_STALE, "document", d(stale)),
    Case(K.JUDGEMENT_DIFFERS, "document", d(upgraded)),
    Case(K.CLAIM_PLACE, "document", d(lambda x: claim(x, 1).update(place={"document": "x", "start": 9, "end": 3}))),
    Case(K.JUDGEMENT_SUPERSEDED, "document", d(judged_again)),
    Case(K.JUDGEMENT_SUPERSEDED, "document", d(against_rank), note="rank"),
    Case(K.JUDGEMENT_ONLY_WARNS, "document", d(by("lexical@1"))),
    Case(K.JUDGEMENT_UNPINNED, "document", d(by("chat@1")), exit_code=0, options=("--human-sample", "0%")),
    Case(
        K.JUDGEMENT_DISPUTED,
        "document",
        also((CHAT, "another host", "partial"), own=CHAT),
        exit_code=0,
        options=("--human-sample", "0%"),
    ),
    Case(K.JUDGEMENT_PEOPLE, "document", also(("human@1", "ada", "full")), exit_code=0),
    Case(
        K.JUDGEMENT_PEOPLE,
        "document",
        also(("human@1", "ada", "partial"), ("human@1", "bob", "full"), own="arbiter@1"),
        exit_code=0,
        note="arbitrated",
    ),
    Case(
        K.JUDGEMENT_UNSTABLE,
        "document",
        also((CHAT, "somebody", "partial"), own=CHAT),
        exit_code=0,
        options=("--human-sample", "0%"),
    ),
    Case(K.JUDGEMENT_SAMPLE, "document", by_model_alone, exit_code=0),
    Case(K.JUDGEMENT_SAMPLE, "document", by_model_alone, profile="strict", note="strict"),
    Case(K.JUDGEMENT_AGREEMENT, "document", also((CHAT, "m", "full")), exit_code=0),
    Case(K.JUDGEMENT_TIED, "document", d(tied)),
    Case(K.JUDGEMENT_OVERRULED, "document", d(overruled), exit_code=0),
    Case(K.JUDGEMENT_OVERRULED, "document", d(overruled), profile="strict", note="strict"),
    Case(K.JUDGEMENT_BARE, "document", d(lambda x: x["judgements"][1].update(rationale=" ")), exit_code=0),
    Case(K.JUDGEMENT_BARE, "document", d(lambda x: x["judgements"][1].update(by="\u200b.")), exit_code=0),
    Case(K.ARBITRATION_MISPLACED, "document", d(misplaced)),
    Case(K.ARBITRATION_UNEXPLAINED, "document", d(lambda x: x["arbitrations"][0].update(by=" "))),
    Case(K.ARBITRATION_UNEXPLAINED, "document", d(lambda x: x["arbitrations"][0].update(why=" " * 10)), note="why"),
    Case(K.INDEPENDENCE_GROUPS, "document", d(regrouped)),
    Case(
        K.INDEPENDENCE_EDGE,
        "document",
        d(lambda x: x["evidence"][1].update(independence_group="site:news.example.org")),
    ),
    Case(K.INDEPENDENCE_MANUAL, "document", d(two_manual)),
    Case(K.INDEPENDENCE_UNEXPLAINED, "document", manual(by="")),
    Case(K.INDEPENDENCE_UNEXPLAINED, "document", manual(why="Because."), note="why"),
    Case(K.INDEPENDENCE_LEAF_SPLIT, "leaves", told_one_cluster),
    Case(K.INDEPENDENCE_OVERRIDE, "pages", split_by_hand, exit_code=0),
    Case(K.INDEPENDENCE_COPIES, "pages", copied("Again."), note="copy"),
    Case(K.INDEPENDENCE_COPIES, "pages", copied("And five words of mine."), exit_code=0, note="alike"),
    Case(K.INDEPENDENCE_COPIES, "pages", copied("And five words of mine."), profile="strict", note="strict"),
    Case(K.INDEPENDENCE_SAME_HOST, "pages", one_domain, exit_code=0),
    Case(K.INDEPENDENCE_SAME_HOST, "pages", one_domain, profile="strict", note="strict"),
    Case(K.INDEPENDENCE_LIST, "document", d(lambda x: x["policies"].append(list_of("com", "no rule")))),
    Case(K.INDEPENDENCE_OTHER_LIST, "document", d(own_list), exit_code=0),
    Case(K.INDEPENDENCE_OTHER_LIST, "leaves", list_of_the_log, exit_code=0, note="dropped"),
    Case(K.INDEPENDENCE_OTHER_LIST, "leaves", list_of_the_log, profile="strict", note="strict"),
    Case(K.TIER_DIFFERS, "document", d(lambda x: x["sources"][1]["tier"].update(tier="official"))),
    Case(K.TIER_OTHER_POLICY, "leaves", other_tier_policy, exit_code=0),
    Case(K.TIER_OTHER_POLICY, "leaves", other_tier_policy, profile="strict", note="strict"),
    Case(
        K.CLUSTER_REPRESENTATIVE,
        "document",
        d(lambda x: x["clusters"][0].update(representative_source_id=x["sources"][3]["id"])),
    ),
    Case(
        K.CLUSTER_REPRESENTATIVE_DIFFERS,
        "document",
        d(lambda x: x["clusters"][0].update(representative_reason="the best of them")),
    ),
    Case(K.CLUSTER_EDGE_MISPLACED, "document", doubled("clusters", "edges")),
    Case(K.CLUSTER_EDGE, "document", figures(shingle_jaccard_ppm=900_000), note="overlap"),
    Case(K.CLUSTER_EDGE, "document", figures(opening_ppm=1_000_000), note="opening"),
    Case(K.CLUSTER_EDGE, "document", figures(numbers_ppm=123_456), note="numbers"),
    Case(K.CLUSTER_ALIAS, "document", d(lambda x: x["clusters"][0].update(aliases=[x["clusters"][2]["id"]]))),
    Case(K.CLUSTER_MEMBER, "document", d(member_text)),
    Case(K.CLUSTER_UNCONFIRMED, "document", d(no_confirmed_edge)),
    Case(K.CLUSTER_SAME_TEXT, "pages", same_text_apart),
    Case(K.LEAF_DIFFERS, "leaves", leaf("http_status", 404)),
    Case(K.LEAF_RECORDS, "leaves", wrong_role),
    Case(K.LEAF_TEXT_UNBOUND, "leaves", unbound_text),
    Case(K.INCLUSION_FAILS, "document", d(lambda x: x["snapshots"][0]["inclusion"]["hashes"].pop())),
    Case(K.INCLUSION_SIZE, "document", d(lambda x: x["snapshots"][0]["inclusion"].update(tree_size=6))),
    Case(K.HEAD_DIFFERS, "files", head_bytes),
    Case(K.SIGNATURE_MISSING, "files", drop("manifest/0000000001-")),
    Case(K.SIGNATURE_UNREADABLE, "files", envelope(lambda e: e.update(keyid="x"))),
    Case(K.SIGNATURE_UNREADABLE, "files", envelope(lambda e: e.update(x_note="y")), note="extension"),
    Case(K.SIGNATURE_INVALID, "files", envelope(break_signature)),
    Case(K.SIGNATURE_SUBJECT, "files", other_subject),
    Case(K.SIGNATURE_UNTRUSTED, "files", lambda w: None, exit_code=0, trust=None),
    Case(K.SIGNATURE_UNTRUSTED, "files", lambda w: None, trust=None, profile="strict", note="strict"),
    Case(K.SIGNATURE_UNTRUSTED, "files", lambda w: None, trust="stranger", note="stranger"),
    Case(
        K.SIGNATURE_UNTRUSTED,
        "files",
        head_signed_by_author,
        trust="publisher",
        trust_author="author",
        note="head-by-author",
    ),
    Case(K.SIGNATURE_UNTRUSTED, "files", lambda w: None, trust="publisher", trust_author="stranger", note="author"),
    Case(K.SIGNATURE_KEY_MISSING, "files", drop("keys/"), exit_code=3, trust=None),
    Case(K.SIGNATURE_KEY_DIFFERS, "files", flipped_key, exit_code=0),
    Case(K.SIGNATURE_KEY_DIFFERS, "files", swapped_keys, profile="strict", note="strict"),
    Case(K.SIGNATURE_NO_AUTHOR, "files", lambda w: None, exit_code=0, author=False),
    Case(K.SIGNATURE_NO_AUTHOR, "files", lambda w: None, author=False, profile="strict", note="strict"),
    Case(
        K.SIGNATURE_NO_AUTHOR,
        "files",
        lambda w: None,
        author=False,
        trust="publisher",
        trust_author="author",
        note="trust-author",
    ),
    Case(K.CHECKPOINT_FORK, "files", lambda w: None, options=("--checkpoint", checkpoint())),
    Case(
        K.CHECKPOINT_NO_PROOF, "files", lambda w: None, exit_code=3, options=("--checkpoint", checkpoint(4, sequence=9))
    ),
    Case(
        K.TIME_FUTURE,
        "document",
        d(lambda x: x["arbitrations"][0].update(at="2026-08-30T00:00:00Z")),
        options=("--time", "2026-08-31T23:59:59.9Z"),
    ),
    Case(K.TIME_ORDER, "document", d(early)),
    Case(K.TIME_AFTER_BUILT, "document", d(lambda x: x["arbitrations"][0].update(at="2026-09-01T00:00:00.1Z"))),
    Case(K.TIME_TOO_OLD, "files", lambda w: None, options=("--time", "2026-09-02T00:00:00Z", "--max-age", "7d")),
    Case(K.WARC_UNLISTED, "files", appended, exit_code=0),
    Case(K.WARC_UNLISTED, "files", appended, profile="strict", deep=True, note="strict"),
    Case(K.WARC_UNLISTED, "document", d(forget_warcinfo), exit_code=0, note="start"),
    Case(K.WARC_MEMBER_MISSING, "document", d(forget_member), deep=True),
    Case(K.WARC_WITHHELD, "leaves", withheld, exit_code=3, deep=True),
    Case(K.WARC_MEMBER_BROKEN, "records", cut, deep=True),
    Case(K.WARC_MEMBER_BROKEN, "records", warc("request", lambda x: x[:-2]), deep=True, note="end"),
    Case(
        K.WARC_RECORD_DIFFERS,
        "records",
        warc("response", same_length(b"Target-URI: https://news", b"Target-URI: https://fake")),
        deep=True,
    ),
    Case(
        K.WARC_RECORD_DIFFERS,
        "records",
        warc("response", same_length(b"Type: revisit", b"Type: respons"), "d"),
        deep=True,
        note="type",
    ),
    Case(K.WARC_BLOCK_DIGEST, "records", warc("request", same_length(b"GET /", b"PUT /")), deep=True),
    Case(K.WARC_BLOCK_DIGEST, "files", lambda w: None, deep=True, note="warcinfo"),
    Case(K.WARC_PAYLOAD_DIGEST, "records", warc("response", payload_header), deep=True),
    Case(K.WARC_PAYLOAD_DIGEST, "records", warc("response", payload_header, "d"), deep=True, note="revisit"),
    Case(K.WARC_TAKEN_DOWN, "records", tombstone, exit_code=3, deep=True),
    Case(K.PAYLOAD_DECODED_DIGEST, "snapshots", decoded_digest, deep=True),
    Case(K.PAYLOAD_UNDECODABLE, "pages", unknown_coding, exit_code=3, deep=True),
    Case(K.PAYLOAD_UNREADABLE_TYPE, "pages", pdf, exit_code=3, deep=True),
    Case(K.CONVERSION_DIFFERS, "records", warc("conversion", refers_elsewhere), deep=True),
]


def test_an_edge_that_people_disagree_on_counts_for_nothing(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    """R097, X14: the last of them found it full, and that is no decision; the agreement of both is told beside it."""
    root = make_bundle({"document": also(("human@1", "ada", "partial"))})
    outcome = validate("bundle", str(root), "--trust", key_files["both"])
    assert set(outcome.codes) >= {"judgement.unresolved", "judgement.people-agreement"}
    assert outcome.exit_code == 1
    (told,) = [f for f in outcome.report["findings"] if f["code"] == "judgement.unresolved"]
    assert told["actual"] == "partial by ada, full by somebody"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_smallest_edit_gives_exactly_this_finding(
    case: Case,
    make_bundle: Callable[..., Path],
    validate: Callable[..., Any],
    key_files: dict[str, str],
    tmp_path: Path,
) -> None:
    """R078, R081, R090, R091, R092, R093, R094, R095, X14, X15, X16, X17, X26, X28, X29, X31, X32, X33, X34."""
    if case.note == "warcinfo":
        case.stage, case.edit = "records", spoil_warcinfo
    root = make_bundle({case.stage: case.edit}, **({} if case.author else {"author": None}))
    arguments = ["bundle", str(root), "--profile", case.profile, *(["--deep"] if case.deep else [])]
    arguments += ["--trust", key_files[case.trust]] if case.trust else []
    arguments += ["--trust-author", key_files[case.trust_author]] if case.trust_author else []
    options = list(case.options)
    if options[:1] == ["--checkpoint"]:
        (tmp_path / "checkpoint.json").write_text(options[1])
        options[1] = str(tmp_path / "checkpoint.json")
    outcome = validate(*arguments, *options)
    assert (" ".join(outcome.codes), outcome.exit_code) == (case.kind.code, case.exit_code)


def spoil_warcinfo(world: Any) -> None:
    plain = gzip.decompress(world.warcinfo)
    world.warcinfo = gzip.compress(plain.replace(b"golden", b"GOLDEN"), mtime=0)


BOTH_EMPTY = d(lambda x: x.update(claims=[], evidence=[], judgements=[], arbitrations=[]))


def test_an_empty_bundle_is_an_error_and_no_pass(
    make_bundle: Callable[..., Path], validate: Callable[..., Any]
) -> None:
    """X32: zero claims are never ok."""
    outcome = validate("bundle", str(make_bundle({"document": BOTH_EMPTY})))
    assert outcome.exit_code == 1
    assert K.BUNDLE_EMPTY.code in outcome.codes


@pytest.mark.parametrize("deep", [(), ("--deep",)], ids=["shallow", "deep"])
def test_a_member_beyond_the_files_end_is_an_error_however_large_it_says_it_is(
    deep: tuple[str, ...], make_bundle: Callable[..., Path], validate: Callable[..., Any]
) -> None:
    def far(document: dict[str, Any]) -> None:
        document["snapshots"][1]["warc"]["members"][1].update(offset=2**53 - 2, length=2**53 - 2)

    outcome = validate("bundle", str(make_bundle({"document": d(far)})), *deep)
    assert K.WARC_MEMBER_BROKEN.code in outcome.codes
    assert outcome.exit_code == 1


def test_a_manual_group_may_part_what_the_log_had_in_one_cluster(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> None:
    """R070: a person decided, and says why."""

    def leaves(world: Any) -> None:
        for name in ("a", "e"):
            world.leaves[name]["cluster_id"] = "cl-" + "9" * 16

    outcome = validate("bundle", str(make_bundle({"leaves": leaves})), "--trust", key_files["both"])
    assert (outcome.codes, outcome.exit_code) == ([], 0)


def test_one_record_that_is_named_many_times_costs_no_more_than_a_bound(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file can name one record under as many ids as it likes."""
    import dataclasses

    from validator import deep
    from validator.limits import LIMITS

    def many(document: dict[str, Any]) -> None:
        members = document["snapshots"][0]["warc"]["members"]
        one = members[0]
        members += [one | {"record_id": f"urn:uuid:00000000-0000-4000-8000-{n:012d}"} for n in range(2, 500)]

    monkeypatch.setattr(deep, "LIMITS", dataclasses.replace(LIMITS, all_records=1 << 20))
    monkeypatch.setattr(deep, "_Run", lambda: real(left=1 << 20))
    real = dataclasses.make_dataclass("Run", [("left", int), ("sound", set, dataclasses.field(default_factory=set))])
    outcome = validate("bundle", str(make_bundle({"document": d(many)})), "--deep")
    assert "file.too-large" in outcome.codes
    assert outcome.report["checked"]["WARC members"] < 60


@pytest.mark.parametrize(("profile", "exit_code"), [("claim", 0), ("strict", 1)])
def test_a_list_that_parts_what_leaves_have_as_one_site_is_no_mere_note(
    make_bundle: Callable[..., Path],
    validate: Callable[..., Any],
    key_files: dict[str, str],
    profile: str,
    exit_code: int,
) -> None:
    """R071: who writes a list of his own makes two sources of two hosts of one party."""

    def one_site(world: Any) -> None:
        for name in ("a", "b"):
            world.leaves[name]["group"] = "site:example.org"

    folder = make_bundle({"leaves": one_site, "document": d(own_list)})
    outcome = validate("bundle", str(folder), "--trust", key_files["both"], "--profile", profile)
    (found,) = [f for f in outcome.report["findings"] if f["code"] == K.INDEPENDENCE_OTHER_LIST.code]
    assert "parts what leaves have as one: site:example.org" in found["message"]
    assert found["severity"] == ("error" if profile == "strict" else "warning")
    assert outcome.exit_code == exit_code
