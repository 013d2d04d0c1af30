"""Each piece of evidence of a draft: which snapshot it means, and where its quote stands there."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from schemas.records.claim import Importance
from schemas.records.draft import Draft, DraftEvidence
from schemas.records.snapshot import SnapshotLine
from schemas.text_v1.units import OffsetUnit, from_code_points
from schemas.urls.error import UrlError
from schemas.urls.request import identity_of_request
from workers.cite.context import in_context
from workers.cite.haystack import Haystack
from workers.cite.locate import MAX_SHOWN, Ambiguous, NotFound, Span, TooShort
from workers.cite.locator import contradicted, heading_of, paragraph_of
from workers.cite.placing import place_of, stands_elsewhere, too_loose
from workers.cite.problem import DraftProblem, ProblemCode, evidence_pointer
from workers.cite.word_diff import first_signed, legend
from workers.flows.bundle_members import Members, TakenDown
from workers.ports import Catalog

MAX_OLDER = 20
"""Older snapshots of a page in which a quote is looked for, to say where it was."""
MAX_RECENT = 8
"""Texts that are kept ready to be searched."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A quote with its place."""

    index: int
    """Of the evidence in the draft."""
    edge: DraftEvidence
    line: SnapshotLine
    span: Span


@dataclass(frozen=True, slots=True)
class _Page:
    line: SnapshotLine
    hay: Haystack

    @property
    def text(self) -> str:
        return self.hay.text


_Pages = AsyncGenerator[_Page | DraftProblem, None]


class Citer:
    """Reads snapshots and texts once each. `texts` holds those that evidence rests on, by snapshot id."""

    def __init__(self, catalog: Catalog, members: Members) -> None:
        self._catalog = catalog
        self._members = members
        self.texts: dict[str, str] = {}
        self._recent: dict[str, Haystack] = {}
        self._unit = OffsetUnit.CODE_POINT
        self._importance: dict[str, Importance] = {}

    async def cite(self, draft: Draft) -> list[Cited | DraftProblem]:
        """Every piece of evidence, in the order of the draft."""
        self._unit = draft.offset_unit
        self._importance = {claim.id: claim.importance for claim in draft.claims}
        return [await self._cite(index, edge) for index, edge in enumerate(draft.evidence)]

    async def _cite(self, index: int, edge: DraftEvidence) -> Cited | DraftProblem:
        if edge.snapshot_id is not None:
            page = await self._named(index, edge.snapshot_id)
            return page if isinstance(page, DraftProblem) else await self._place(index, edge, page, None)
        async with aclosing(self._pages_of(index, edge.url or "")) as pages:
            newest = await anext(pages)
            return newest if isinstance(newest, DraftProblem) else await self._place(index, edge, newest, pages)

    async def _place(self, index: int, edge: DraftEvidence, page: _Page, older: _Pages | None) -> Cited | DraftProblem:
        found = place_of(page.hay, page.line.headings, edge, self._unit, page.line.pages)
        if isinstance(found, Span):
            if stands_elsewhere(page.text, edge, self._unit, found):
                return _elsewhere(index, page, edge, self._unit, found)
            if too_loose(page.text, edge, self._importance.get(edge.claim_id, Importance.CRITICAL), found):
                return _too_loose(index, page, found)
            differs = contradicted(page.text, page.line.headings, found, edge.locator, page.line.pages)
            if differs is not None:
                return _other_locator(index, page, differs)
            self.texts[page.line.snapshot.id] = page.text
            return Cited(index, edge, page.line, found)
        if isinstance(found, NotFound) and older is not None:
            was = await _older_with(older, edge, self._unit)
            if was is not None:
                return _in_older(index, page, was)
        return _unplaced(index, page, found)

    async def _named(self, index: int, snapshot_id: str) -> _Page | DraftProblem:
        line = await self._catalog.snapshot(snapshot_id)
        if line is None:
            return _problem(
                "draft.unknown-snapshot",
                index,
                "snapshot_id",
                f"The archive has no snapshot {snapshot_id}",
                "list the snapshots of the page with `citevault snapshots`",
            )
        if not line.snapshot.citeable:
            return _not_citeable(index, "snapshot_id", [line])
        page = await self._page(line)
        return page or _taken_down(index, "snapshot_id", snapshot_id)

    async def _pages_of(self, index: int, url: str) -> _Pages:
        """The citeable snapshots of a resource, newest first; the first item may be a problem."""
        resource = identity_of_request(url)
        if isinstance(resource, UrlError):
            yield _problem("draft.bad-url", index, "url", f"This is no URL of a page: {resource.message}", "correct it")
            return
        refused: list[SnapshotLine] = []
        gone = ""
        given = False
        for snapshot_id in await self._catalog.snapshots_of(resource.url):
            line = await self._catalog.snapshot(snapshot_id)
            if line is None or not line.snapshot.citeable:
                refused += [line] if line is not None and len(refused) < MAX_SHOWN else []
                continue
            page = await self._page(line)
            gone = gone or ("" if page else snapshot_id)
            if page is not None:
                given = True
                yield page
        if given:
            return
        if gone:
            yield _taken_down(index, "url", gone)
        elif refused:
            yield _not_citeable(index, "url", refused)
        else:
            yield _problem(
                "draft.not-archived",
                index,
                "url",
                f"The archive has no snapshot of {resource.url}",
                "archive the page first: citevault archive URL --wait",
            )

    async def _page(self, line: SnapshotLine) -> _Page | None:
        """None: its text was taken down."""
        snapshot_id = line.snapshot.id
        if snapshot_id not in self._recent:
            known = self.texts.get(snapshot_id)
            if known is None:
                text = await self._members.text(line)
                if isinstance(text, TakenDown):
                    return None
                known = text.decode("utf-8")
            while len(self._recent) >= MAX_RECENT:
                del self._recent[next(iter(self._recent))]
            self._recent[snapshot_id] = Haystack(known)
        return _Page(line, self._recent[snapshot_id])


