"""What keeps a draft from being a bundle: all of it at once, with places and next steps, and nothing written."""

from __future__ import annotations

import asyncio
import io

import pytest

from schemas.canonical import canonical_bytes
from schemas.records.snapshot import MemberLocation
from schemas.text_v1.units import OffsetUnit
from workers.archive.reading import read_file
from workers.errors import CorruptError, PermanentError
from workers.flows.bundle import BuiltBundle
from workers.flows.bundle_members import Members, TakenDown

SURGE = "a surge of 3.2 metres at the outer gate"
GAUGE = "the outer gauge showed 3.2 metres above the mean"


def problems_of(on_archive, pages, report):
    async def scenario(archive):
        await archive.archive(*pages)
        return await archive.build(report), [entry.name for entry in archive.folder.iterdir()]

    problems, names = on_archive(scenario)
    assert isinstance(problems, list), "a bundle was built"
    assert not [name for name in names if "bundle" in name]
    assert all(problem.next_step for problem in problems)
    return problems


def test_all_problems_are_told_at_once_and_nothing_is_written(on_archive, news, page, draft):
    gone = page("https://gone.example/page", ["Nothing here any more, sorry about that."], status=404)
    report = draft(
        [("c-001", "critical")],
        [
            ("c-001", "https://nowhere.example/", SURGE, "full"),
            ("c-001", "mailto:editor@daily.example", SURGE, "full"),
            ("c-001", gone.url, "Nothing here any more", "full"),
            ("c-001", "snap-000000000000-20260822T031500Z-00000000", SURGE, "full"),
            ("c-001", news[0].url, "surge", "full"),
            ("c-001", news[0].url, "a surge of 4.2 metres at the outer gate", "full"),
            ("c-009", news[0].url, SURGE, "full"),
        ],
    )
    problems = problems_of(on_archive, [*news, gone], report)
    assert {(problem.code, problem.pointer) for problem in problems} == {
        ("draft.unknown-claim", "/evidence/6/claim_id"),
        ("draft.not-archived", "/evidence/0/url"),
        ("draft.bad-url", "/evidence/1/url"),
        ("draft.not-citeable", "/evidence/2/url"),
        ("draft.unknown-snapshot", "/evidence/3/snapshot_id"),
        ("draft.quote-too-short", "/evidence/4/quote"),
        ("draft.quote-not-found", "/evidence/5/quote"),
    }


def test_a_quote_that_is_not_there_shows_where_it_nearly_is(on_archive, news, draft):
    """C07, C23."""
    report = draft([("c-001", "ordinary")], [("c-001", news[0].url, SURGE.replace("3.2", "4.2"), "full")])
    (problem,) = problems_of(on_archive, news, report)
    assert "paragraph" in problem.details[0]
    assert "[-4.2-]{+3.2+}" in problem.details[0]
    assert problem.details[1] == "[-…-] stands only in the draft's quote, {+…+} only in the page"


def test_a_quote_found_twice_is_an_error_unless_the_locator_tells(on_archive, page, draft):
    sections = ["#Monday", "The gate was closed for eleven minutes.", "It opened again before noon on that day."]
    sections += ["#Tuesday", "The gate was closed for eleven minutes.", "Engineers then looked at the hinges."]
    log = page("https://log.example/gate", sections, "Log of the gate")
    report = draft([("c-001", "ordinary")], [("c-001", log.url, "closed for eleven minutes", "full")])
    (problem,) = problems_of(on_archive, [log], report)
    assert problem.code == "draft.quote-ambiguous"
    assert len(problem.details) == 2
    assert "“Monday”" in problem.details[0]
    assert "[closed for eleven minutes]" in problem.details[1]


