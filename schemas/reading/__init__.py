"""Strict reading: a stranger's bytes in, a record or a typed error out (`schemas/README.md, Strict reading`).

A JSON library and pydantic alone let too much pass: the last of two equal names wins, `NaN` is a
number, `1e999` is infinity. So the bytes are looked at first, in a fixed order, and only what is
left goes to the record type. Nothing here raises for bad input, and no error repeats the input.
"""

from schemas.reading.document import read_document
from schemas.reading.errors import DocumentError, DocumentProblem
from schemas.reading.json_text import ReadingLimits, read_json
from schemas.reading.lines import Line, LineLimits, read_lines
from schemas.reading.stored import read_stored

__all__ = [
    "DocumentError",
    "DocumentProblem",
    "Line",
    "LineLimits",
    "ReadingLimits",
    "read_document",
    "read_json",
    "read_lines",
    "read_stored",
]
