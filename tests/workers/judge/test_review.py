"""R098: what waits for a person follows from what was said, and models are measured against people on a fair sample."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.judging import sample_of
from schemas.records.claim import Importance, Support
from schemas.records.judgement import JudgementEntry, JudgementInputs
from workers.judge.question import Question
from workers.judge.review import Reason, audits_of, queue_of

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
