"""pydantic's locations as JSON Pointers, also through unions whose tags look like fields."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from schemas.reading import DocumentError, DocumentProblem, read_document
from schemas.reading.locations import document_tokens
from schemas.records.base import Record


class Warc(Record):
    kind: Literal["warc"]
    warc: dict[str, int]
    needed: int


class Text(Record):
    kind: Literal["text"]
    needed: int = Field(alias="why")


class Holder(Record):
    items: tuple[Annotated[Warc | Text, Field(discriminator="kind")], ...] = ()
    one: Annotated[Warc | Text, Field(discriminator="kind")] | None = None
    pair: tuple[int, str] = (0, "")
    mixed: int | list[int] = 0


class Branch(Record):
    """Refers to itself, so that its schema is a reference."""

    leaf: int = 0
    branches: tuple["Branch", ...] = ()


@pytest.mark.parametrize(
    ("document", "code", "pointer"),
    [
        ('{"items":[{"kind":"warc","warc":{"a":"x"},"needed":1}]}', DocumentProblem.WRONG_TYPE, "/items/0/warc/a"),
        ('{"items":[{"kind":"warc","warc":{}}]}', DocumentProblem.MISSING_FIELD, "/items/0"),
        ('{"items":[{"kind":"text"}]}', DocumentProblem.MISSING_FIELD, "/items/0"),
        ('{"one":{"kind":"text","why":"x"}}', DocumentProblem.WRONG_TYPE, "/one/why"),
        ('{"one":{"kind":"warc","warc":{},"needed":1,"q":2}}', DocumentProblem.UNKNOWN_FIELD, "/one/q"),
        ('{"one":{"kind":"secret-tag"}}', DocumentProblem.BAD_VALUE, "/one"),
        ('{"one":{}}', DocumentProblem.BAD_VALUE, "/one"),
        ('{"pair":[1,2]}', DocumentProblem.WRONG_TYPE, "/pair/1"),
        ('{"mixed":["x"]}', DocumentProblem.WRONG_TYPE, "/mixed"),
    ],
)
def test_a_pointer_holds_no_union_tag(document: str, code: DocumentProblem, pointer: str) -> None:
    result = read_document(document.encode(), Holder)
    assert isinstance(result, DocumentError)
    assert (result.code, result.pointer) == (code, pointer)
    assert "secret" not in str(result)


def test_a_type_that_holds_itself_is_followed() -> None:
    result = read_document(b'{"branches":[{},{"branches":[{"leaf":"x"}]}]}', Branch)
    assert isinstance(result, DocumentError)
    assert result.pointer == "/branches/1/branches/0/leaf"


def test_a_refused_name_of_a_mapping_is_its_own_place() -> None:
    class Counts(BaseModel):
        counts: dict[Annotated[str, Field(max_length=3)], int]

    with pytest.raises(ValidationError) as caught:
        Counts.model_validate_json('{"counts":{"long-name":1}}')
    assert document_tokens(Counts, caught.value.errors()[0]["loc"]) == ["counts", "long-name"]
