"""R098: what waits for a person follows from what was said, and models are measured against people on a fair sample."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.judging import sample_of
from schemas.people import is_unresolved, pairs_of, settled
from schemas.records.claim import Importance, Support
from schemas.records.judgement import JudgementEntry, JudgementInputs
from workers.judge.question import Question
from workers.judge.review import Reason, audits_of, queue_of, second_looks

S = Support
MODEL, OTHER = "chat@1+0a1b2c3d", "chat@1+ffffffff"


def question(number: int, claim: str = "It has 14 gates.", importance: Importance = Importance.ORDINARY) -> Question:
    """Its author says that it is fully supported."""
    inputs = JudgementInputs(
        claim_text=claim, quote="It has 14 gates.", prefix="", suffix="", text_sha256=f"{number:064x}"
    )
    return Question(f"ev-{number:03d}", "c-001", importance, inputs, "", "", "https://e.example/", S.FULL)


def entries(of: Question, *said: tuple[str, Support]) -> tuple[str, list[JudgementEntry]]:
    """Judgements of one question, each a second after the one before it."""
    return of.inputs_sha256, [
        JudgementEntry(
            schema="citevault/judgement@1",
            sequence=1,
            inputs=of.inputs,
            inputs_sha256=of.inputs_sha256,
            context_sha256="0" * 64,
            checker_version=checker,
            checker_sha256=None,
            support=support,
            rationale="It says so.",
            judged_at=f"2026-11-29T12:00:{second:02d}Z",
            by="somebody",
        )
        for second, (checker, support) in enumerate(said)
    ]


def waiting(questions: Sequence[Question], known: dict[str, list[JudgementEntry]], rate: int = 0) -> list[object]:
    return [(each.question.evidence_id, *each.reasons) for each in queue_of(questions, known, rate)]


def test_the_queue_has_what_is_doubtful_first_and_nothing_that_a_person_has_judged() -> None:
    """R088, R098."""
    agreed, against, disputed, unstable, done = judged = [question(number) for number in range(1, 6)]
    worded = question(8, claim="It has 15 gates.")
    questions = [*judged, question(6, importance=Importance.CRITICAL), question(7), worded]
    known = dict(
        [
            entries(agreed, (MODEL, S.FULL)),
            entries(against, (MODEL, S.CONTRADICTS)),
            entries(disputed, (MODEL, S.FULL), (OTHER, S.PARTIAL)),
            entries(unstable, (MODEL, S.PARTIAL), (MODEL, S.FULL)),
            entries(done, (MODEL, S.CONTRADICTS), ("human@1", S.FULL)),
            entries(worded, (MODEL, S.FULL)),
        ]
    )
    assert waiting(questions, known) == [
        ("ev-002", Reason.CONTRADICTS, Reason.DISPUTED),
        ("ev-003", Reason.DISPUTED),
        ("ev-004", Reason.UNSTABLE),
        ("ev-008", Reason.WARNED),
        ("ev-006", Reason.UNJUDGED),
        ("ev-007", Reason.UNJUDGED),
    ]


def words(of: Question, *said: tuple[str, str, Support]) -> list[JudgementEntry]:
    """Judgements by checker and person."""
    _, found = entries(of, *((checker, support) for checker, _, support in said))
    return [entry.model_copy(update={"by": by}) for entry, (_, by, _) in zip(found, said, strict=True)]


def test_what_people_disagree_on_is_unresolved_until_a_third_one_decides() -> None:
    """R097, R098, X14: never who spoke last; of each his own last word, and an arbiter's until somebody objects."""
    one = question(1)
    ada, bob = ("human@1", "ada", S.FULL), ("human@1", "Bob", S.NO_SUPPORT)
    decided = ("arbiter@1", "cyd", S.PARTIAL)
    cases: list[tuple[list[tuple[str, str, Support]], Support | None]] = [
        ([ada], S.FULL),
        ([ada, bob], None),
        ([bob, ada], None),
        ([ada, bob, ("human@1", "bob ", S.FULL)], S.FULL),
        ([ada, bob, decided], S.PARTIAL),
        ([decided, ada], None),
        ([ada, bob, decided, ("human@1", "dan", S.PARTIAL)], S.PARTIAL),
        ([ada, bob, decided, ada], None),
    ]
    for said, support in cases:
        told = words(one, *said)
        word = settled(told)
        assert (None if word is None else word.support) is support, said
        assert is_unresolved(told) is (support is None)
        queued = queue_of([one], {one.inputs_sha256: told}, 0)
        assert [each.reasons for each in queued] == ([(Reason.UNRESOLVED,)] if support is None else [])


def test_two_people_are_compared_over_what_both_judged() -> None:
    """R098: counts, kappa, and each thing that they do not agree on."""
    questions = [question(n) for n in range(4)]
    said = [(S.FULL, S.FULL), (S.PARTIAL, S.FULL), (S.PARTIAL, S.PARTIAL), (S.FULL, S.FULL)]
    known = {
        each.inputs_sha256: words(each, ("human@1", "ada", one), ("human@1", "bob", other), (MODEL, "m", S.FULL))
        for each, (one, other) in zip(questions, said, strict=True)
    }
    (pair,) = pairs_of(known)
    assert (pair.one, pair.other, pair.agreement.pairs, pair.agreement.agreed) == ("ada", "bob", 4, 3)
    assert pair.agreement.kappa_ppm == 500_000
    assert [each.inputs for each in pair.disagreements] == [questions[1].inputs_sha256]
    (audit,) = audits_of(known, 0)
    assert (audit.reviewed.pairs, audit.unresolved) == (3, 1)
    assert [each.evidence_id for each in second_looks(questions, known, "Ada")] == []
    assert len(second_looks(questions, known, "eve")) == 4


def test_each_model_has_a_sample_of_its_own() -> None:
    """R098: what the checker of a bundle will ask for is what the queue asks for."""
    one, other = [question(n) for n in range(20)], [question(n) for n in range(20, 40)]
    known = dict([*(entries(q, (MODEL, S.FULL)) for q in one), *(entries(q, (OTHER, S.FULL)) for q in other)])
    drawn = {
        *sample_of([q.inputs_sha256 for q in one], 1),
        *sample_of([q.inputs_sha256 for q in other], 1),
    }
    asked = queue_of([*one, *other], known, 1)
    assert {each.question.inputs_sha256 for each in asked} == drawn
    assert len(drawn) == 2


def test_a_model_is_measured_by_its_last_word_against_the_last_of_people() -> None:
    """C37, R098: apart for the sample, which nobody picked, and for all that was looked at."""
    questions = [question(n) for n in range(4)]
    said = [
        [(MODEL, S.PARTIAL), (MODEL, S.FULL), ("human@1", S.FULL)],
        [(MODEL, S.FULL), ("human@1", S.FULL), ("human@1", S.NO_SUPPORT)],
        [(MODEL, S.NO_SUPPORT), ("human@1", S.NO_SUPPORT)],
        [(MODEL, S.FULL)],
    ]
    known = dict(entries(q, *words) for q, words in zip(questions, said, strict=True))
    (audit,) = audits_of(known, 1_000_000)
    assert (audit.checker_version, audit.judged, audit.sample, audit.sample_reviewed) == (MODEL, 4, 4, 3)
    assert (audit.reviewed.pairs, audit.reviewed.agreed, audit.reviewed.kappa_ppm) == (3, 2, 400_000)
    (none,) = audits_of(known, 0)
    assert (none.sample, none.in_sample.pairs, none.in_sample.kappa_ppm) == (0, 0, None)
