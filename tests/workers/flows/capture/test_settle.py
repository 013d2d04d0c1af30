"""What a receipt says as it is stored."""

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.reading import read_document
from schemas.records.receipt import Receipt
from workers.flows.capture.settle import receipt_bytes

URLS = st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20), max_size=3)


@given(URLS, URLS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_receipt_reads_back_strictly_and_equal_ones_have_equal_bytes(
    receipt_of: Callable[..., Receipt], urls: list[str], failed: list[str]
) -> None:
    """`create` takes equal bytes for its own earlier try: a receipt that is made again must have the same."""
    receipt = receipt_of(urls, failed=failed)
    stored = receipt_bytes(receipt)
    assert read_document(stored, Receipt) == receipt
    assert receipt_bytes(receipt_of(urls, failed=failed)) == stored
