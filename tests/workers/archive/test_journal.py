"""The journal says whose a segment is, and names each visit once its records are durable."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.outcome import Hop, Outcome, UnfinishedVisit, UrlOutcome
from schemas.records.requisite import RequisiteOutcome
from workers.archive.journal import (
    Standing,
    Told,
    VisitNote,
    journal_path,
    read_journal,
    read_journal_of,
    remove_segment,
    visit_line,
)
from workers.archive.segment import SegmentWriter


def test_the_journal_names_what_is_durable_and_no_more(journaled: Any) -> None:
    first = journaled.visit(1, hops=2)
    assert read_journal_of(journaled.writer.open_path).head is None
    journaled.writer.sync()
    journaled.visit(2)
    journal = read_journal_of(journaled.writer.open_path)
    assert journal.head is not None
    assert (journal.head.job_id, journal.head.batch_id) == (
        "job-01KB7Q8ZJ4M8V3T0N5R6W9XCDE",
        "b-01KB7Q8ZJ4M8V3T0N5R6W9XCDF",
    )
    assert journal.head.warcinfo == journaled.writer.warcinfo
    assert [visit.outcome for visit in journal.visits] == [first]
    assert len(journal.visits[0].cdxj) == 2
    assert len(journal.visits[0].records) == 4
    journaled.writer.sync()
    assert [visit.outcome for visit in read_journal_of(journaled.writer.open_path).visits] == journaled.visits
    journaled.writer.discard()


def test_a_closed_segment_keeps_its_journal_until_it_is_removed(journaled: Any) -> None:
    journaled.visit(1)
    closed = journaled.writer.close()
    lines = b"".join(line.encode() for visit in read_journal_of(closed.path).visits for line in visit.cdxj)
    assert lines == closed.cdxj
    remove_segment(closed.path)
    assert list(closed.path.parent.iterdir()) == []


def test_what_is_given_up_is_noted_without_an_fsync(journaled: Any) -> None:
    journaled.visit(1)
    journaled.writer.abandon()
    assert len(read_journal_of(journaled.writer.open_path).visits) == 1
    with pytest.raises(ValueError, match="closed"):
        journaled.writer.append((), 0.0)


def test_a_visit_that_goes_on_elsewhere_and_one_that_got_no_further_than_robots_are_noted_too(journaled: Any) -> None:
    done = journaled.visit(1)
    unfinished = UnfinishedVisit(
        requested_url=done.requested_url,
        normalized_url=done.normalized_url,
        visit=1,
        hops=done.hops,
        resumes_at="https://b.test/there",
        reason="b.test could not be asked in time",
    )
    journaled.writer.note(unfinished)
    journaled.writer.note(None, done.hops)
    journaled.writer.sync()
    _, second, third = read_journal_of(journaled.writer.open_path).visits
    assert (second.told, second.normalized_url, second.hops) == (unfinished, done.normalized_url, done.hops)
    assert (third.told, third.normalized_url, third.hops) == (None, None, done.hops)
    journaled.writer.discard()


def test_a_segment_that_is_nobodys_has_no_journal(open_segment: Callable[[], SegmentWriter]) -> None:
    segment = open_segment()
    segment.sync()
    assert not journal_path(segment.open_path).exists()
    segment.abandon()
    assert list(segment.open_path.parent.iterdir()) == []


@pytest.mark.parametrize("torn", [b"", b"{", b"\xff\n", b"[" * 100_000 + b"\n", b"{}\n", b"null\n"])
def test_a_torn_line_ends_the_journal(torn: bytes, journaled: Any) -> None:
    journaled.visit(1)
    journaled.writer.sync()
    data = journal_path(journaled.writer.open_path).read_bytes()
    journaled.writer.discard()
    assert read_journal(torn).head is None
    assert len(read_journal(data + torn + data).visits) == 1
    for cut in range(0, len(data), 97):
        assert len(read_journal(data[:cut]).visits) == 0


def test_a_journal_that_cannot_be_written_leaves_no_visit_out(journaled: Any) -> None:
    """A full disk between two groups: either the earlier visits are noted first, or none after them is."""
    folder = journaled.writer.open_path.parent
    journaled.visit(1)
    in_the_way = journal_path(journaled.writer.open_path)
    in_the_way.mkdir()
    with pytest.raises(OSError, match="directory"):
        journaled.writer.sync()
    in_the_way.rmdir()
    journaled.visit(2)
    journaled.writer.sync()
    assert [visit.outcome for visit in read_journal_of(journaled.writer.open_path).visits] == journaled.visits
    journaled.visit(3)
    in_the_way.rename(folder / "aside")
    in_the_way.mkdir()
    journaled.writer.abandon()
    assert journaled.writer.open_path.exists()


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30)
HOPS = st.builds(
    Hop,
    url=TEXTS,
    outcome=st.sampled_from(Outcome),
    retrieved_at=st.just("2026-11-29T10:00:00Z"),
    location=st.none() | TEXTS,
    failure=st.none() | TEXTS,
)
TOLD = st.one_of(
    st.builds(
        UrlOutcome, requested_url=TEXTS, normalized_url=TEXTS, visit=st.just(1), outcome=st.sampled_from(Outcome),
        hops=st.tuples(HOPS), remarks=st.tuples(TEXTS), job_id=st.none(), via=st.tuples(TEXTS),
    ),
    st.builds(
        UnfinishedVisit, requested_url=TEXTS, normalized_url=TEXTS, visit=st.just(2), hops=st.tuples(HOPS),
        resumes_at=TEXTS, reason=TEXTS,
    ),
    st.builds(
        RequisiteOutcome, url=TEXTS, outcome=st.sampled_from(Outcome), found_in=TEXTS, found_at=TEXTS,
        page_record=st.just("urn:uuid:00000000-0000-0000-0000-000000000001"), hops=st.tuples(HOPS),
    ),
)  # fmt: skip


@given(
    TOLD, st.lists(HOPS, max_size=2), st.lists(TEXTS, max_size=2), st.sampled_from(["ended", "pending", "completed"])
)
def test_a_line_that_is_put_together_reads_as_the_note_of_the_same_visit(
    told: Told, robots: list[Hop], lines: list[str], standing: Standing
) -> None:
    note = VisitNote.model_validate_json(visit_line(told, robots, lines, standing))
    assert (note.told, note.robots, note.cdxj, note.standing) == (told, tuple(robots), tuple(lines), standing)


def test_a_line_that_tells_nothing_is_not_written() -> None:
    with pytest.raises(ValueError, match="tells of"):
        visit_line(None, (), (), "ended")