def test_the_locator_tells_two_places_apart_and_names_no_place_that_is_not_there(on_archive, page, draft):
    """R078: heading, paragraph and page are the text's; a reader's own words go into the note."""
    sections = ["#Monday", "The gate was closed for eleven minutes.", "It opened again before noon on that day."]
    sections += ["#Tuesday", "The gate was closed for eleven minutes.", "Engineers then looked at the hinges."]
    log = page("https://log.example/gate", sections, "Log of the gate")
    quote = ("c-001", log.url, "closed for eleven minutes", "full")
    report = draft([("c-001", "ordinary")], [(*quote, {"heading": "Tuesday"})])
    locators = ({"heading": "Tuesday", "paragraph": 5}, {"heading": "Tuesday", "page": 77})
    wrong = draft([("c-001", "ordinary")], [(*quote, locator) for locator in locators])

    async def scenario(archive):
        await archive.archive(log)
        return await archive.build(report), await archive.build(wrong)

    built, refused = on_archive(scenario)
    assert [problem.code for problem in refused] == ["draft.quote-ambiguous", "draft.locator-differs"]
    assert "the text has no pages" in refused[1].message
    assert isinstance(built, BuiltBundle), built
    text = (built.directory / built.bundle.snapshots[0].text_path).read_text("utf-8")
    (found,) = built.bundle.evidence
    assert text[: found.quote_start].count("Tuesday") == 1


def test_a_quote_of_an_older_version_is_an_error_that_names_it(on_archive, news, page, draft):
    """R014."""
    newer = page(news[0].url, ["The barrier is open, and the readings of Monday are being checked again."], minute=40)

    async def scenario(archive):
        (old, *_) = await archive.archive(*news)
        (new,) = await archive.archive(newer)
        by_url = draft([("c-001", "ordinary")], [("c-001", news[0].url, SURGE, "full")])
        by_id = draft([("c-001", "ordinary")], [("c-001", old.snapshot.id, SURGE, "full")])
        return old, new, await archive.build(by_url, "one"), await archive.build(by_id, "two")

    old, new, problems, built = on_archive(scenario)
    (problem,) = problems
    assert problem.code == "draft.quote-in-older-snapshot"
    assert old.snapshot.id in problem.message
    assert new.snapshot.id in problem.message
    assert old.snapshot.id in problem.next_step
    assert isinstance(built, BuiltBundle)
    assert built.bundle.evidence[0].snapshot_id == old.snapshot.id


def test_the_newest_citeable_snapshot_is_meant_and_not_an_error_page(on_archive, news, page, draft):
    """X18."""
    broken = page(news[0].url, ["The server is being repaired, please come back later."], minute=50, status=503)

    async def scenario(archive):
        (good, *_) = await archive.archive(*news)
        await archive.archive(broken)
        report = draft([("c-001", "ordinary")], [("c-001", news[0].url, SURGE, "full")])
        return good, await archive.build(report)

    good, built = on_archive(scenario)
    assert isinstance(built, BuiltBundle), built
    assert built.bundle.evidence[0].snapshot_id == good.snapshot.id


def test_what_cannot_be_published_is_not_cited(on_archive, news, draft):
    report = draft([("c-001", "ordinary")], [("c-001", news[0].url, SURGE, "full")])

    async def scenario(archive):
        await archive.archive(*news)
        return await archive.build(report, may_publish=False)

    (problem,) = on_archive(scenario)
    assert (problem.code, problem.pointer) == ("draft.not-published", "/evidence/0")


def test_a_directory_with_other_things_is_never_written_to(on_archive, news, draft):
    report = draft([("c-001", "ordinary")], [("c-001", news[0].url, SURGE, "full")])

    async def scenario(archive):
        await archive.archive(*news)
        home = archive.folder / "home"
        home.mkdir()
        (home / "letter.txt").write_text("dear")
        (archive.folder / "file").write_text("x")
        half = archive.folder / "half"
        half.mkdir()
        (half / "bundle.json").write_text('{"schema": "other@1"}')
        (archive.folder / "empty").mkdir()
        return [await archive.build(report, name) for name in ("home", "file", "half", "empty", "empty")]

    home, file, half, empty, again = on_archive(scenario)
    for refused in (home, file, half):
        assert [problem.code for problem in refused] == ["output.not-a-bundle"]
    assert isinstance(empty, BuiltBundle)
    assert isinstance(again, BuiltBundle)


