"""A model's answer against the source map that it was made from (R109, R112-R117): grounded in what was retrieved,
which is not the same as true. Nothing is fetched and nothing is repaired.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from operator import attrgetter
from pathlib import Path
from typing import Final

from schemas.citations.answer import ParsedAnswer, known_ids, read_answer
from schemas.citations.lookalikes import Lookalike, find_lookalikes
from schemas.citations.prose import FOOTNOTE
from schemas.citations.sentences import UNJUDGED, Sentence
from schemas.figures import Figure, parted, read_figures, read_said, unsaid
from schemas.findings import FindingKind
from schemas.pointer import pointer
from schemas.reading import DocumentError, read_document
from schemas.records.finding import Report, Severity
from schemas.records.source_map import SourceMap
from validator.found import MAX_SHOWN, Found
from validator.settings import Profile, RefusedInputError

MAX_ANSWER: Final = 2 * 1024 * 1024
"""Some 300,000 words; no model writes as many. One of nothing but rows of a table takes 9 s and a gigabyte, most of it
to read the Markdown, so no option raises it: parts can be checked by themselves."""
_FOOTNOTE: Final = re.compile(FOOTNOTE)
MAX_MAP: Final = 16 * 1024 * 1024


def run(answer: Path, source_map: Path, profile: Profile) -> Report:
    """Read both files and check them. RefusedInputError where one is not what it should be."""
    data = _read(answer, "ANSWER", MAX_ANSWER)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedInputError(f"the answer is no UTF-8 from byte {error.start} on") from None
    document = read_document(_read(source_map, "--map", MAX_MAP), SourceMap)
    if isinstance(document, DocumentError):
        raise RefusedInputError(f"--map is no source map: {document}")
    found = Found()
    check_answer(read_answer(text), document, profile, found)
    return Report(
        schema="citevault/validation-report@1",
        subject=f"answer of run {document.run_id}",
        subject_sha256=hashlib.sha256(data).hexdigest(),
        profile=profile.value,
        deep=False,
        exit_code=found.exit_code,
        checked=dict(sorted(found.checked.items())),
        findings=tuple(found.findings),
    )


def _read(path: Path, name: str, most: int) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise RefusedInputError(f"{name} {path}: {reason}") from None
    if len(data) > most:
        step = "split it at a heading, and check each part against the same map"
        if name == "--map":
            step = "build maps of fewer pages, and ask for an answer from each"
        raise RefusedInputError(f"{name} {path}: larger than {most} bytes; {step}")
    return data


def check_map(source_map: SourceMap, found: Found) -> None:
    """Ids are derived and unique, and a chunk is as long as its span (X11, X12)."""
    seen: Counter[str] = Counter()
    for number, source in enumerate(source_map.sources):
        seen[str(source.source_id)] += 1
        for place, chunk in enumerate(source.chunks):
            found.looked_at("chunks")
            seen[chunk.chunk_id] += 1
            at = pointer(("sources", number, "chunks", place))
            if chunk.source_id != source.source_id or not chunk.chunk_id.startswith(f"{source.source_id}."):
                found.add(FindingKind.MAP_CHUNK_ID, pointer=at, ids=(chunk.chunk_id,), expected=f"{source.source_id}.n")
            if chunk.char_end - chunk.char_start != len(chunk.text):
                found.add(
                    FindingKind.MAP_CHUNK_SPAN,
                    pointer=at,
                    ids=(chunk.chunk_id,),
                    expected=f"{len(chunk.text)} code points",
                    actual=f"{chunk.char_start} to {chunk.char_end}",
                )
    for name, count in seen.items():
        if count > 1:
            found.add(FindingKind.MAP_DUPLICATE_ID, ids=(name,))


def check_answer(parsed: ParsedAnswer, source_map: SourceMap, profile: Profile, found: Found) -> None:
    """Every layer that two documents can answer, in the order of R118: existence and raw URLs first."""
    check_map(source_map, found)
    if not any(one.kind not in UNJUDGED for one in parsed.sentences):
        found.add(FindingKind.ANSWER_EMPTY)
        return
    _existence(parsed, source_map, found)
    _addresses(parsed, source_map, found)
    lookalikes = find_lookalikes(parsed, known_ids(source_map))
    for one in lookalikes:
        found.add(FindingKind.ANSWER_NO_CITATION, expected=one.wanted, actual=_place(parsed, one.start, one.end))
    _proximity(parsed, profile, found)
    _figures(parsed, source_map, lookalikes, found)
    _unused(parsed, source_map, found)


def _existence(parsed: ParsedAnswer, source_map: SourceMap, found: Found) -> None:
    known = known_ids(source_map)
    for one in parsed.citations:
        found.looked_at("citations")
        place = _place(parsed, one.start, one.end)
        for name in one.ids:
            if name not in known:
                found.add(FindingKind.ANSWER_INVALID_CITATION, ids=(name,), actual=place)
            elif "." not in name:
                found.add(FindingKind.ANSWER_SOURCE_CITED, ids=(name,), actual=place)


def _addresses(parsed: ParsedAnswer, source_map: SourceMap, found: Found) -> None:
    opened = {url for source in source_map.sources for url in (source.canonical_url, source.original_url)}
    opened |= {chunk.url for source in source_map.sources for chunk in source.chunks}
    for address in parsed.prose.addresses:
        found.looked_at("addresses")
        kind = FindingKind.ANSWER_RAW_URL if address.url in opened else FindingKind.ANSWER_UNOPENED_URL
        found.add(kind, actual=_place(parsed, address.start, address.end))


def _proximity(parsed: ParsedAnswer, profile: Profile, found: Found) -> None:
    """A citation in each paragraph (R115); in profile claim a warning, in strict an error, for each sentence."""
    blocks: dict[int, list[Sentence]] = {}
    for one in parsed.sentences:
        if one.kind not in UNJUDGED:
            blocks.setdefault(one.block, []).append(one)
    for sentences in blocks.values():
        found.looked_at("paragraphs")
        for _ in sentences:
            found.looked_at("sentences")
        if not any(one.citations for one in sentences):
            first, last = sentences[0], sentences[-1]
            found.add(FindingKind.ANSWER_UNCITED_PARAGRAPH, actual=_place(parsed, first.start, last.end))
            continue
        if profile is Profile.PARAGRAPH:
            continue
        for one in sentences:
            if not one.citations:
                found.add(
                    FindingKind.ANSWER_UNCITED_CLAIM,
                    severity=Severity.ERROR if profile is Profile.STRICT else None,
                    actual=_place(parsed, one.start, one.end),
                )


def _figures(parsed: ParsedAnswer, source_map: SourceMap, lookalikes: Sequence[Lookalike], found: Found) -> None:
    """Figures (`schemas/figures.py`) that no chunk which the sentence cites says: weak support, for a judge (C07)."""
    known = known_ids(source_map)
    where, together = _places_of_figures(source_map)
    nowhere: frozenset[str] = frozenset()
    for one in parsed.sentences:
        names = list(dict.fromkeys(name for place in one.citations for name in parsed.citations[place].ids))
        if not names or not known.issuperset(names):
            continue
        cited = frozenset(names)

        def said(figure: str, cited: frozenset[str] = cited) -> bool:
            return not where.get(figure, nowhere).isdisjoint(cited)

        def split(part: str, cited: frozenset[str] = cited) -> Iterator[Set[str]]:
            near = together.get(part, {})
            for name in near if len(near) < len(cited) else cited:
                if name in cited:
                    yield from near.get(name, ())

        missing = unsaid(_own_figures(parsed, one, lookalikes), said, split)
        if missing:
            found.add(
                FindingKind.ANSWER_FIGURE_NOT_IN_CHUNK,
                ids=names,
                expected=", ".join(missing),
                actual=_place(parsed, one.start, one.end),
            )


def _places_of_figures(
    source_map: SourceMap,
) -> tuple[dict[str, set[str]], dict[str, dict[str, set[frozenset[str]]]]]:
    """Which chunks have a figure, and which sources as a whole: each chunk is read once, however often it is cited.
    Then of a part of figures that may be several, by chunk and source, what stands together with it."""
    places: dict[str, set[str]] = {}
    together: dict[str, dict[str, set[frozenset[str]]]] = {}
    for source in source_map.sources:
        of_source: list[Figure] = []
        for chunk in source.chunks:
            own = read_said(chunk.text)
            for figure in own:
                places.setdefault(figure.whole, set()).update((chunk.chunk_id, str(source.source_id)))
            several = [figure for figure in own if figure.parts]
            of_source += several
            for part, others in parted(several).items():
                together.setdefault(part, {})[chunk.chunk_id] = others
        for part, others in parted(of_source).items():
            together[part][str(source.source_id)] = others
    return places, together


def _own_figures(parsed: ParsedAnswer, one: Sentence, lookalikes: Sequence[Lookalike]) -> list[Figure]:
    """Those of the sentence without its citations, what looks like one, and the marks of footnotes."""
    begin, stop = (bisect_left(lookalikes, place, key=attrgetter("start")) for place in (one.start, one.end))
    cited = [(parsed.citations[place].start, parsed.citations[place].end) for place in one.citations]
    parts, done = [], one.start
    for start, end in sorted([*cited, *((each.start, each.end) for each in lookalikes[begin:stop])]):
        parts.append(parsed.text[done : max(done, start)])
        done = max(done, end)
    parts.append(parsed.text[done : one.end])
    return read_figures(_FOOTNOTE.sub("  ", "  ".join(parts)))


def _unused(parsed: ParsedAnswer, source_map: SourceMap, found: Found) -> None:
    used = {name.partition(".")[0] for one in parsed.citations for name in one.ids}
    for number, source in enumerate(source_map.sources):
        if str(source.source_id) not in used:
            found.add(
                FindingKind.ANSWER_UNCITED_SOURCE,
                pointer=pointer(("sources", number)),
                ids=(str(source.source_id), source.snapshot_id),
            )


def _place(parsed: ParsedAnswer, start: int, end: int) -> str:
    return f"{start}-{end}: {parsed.text[start : min(end, start + MAX_SHOWN)]}"
