"""What is read out of a receipt."""

from __future__ import annotations

from collections.abc import Callable

from schemas.records.receipt import Receipt
from workers.catalog.receipts import originals, records


def test_every_record_of_a_segment_has_its_location(receipt_of: Callable[..., Receipt]):
    receipt = receipt_of(["https://a.test/1", "https://a.test/2"], failed=["https://b.test/"])
    robots = receipt.outcomes[0].hops[0].model_copy(update={"url": "https://a.test/robots.txt"})
    with_robots = receipt.model_copy(update={"robots": (robots,)})
    assert len(records(receipt)) == 1 + 2 * 2, "warcinfo, and request and response of each"
    assert len(records(with_robots)) == 1 + 3 * 2
    assert records(receipt.model_copy(update={"warc": None})) == []


def test_only_responses_that_may_be_referred_to_are_originals(receipt_of: Callable[..., Receipt]):
    receipt = receipt_of(["https://a.test/1", "https://a.test/2", "https://a.test/3"])
    whole, cut, again = receipt.outcomes
    cut = cut.model_copy(update={"hops": (cut.hops[0].model_copy(update={"reusable": False}),)})
    revisit = again.hops[0].records[1].model_copy(update={"type": "revisit"})
    again = again.model_copy(update={"hops": (again.hops[0].model_copy(update={"records": (revisit,)}),)})
    (only,) = originals(receipt.model_copy(update={"outcomes": (whole, cut, again)}))
    assert only.target_uri == "https://a.test/1"
    assert only.record_id == whole.hops[0].records[1].record_id
    assert only.date == whole.hops[0].retrieved_at
