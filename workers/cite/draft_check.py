"""What can be said of a draft without looking at the archive: ids that are missing, given twice, or name nothing."""

from __future__ import annotations

from schemas.judging import MIN_WHY, gives_reason, says_something
from schemas.pointer import pointer
from schemas.records.claim import Support
from schemas.records.draft import Draft
from workers.cite.problem import DraftProblem, evidence_pointer


def evidence_id(index: int) -> str:
    """Id of the draft's piece of evidence number `index`, from 0: `ev-001` is the first."""
    return f"ev-{index + 1:03d}"


def judgement_id(index: int) -> str:
    """Id of the judgement that the draft makes on that piece of evidence."""
    return f"j-{index + 1:03d}"


def check_draft(draft: Draft) -> list[DraftProblem]:
    """Duplicate claims, evidence for claims that are not there, empty drafts, arbitrations of nothing (X32)."""
    return [*_claims(draft), *_evidence(draft), *_arbitrations(draft)]


def _claims(draft: Draft) -> list[DraftProblem]:
    first: dict[str, int] = {}
    said: dict[str, int] = {}
    problems: list[DraftProblem] = []
    for index, claim in enumerate(draft.claims):
        if first.setdefault(claim.id, index) != index:
            problems.append(
                DraftProblem(
                    "draft.duplicate-claim",
                    pointer(["claims", index, "id"]),
                    f"The id {claim.id} was given to claim number {first[claim.id] + 1} already",
                    "give each claim an id of its own",
                )
            )
        other = said.setdefault(" ".join(claim.text.casefold().split()).rstrip(".\u3002"), index)
        if other != index and draft.claims[other].id != claim.id:
            problems.append(
                DraftProblem(
                    "draft.claim-twice",
                    pointer(["claims", index, "text"]),
                    f"Claim number {other + 1} says the same: what contradicts one would not count against both",
                    "make them one claim with all its evidence",
                )
            )
        if claim.place is not None and claim.place.start > claim.place.end:
            problems.append(
                DraftProblem(
                    "draft.bad-place",
                    pointer(["claims", index, "place"]),
                    "The claim's place ends before it starts",
                    "give start and end in code points of the report, start first",
                )
            )
    return problems


def _evidence(draft: Draft) -> list[DraftProblem]:
    if not draft.evidence:
        return [
            DraftProblem(
                "draft.empty", "/evidence", "The draft has no evidence at all", "quote at least one page for a claim"
            )
        ]
    known = {claim.id for claim in draft.claims}
    return [
        DraftProblem(
            "draft.unknown-claim",
            evidence_pointer(index, "claim_id"),
            f"There is no claim {edge.claim_id}",
            "add the claim, or name another one",
        )
        for index, edge in enumerate(draft.evidence)
        if edge.claim_id not in known
    ]


def _arbitrations(draft: Draft) -> list[DraftProblem]:
    """Only evidence that contradicts the arbitrated claim can be set aside (X14)."""
    contradicting = {
        (edge.claim_id, evidence_id(index))
        for index, edge in enumerate(draft.evidence)
        if edge.support is Support.CONTRADICTS
    }
    problems: list[DraftProblem] = []
    seen: set[str] = set()
    for index, arbitration in enumerate(draft.arbitrations):
        wrong = [name for name in arbitration.evidence_ids if (arbitration.claim_id, name) not in contradicting]
        if wrong:
            problems.append(
                _bad_arbitration(
                    index, f"{wrong[0]} is no evidence that contradicts {arbitration.claim_id}; ids count from ev-001"
                )
            )
        if arbitration.id in seen:
            problems.append(_bad_arbitration(index, f"The id {arbitration.id} was given to another arbitration"))
        if arbitration.id.startswith("decision-"):
            problems.append(_bad_arbitration(index, "Ids that begin with decision- are those of the decision log"))
        if not says_something(arbitration.by) or not gives_reason(arbitration.why):
            problems.append(_bad_arbitration(index, f"It does not say by whom and, in {MIN_WHY} characters, why"))
        seen.add(arbitration.id)
    return problems


def _bad_arbitration(index: int, message: str) -> DraftProblem:
    return DraftProblem(
        "draft.bad-arbitration", pointer(["arbitrations", index]), message, "correct the arbitration, or leave it out"
    )
