"""`bundle drift`: the newest snapshots of what a bundle cites, and who is told."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from lxml import etree

from schemas.records.drift import DriftState
from workers.publish.drift_feed import MEANING, STANDING

pytestmark = pytest.mark.real
ATOM = "{http://www.w3.org/2005/Atom}"
GATES = "The barrier consists of 14 gates of structural steel."


class Received:
    """A server of somebody who waits for webhooks, on loopback, for real."""

    def __init__(self) -> None:
        self.calls: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        received = self

        class Waiting(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.calls.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(received.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Waiting)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"


@pytest.fixture
def receiver() -> Iterator[Received]:
    received = Received()
    thread = threading.Thread(target=received.server.serve_forever)
    thread.start()
    yield received
    received.server.shutdown()
    thread.join()
    received.server.server_close()


@pytest.fixture
def bundle(citevault, filled, tmp_path) -> str:
    """One quote that still stands, and one of a page that changes with each visit, cited as it was at first."""
    status = filled.web.url("authority", "/status")
    newest, first = (row["id"] for row in citevault("snapshots", status, "--json").json[:2])
    assert newest != first
    text = citevault("show", first, "--text").out
    quote = next(line for line in text.split("\n") if line.startswith("Bulletin number"))
    assert quote not in citevault("show", newest, "--text").out
    edges = [
        {"claim_id": "c-001", "url": filled.web.url("authority", "/barrier"), "quote": GATES, "support": "full"},
        {"claim_id": "c-002", "snapshot_id": first, "quote": quote, "support": "full"},
    ]
    claims = [{"id": f"c-00{n}", "text": f"Claim {n}.", "importance": "ordinary"} for n in (1, 2)]
    (tmp_path / "draft.json").write_text(json.dumps({"id": "report", "claims": claims, "evidence": edges}))
    assert citevault("bundle", "build", str(tmp_path / "draft.json"), "-o", str(tmp_path / "bundle")).code == 0
    return str(tmp_path / "bundle")


def test_each_quote_is_looked_up_in_the_newest_snapshot_of_its_page(citevault, bundle) -> None:
    """R014, R099: the bundle stays as it was, and its verdicts valid for its snapshots."""
    said = citevault("bundle", "drift", bundle, "--json")
    assert said.code == 1
    standing, drifted = said.json["edges"]
    assert (standing["state"], standing["newest_snapshot_id"]) == ("exact", standing["snapshot_id"])
    assert drifted["state"] == "changed"
    assert drifted["newest_snapshot_id"] != drifted["snapshot_id"]
    assert drifted["lost"] != drifted["gained"]
    assert "{+" in drifted["diff"]
    assert "1 changed, 1 exact" in said.err
    told = citevault("bundle", "drift", bundle)
    assert told.out.startswith("ev-002 of c-002: changed, lost ")
    assert told.err.count("[-…-] stands only in the quote, {+…+} only in the page as it is now") == 1


def test_a_feed_has_an_entry_for_each_drifted_quote_and_is_the_same_again(citevault, bundle, tmp_path) -> None:
    feed = tmp_path / "drift.atom"
    citevault("bundle", "drift", bundle, "--notify", f"atom:{feed}")
    first = feed.read_bytes()
    citevault("bundle", "drift", bundle, "--notify", f"atom:{feed}")
    assert feed.read_bytes() == first
    tree = etree.fromstring(first)
    assert tree.tag == f"{ATOM}feed"
    (entry,) = tree.findall(f"{ATOM}entry")
    for parent in (tree, entry):
        assert all(parent.findtext(f"{ATOM}{name}") for name in ("id", "title", "updated")), "RFC 4287, 4.1"
    assert tree.find(f"{ATOM}author/{ATOM}name") is not None
    assert "lost:" in (entry.findtext(f"{ATOM}summary") or "")
    assert "changed: the quote is not there, and a passage much like it is" in (tree.findtext(f"{ATOM}subtitle") or "")
    assert set(MEANING) | STANDING == set(DriftState), "each state that a feed may tell of has a meaning"


def test_a_webhook_is_signed_with_the_archives_key(citevault, bundle, receiver) -> None:
    """The signature is over id, time and body, so none of them can be replaced."""
    said = citevault("bundle", "drift", bundle, "--json", "--notify", f"webhook:{receiver.url}")
    assert said.code == 1
    ((headers, body),) = receiver.calls
    assert json.loads(body)["edges"] == said.json["edges"]
    key = load_pem_public_key(citevault("keys", "show").stdout)
    assert isinstance(key, Ed25519PublicKey)
    version, _, signature = headers["webhook-signature"].partition(",")
    assert version == "v1a"
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key.verify(base64.b64decode(signature), signed)


def test_a_webhook_that_is_refused_or_not_there_is_told(citevault, bundle, receiver) -> None:
    receiver.status = 500
    said = citevault("bundle", "drift", bundle, "--notify", f"webhook:{receiver.url}")
    assert said.code == 3
    assert "refused with 500" in said.err
    assert citevault("bundle", "drift", bundle, "--notify", "webhook:http://127.0.0.1:1/").code == 3


@pytest.mark.parametrize("target", ["mail:me", "atom", "webhook:ftp://a.example/"])
def test_a_target_that_is_none_is_bad_input(citevault, bundle, target) -> None:
    assert citevault("bundle", "drift", bundle, "--notify", target).code == 2