def test_an_earlier_bundle_is_replaced_whole(on_archive, news, draft):
    async def scenario(archive):
        await archive.archive(*news)
        edges = [("c-001", news[0].url, SURGE, "full"), ("c-001", news[2].url, GAUGE, "full")]
        first = await archive.build(draft([("c-001", "critical")], edges))
        second = await archive.build(draft([("c-001", "ordinary")], edges[:1]))
        return first, second, [entry.name for entry in archive.folder.iterdir()]

    first, second, names = on_archive(scenario)
    assert first.directory == second.directory
    assert len(list((second.directory / "texts").iterdir())) == 1
    assert not [name for name in names if name.startswith(".bundle")]


def test_a_damaged_record_stops_the_build_and_leaves_nothing(on_archive, news, draft):
    """Corrupt is never retried into success, and a traceback is no answer."""
    report = draft([("c-001", "ordinary")], [("c-001", news[0].url, SURGE, "full")])

    async def scenario(archive):
        (line, *_) = await archive.archive(*news)
        place = await archive.catalog.locate(line.snapshot.records.response)
        data = bytearray(await archive.store.get(place.key))
        data[place.offset + place.length // 2] ^= 0xFF
        await archive.store.put(place.key, bytes(data))
        with pytest.raises(CorruptError) as raised:
            await archive.build(report)
        return place, raised.value, [entry.name for entry in archive.folder.iterdir()]

    place, error, names = on_archive(scenario)
    assert place.key in error.where
    assert not [name for name in names if "bundle" in name]


def test_a_place_that_cannot_be_written_is_told(on_archive, news, draft):
    report = draft([("c-001", "ordinary")], [("c-001", news[0].url, SURGE, "full")])

    async def scenario(archive):
        await archive.archive(*news)
        (archive.folder / "file").write_text("x")
        with pytest.raises(PermanentError) as raised:
            await archive.build(report, "file/within")
        return raised.value

    assert "cannot be written" in on_archive(scenario).what


def test_a_tombstone_is_told_from_a_text(on_archive, news):
    async def scenario(archive):
        (line, *_) = await archive.archive(*news)
        place = line.conversion
        size = (await archive.store.info(place.key)).size
        rest = await archive.store.get_range(place.key, place.offset + place.length, size - place.offset - place.length)

        described = next(read_file(io.BytesIO(rest)))
        tombstone = MemberLocation(
            key=place.key,
            record_id=place.record_id,
            offset=place.offset + place.length,
            length=described.length,
        )
        described.record.block.close()
        members = Members(archive.store, archive.catalog)
        changed = line.model_copy(update={"conversion": tombstone})
        return line, await members.text(changed), await members.text(line)

    line, gone, kept = on_archive(scenario)
    assert gone == TakenDown(line.snapshot.records.conversion)
    assert isinstance(kept, bytes)


def test_nothing_of_asyncio_is_left_open(on_archive, news, draft):
    """Page look-ups are generators; a build ends them."""

    async def scenario(archive):
        await archive.archive(*news)
        report = draft([("c-001", "ordinary")], [("c-001", news[0].url, SURGE, "full")])
        await archive.build(report)
        return len(asyncio.all_tasks())

    assert on_archive(scenario) == 1


def test_one_passage_is_evidence_for_a_claim_once(on_archive, news, draft):
    report = draft(
        [("c-001", "ordinary")],
        [("c-001", news[0].url, SURGE, "full"), ("c-001", news[0].url, SURGE, "full")],
    )
    problems = problems_of(on_archive, news, report)
    assert [(problem.code, problem.pointer) for problem in problems] == [("draft.duplicate-evidence", "/evidence/1")]


def edge_of(report, url, **fields):
    """The report with one piece of evidence, given field by field."""
    edge = {"claim_id": "c-001", "url": url, "support": "full", **fields}
    document = {**report.model_dump(mode="json", by_alias=True), "evidence": [edge]}
    return type(report).model_validate_json(canonical_bytes(document))


def test_a_quote_in_another_presentation_is_found_and_its_level_told(on_archive, news, draft):
    """The stored quote is the text's own, whatever the author's keyboard made of it."""
    report = draft([("c-001", "ordinary")], [])
    report = edge_of(report, news[0].url, quote=SURGE.replace(" ", "\u00a0"))

    async def scenario(archive):
        await archive.archive(*news)
        return await archive.build(report)

    built = on_archive(scenario)
    assert isinstance(built, BuiltBundle), built
    (found,) = built.bundle.evidence
    assert (found.quote, found.match_level.value) == (SURGE, "presentation")


def test_parts_of_a_quote_are_one_span_with_what_stands_between(on_archive, page, draft):
    """C21."""
    log = page("https://log.example/gate", ["The gate was closed at dawn, in heavy rain, for eleven minutes in all."])
    report = edge_of(draft([("c-001", "ordinary")], []), log.url, quotes=["gate was closed", "for eleven minutes"])
    swapped = edge_of(draft([("c-001", "ordinary")], []), log.url, quotes=["for eleven minutes", "gate was closed"])

    async def scenario(archive):
        await archive.archive(log)
        return await archive.build(report, "one"), await archive.build(swapped, "two")

    built, refused = on_archive(scenario)
    assert isinstance(built, BuiltBundle), built
    assert built.bundle.evidence[0].quote == "gate was closed at dawn, in heavy rain, for eleven minutes"
    assert [problem.code for problem in refused] == ["draft.quote-not-found"]


def test_context_and_offset_tell_two_places_apart_and_are_not_believed_against_the_text(on_archive, page, draft):
    """C17, C49: an offset says what it counts, and is held against the words."""
    log = page(
        "https://log.example/gate", ["Alpha 🤔 saw the gate closed at noon.", "Beta saw the gate closed at noon."]
    )
    base = draft([("c-001", "ordinary")], [])
    quote = "the gate closed at noon"

    async def scenario(archive):
        await archive.archive(log)
        by_prefix = await archive.build(edge_of(base, log.url, quote=quote, prefix="Beta saw "), "one")
        assert isinstance(by_prefix, BuiltBundle), by_prefix
        text = (by_prefix.directory / by_prefix.bundle.snapshots[0].text_path).read_text("utf-8")
        start = by_prefix.bundle.evidence[0].quote_start
        assert start == text.rindex(quote)
        in_units = len(text[:start].encode("utf-16-le")) // 2
        utf16 = base.model_copy(update={"offset_unit": OffsetUnit.UTF16})
        by_offset = await archive.build(edge_of(utf16, log.url, quote=quote, quote_start=in_units), "two")
        wrong = await archive.build(edge_of(base, log.url, quote="Beta saw the gate", quote_start=3), "three")
        nowhere = await archive.build(edge_of(base, log.url, quote=quote, suffix=" on Friday"), "four")
        return start, by_offset, wrong, nowhere

    start, by_offset, wrong, nowhere = on_archive(scenario)
    assert isinstance(by_offset, BuiltBundle), by_offset
    assert by_offset.bundle.evidence[0].quote_start == start
    assert [problem.code for problem in wrong] == ["draft.quote-elsewhere"]
    assert [problem.code for problem in nowhere] == ["draft.quote-not-found"]


def test_a_critical_claim_does_not_rest_on_words_that_were_joined_to_be_found(on_archive, page, draft):
    """C29."""
    log = page("https://log.example/gate", ["A note on recurrent orconvolutional networks in the harbour."])
    quote = "recurrent or convolutional networks"

    async def scenario(archive):
        await archive.archive(log)
        ordinary = await archive.build(edge_of(draft([("c-001", "ordinary")], []), log.url, quote=quote), "one")
        critical = await archive.build(edge_of(draft([("c-001", "critical")], []), log.url, quote=quote), "two")
        return ordinary, critical

    ordinary, critical = on_archive(scenario)
    assert isinstance(ordinary, BuiltBundle), ordinary
    assert ordinary.bundle.evidence[0].match_level.value == "whitespace"
    (problem,) = critical
    assert problem.code == "draft.quote-too-loose"
    assert "orconvolutional" in problem.details[0]