async def _older_with(pages: _Pages, edge: DraftEvidence, unit: OffsetUnit) -> _Page | None:
    """The newest of the older snapshots that has the quote."""
    looked_at = 0
    async for page in pages:
        if isinstance(page, DraftProblem):
            return None
        if isinstance(place_of(page.hay, page.line.headings, edge, unit, page.line.pages), Span | Ambiguous):
            return page
        looked_at += 1
        if looked_at == MAX_OLDER:
            return None
    return None


def _in_older(index: int, newest: _Page, was: _Page) -> DraftProblem:
    old = was.line.snapshot
    return _problem(
        "draft.quote-in-older-snapshot",
        index,
        "quote",
        f"The newest snapshot ({newest.line.snapshot.id}) does not have this quote; {old.id} "
        f"of {old.retrieved_at} has it",
        f'quote what the page says now, or cite the older version with "snapshot_id": "{old.id}"',
    )


def _other_locator(index: int, page: _Page, differs: str) -> DraftProblem:
    return _problem(
        "draft.locator-differs",
        index,
        "locator",
        f"The locator says {differs} ({page.line.snapshot.id})",
        'correct it, or leave it out: it is derived from the text; names of your own go into "note"',
    )


def _unplaced(index: int, page: _Page, found: NotFound | Ambiguous | TooShort) -> DraftProblem:
    snapshot_id, text = page.line.snapshot.id, page.text
    match found:
        case TooShort():
            return _problem(
                "draft.quote-too-short",
                index,
                "quote",
                f"The quote says too little: {found.weight} word characters that tell some {found.bits} bits, and a "
                f"pointer needs {found.required} and {found.required_bits}",
                "quote more of the sentence",
            )
        case Ambiguous():
            places = tuple(
                f"{_where(page, span.start)}: {in_context(text, span.start, span.end)}"
                for span in found.spans[:MAX_SHOWN]
            )
            count = f"more than {len(found.spans)}" if found.more else str(len(found.spans))
            return _problem(
                "draft.quote-ambiguous",
                index,
                "quote",
                f"The quote stands in {count} places of {snapshot_id}",
                "quote more, or say which is meant: what stands before it in `prefix` or after it in `suffix`, or the "
                "heading or paragraph in `locator`",
                places,
            )
        case NotFound():
            near = [
                f"{_where(page, passage.start)}, {passage.similarity_ppm // 10_000} % alike, {passage.why}: "
                f"{passage.diff}"
                for passage in found.nearest
            ]
            signed = first_signed([passage.diff for passage in found.nearest])
            if signed is not None:
                near.insert(signed + 1, legend("the draft's quote", "the page"))
            return _problem(
                "draft.quote-not-found",
                index,
                "quote",
                f"The quote does not stand in {snapshot_id}",
                "copy it from the stored text: citevault show " + snapshot_id + " --text",
                tuple(near) or ("nothing in the text is like it",),
            )


def _elsewhere(index: int, page: _Page, edge: DraftEvidence, unit: OffsetUnit, span: Span) -> DraftProblem:
    stands = from_code_points(page.text, span.start, unit)
    return _problem(
        "draft.quote-elsewhere",
        index,
        "quote_start",
        f"The quote stands at {stands} and not at {edge.quote_start}, counted in {unit.value}",
        "correct the offset or the draft's `offset_unit`, or leave the offset out",
        (f"{_where(page, span.start)}: {in_context(page.text, span.start, span.end)}",),
    )


def _too_loose(index: int, page: _Page, span: Span) -> DraftProblem:
    return _problem(
        "draft.quote-too-loose",
        index,
        "quote",
        f"The quote was found at level {span.level.value} only, with words joined or parted, and its claim is critical",
        "quote the passage as the stored text has it",
        (f"{_where(page, span.start)}: {in_context(page.text, span.start, span.end)}",),
    )


def _where(page: _Page, start: int) -> str:
    heading = heading_of(page.line.headings, start)
    under = f" under “{heading}”" if heading else ""
    return f"character {start}, paragraph {paragraph_of(page.text, start)}{under}"


def _not_citeable(index: int, field: str, lines: list[SnapshotLine]) -> DraftProblem:
    snapshot = lines[0].snapshot
    return _problem(
        "draft.not-citeable",
        index,
        field,
        f"{snapshot.id} cannot be cited: its reader status is {snapshot.reader_status.value}",
        "archive the page again, or cite another page",
        tuple(f"{line.snapshot.id}: {line.snapshot.reader_status.value}" for line in lines[1:]),
    )


def _taken_down(index: int, field: str, snapshot_id: str) -> DraftProblem:
    return _problem("draft.taken-down", index, field, f"{snapshot_id} was taken down", "cite another page")


def _problem(
    code: ProblemCode, index: int, field: str, message: str, next_step: str, details: tuple[str, ...] = ()
) -> DraftProblem:
    return DraftProblem(code, evidence_pointer(index, field), message, next_step, details)
