"""What the archive remembers of a URL while it is visited, and what the receipt says of it afterwards.

The versions of all URLs of a batch are looked up at once, before the first of them is fetched; only where a
redirect leads to a URL that is not in the batch is it asked for by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.records.outcome import Outcome, Representation, Revalidation
from workers.capture.belief import NOT_MODIFIED, stays_distrusted
from workers.capture.validators import validators_of
from workers.exchange import Exchange, Response
from workers.light import light
from workers.ports import KnownVersion, Original, VersionIndex

MAX_TYPE_CHARACTERS = 256


@light
class Recall:
    """One hop's URL as the archive knew it when it was fetched, and what became of that."""

    known: KnownVersion | None = None
    asked: bool = False
    """The request asked whether it has changed, and the answer is believed: a 304 confirms `known`."""
    distrusted: bool = False
    """The server was caught: these validators are not sent again."""


def confirmed_by(exchange: Exchange, recall: Recall | None) -> Original | None:
    """What an exchange says is still there: None where it is no believed 304."""
    response = exchange.response
    if recall is None or not recall.asked or response is None or response.status != NOT_MODIFIED:
        return None
    return recall.known.original if recall.known is not None else None


def confirmed_last(exchanges: Sequence[Exchange], recalls: Sequence[Recall]) -> Original | None:
    """The same of the last of these hops, which has no recall where it never took place."""
    return confirmed_by(exchanges[-1], recalls[-1]) if exchanges and len(recalls) == len(exchanges) else None


class Memory:
    """The version index as one batch sees it: what was there when the batch began."""

    def __init__(self, index: VersionIndex, collection: str) -> None:
        self._index = index
        self._collection = collection
        self._found: dict[str, KnownVersion | None] = {}

    async def look_up(self, urls: Iterable[str]) -> None:
        """Remember what is known of these URLs (as fetched), in one round trip."""
        urls = list(urls)
        found = await self._index.find(self._collection, urls)
        self._found.update({url: found.get(url) for url in urls})

    async def of(self, url: str) -> KnownVersion | None:
        """The version of a URL, as fetched."""
        if url not in self._found:
            await self.look_up([url])
        return self._found[url]


def revalidation_of(
    exchange: Exchange, outcome: Outcome, recall: Recall, *, refers_to: str | None, reusable: bool
) -> Revalidation | None:
    """How the next request for the URL can ask, given the records that this hop got.

    `reusable`: its own response may be referred to. Only such a 200 begins a version; an identical one, and a
    believed 304, carry it on. Other answers (404, 503, a redirect) say nothing about it, and leave it as it is.
    """
    known = recall.known
    response = exchange.response
    if outcome is Outcome.NOT_MODIFIED and known is not None:
        return _known(known, confirmed=known.confirmed + 1)
    if response is not None and response.status == 200 and outcome in (Outcome.CAPTURED, Outcome.REVISIT):
        return _whole(exchange.started_at, response, recall, refers_to, reusable)
    return _known(known, distrusted=True) if recall.distrusted and known is not None else None


def _whole(at: str, response: Response, recall: Recall, refers_to: str | None, reusable: bool) -> Revalidation | None:
    """After a whole 200. What cannot be asked about is remembered all the same where it has validators, so that
    content that changes under them is noticed."""
    known = recall.known
    found = validators_of(response, at)
    if not found:
        return Revalidation() if known is not None else None
    said = Revalidation(
        etag=found.etag,
        last_modified=found.last_modified,
        distrusted=recall.distrusted or stays_distrusted(known, found),
    )
    content_type = response.header("Content-Type") or None
    plain = is_plain(content_type)
    if reusable and plain:
        return said
    same = known is not None and known.original is not None and known.original.record_id == refers_to
    record = known.original if known is not None and same and plain and content_type == known.content_type else None
    content = Representation(
        record_id=record.record_id if record else None,
        retrieved_at=record.date if record else None,
        content_sha256=response.content.sha256,
        content_bytes=response.content.size,
        content_type=content_type if plain else None,
        received_at=at,
    )
    return said.model_copy(update={"representation": content})


def _known(known: KnownVersion, *, confirmed: int | None = None, distrusted: bool = False) -> Revalidation:
    """The version as it is known: confirmed once more, or not to be asked about again."""
    return Revalidation(
        etag=known.etag,
        last_modified=known.last_modified,
        distrusted=distrusted,
        representation=Representation(
            record_id=known.original.record_id if known.original else None,
            retrieved_at=known.original.date if known.original else None,
            content_sha256=known.content_sha256,
            content_bytes=known.content_bytes,
            content_type=known.content_type,
            received_at=known.received_at,
            confirmed=known.confirmed if confirmed is None else confirmed,
        ),
    )


def is_plain(content_type: str | None) -> bool:
    """Whether a type is short and of one line, so that it can stand in the index."""
    return content_type is None or (len(content_type) <= MAX_TYPE_CHARACTERS and content_type.isprintable())
