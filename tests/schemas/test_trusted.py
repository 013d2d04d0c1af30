"""Records that are put together without being looked at are the records that validation gives."""

from __future__ import annotations

from schemas.records.outcome import RecordLocation, Revalidation
from schemas.records.trusted import trusted

PLACE = {"record_id": "urn:uuid:00000000-0000-4000-8000-000000000001", "type": "response", "offset": 7, "length": 9}


def test_a_trusted_record_is_the_validated_one() -> None:
    made, validated = trusted(RecordLocation, dict(PLACE)), RecordLocation.model_validate(PLACE)
    assert made == validated
    assert made.model_dump_json() == validated.model_dump_json()
    assert made.model_fields_set == validated.model_fields_set


def test_a_trusted_record_can_be_copied_with_changes() -> None:
    said = {"etag": '"a"', "last_modified": None, "distrusted": False, "representation": None}
    changed = trusted(Revalidation, said).model_copy(update={"distrusted": True})
    assert changed == Revalidation(etag='"a"', distrusted=True)
    assert not trusted(Revalidation, said).distrusted
