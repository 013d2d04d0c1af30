"""What all records have in common: immutable, strict, closed except for `x_*`.

Field types that several records share stand here too. Strings rather than objects are used for
times and ids, since a record is what stands in the file, to the letter.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

ID_PATTERN = r"^[a-z0-9][A-Za-z0-9._-]{0,127}$"
TIME_PATTERN = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?Z$"
)
MAX_INTEGER = 2**53 - 1  # RFC 8785: what every JSON reader holds exactly

Id = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
"""An identifier that is safe as a file name and as part of an object key."""
ParameterId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$")]
"""Id of an extractor, a normaliser, a policy, fingerprint parameters or a checker."""
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""SHA-256, 64 lower-case hex. The field's name says of what."""
UtcTime = Annotated[str, StringConstraints(pattern=TIME_PATTERN)]
"""RFC 3339 in UTC, with `Z`."""
RecordId = Annotated[str, StringConstraints(pattern=r"^urn:uuid:[0-9a-f-]{36}$")]
"""A WARC-Record-ID without its angle brackets."""
Count = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
Url = Annotated[str, StringConstraints(min_length=1, max_length=65536)]
ShortText = Annotated[str, StringConstraints(max_length=4096)]
LongText = Annotated[str, StringConstraints(max_length=1_000_000)]
ExtensionName = Annotated[str, StringConstraints(pattern=r"^x_[a-z0-9_]{1,64}$")]


class Record(BaseModel):
    """Base of every record: frozen, strict types, no unknown field but `x_*`."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True,
        frozen=True,
        extra="allow",
        hide_input_in_errors=True,
        serialize_by_alias=True,
    )
    __pydantic_extra__: dict[ExtensionName, JsonValue]
