"""Page requisites: what a page needs to look as it did, captured with it and never taken for a page.

(`scheduler/README.md`, "What belongs to a page".) A requisite has records and a CDXJ line like any capture, and
no snapshot: it is no source, and nothing is quoted from it.
"""

from __future__ import annotations

from enum import StrEnum

from schemas.records.base import Record, RecordId, ShortText, Url
from schemas.records.outcome import Hop, Outcome


class RequisiteKind(StrEnum):
    """What a requisite is to the page that names it."""

    STYLE = "style"
    IMAGE = "image"
    FRAME = "frame"
    FONT = "font"
    SCRIPT = "script"
    ICON = "icon"
    OTHER = "other"
    """A manifest, a text track, a preload of no known kind."""
    MEDIA = "media"


class RequisiteOutcome(Record):
    """What became of one requisite. Hops are in the order in which they were fetched; none where it was not tried."""

    url: Url
    """As it is fetched: resolved, without fragment."""
    kind: RequisiteKind
    outcome: Outcome
    page_record: RecordId
    """Response or revisit record of the page that it was fetched for. It may stand in an earlier part."""
    found_in: Url
    """The document or style sheet that names it."""
    found_at: ShortText
    """The place in there: `img/@src`, `style/@import`, `css/url()`."""
    hops: tuple[Hop, ...] = ()
    failure: ShortText | None = None
    """Why there is no response, in a sentence; None where there is one."""
    remarks: tuple[ShortText, ...] = ()
    """What a person should know of a server that answered wrongly, in sentences."""
