"""What crosses the pipe of the sandbox: one request, and one answer that is read as strictly as any stranger's.

The child has just parsed hostile input; whatever it writes is input too.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from schemas.records.base import Count, ParameterId, Record, ShortText
from schemas.records.snapshot import Heading, ReaderStatus, RobotsDirective
from workers.extract.charset import CharsetSource
from workers.extract.options import MAX_PDF_PAGES, Focus

Day = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
Href = Annotated[str, StringConstraints(max_length=65536)]


class ExtractionRequest(Record):
    """How to read a payload; the payload follows it as bytes.

    The page's address is not in it: the result must be good for every URL that serves these bytes.
    """

    content_type: Annotated[str, StringConstraints(max_length=8192)] | None
    """All `Content-Type` fields of the message, joined by `, `."""
    retrieved_on: Day
    """UTC day of the capture: no date of the page may lie after it."""
    focus: Focus = "balanced"
    second: bool = False
    """Ask the second extractor for HTML: the first was defeated."""


class Extracted(Record):
    """Text in text-v1, possibly empty, and what the page says of itself. Hrefs are as they stand in the page."""

    kind: Literal["extracted"] = "extracted"
    extractor: ParameterId
    media_type: ShortText
    charset: ShortText | None
    """Null where the format has none of its own."""
    charset_source: CharsetSource | None
    characters: Count
    """Of the decoded page."""
    broken: Count
    """Sequences of the page that were not of its charset."""
    text: str
    title: ShortText | None = None
    author: ShortText | None = None
    publisher: ShortText | None = None
    published_at: ShortText | None = None
    published_source: ShortText | None = None
    modified_at: ShortText | None = None
    language: ShortText | None = None
    canonical: Href | None = None
    base: Href | None = None
    accessible_for_free: bool | None = None
    robots_directives: tuple[RobotsDirective, ...] = Field(default=(), max_length=100)
    headings: tuple[Heading, ...] = Field(default=(), max_length=500)
    pages: tuple[Count, ...] = Field(default=(), max_length=MAX_PDF_PAGES)
    """Where each page begins in the text, of a document that has pages."""
    links: tuple[Href, ...] = Field(default=(), max_length=2000)
    nofollow_links: tuple[Href, ...] = Field(default=(), max_length=2000)
    """Those of them that are marked so each time."""
    links_complete: bool = True
    markers: tuple[Name, ...] = Field(default=(), max_length=40)


class NotExtracted(Record):
    """No text, and the rule that says why."""

    kind: Literal["not_extracted"] = "not_extracted"
    status: Literal[ReaderStatus.UNSUPPORTED_TYPE, ReaderStatus.EXTRACT_FAILED]
    reason: ShortText


class Answer(Record):
    """One answer of the child."""

    result: Annotated[Extracted | NotExtracted, Field(discriminator="kind")]
