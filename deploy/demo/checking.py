"""What must be so after a step. Deciders: they look at answers and raise StepFailedError with a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from deploy.demo.answers import Archived, JobStatus, ManifestRow
from deploy.demo.breaking import Change
from deploy.demo.commands import Answer
from deploy.demo.failure import require
from schemas.records.bundle import Bundle
from schemas.records.claim import Verdict
from schemas.records.finding import Finding, Report, Severity

TEXT_CHANGED = "text.digest-differs"


def job_ended_as_it_must(job: Archived, said: str) -> None:
    """Every resource has an outcome, and only what robots.txt forbids has no response."""
    ended = job.ended
    require(not ended.parked, f"segments were given up: {', '.join(ended.parked)}", said)
    require(ended.known == ended.done == job.seeds, f"{ended.done} of {job.seeds} URLs have an outcome", said)
    denied = ended.outcomes.get("robots_denied", 0)
    require(denied == 1, f"robots.txt forbids one page, and {denied} were left out for it", said)
    require(ended.without_response == denied, f"{ended.without_response} URLs ended without a response", said)


def status_of(answer: Answer) -> JobStatus:
    """The status of a job, all of whose segments are published."""
    status = answer.read(JobStatus)
    require(set(status.segments) == {"published"}, f"segments are not all published: {status.segments}", answer.said())
    return status


def requisites_are_there(status: JobStatus, wanted: int) -> None:
    """Everything that the pages name was captured with them."""
    require(status.requisites == {"captured": wanted}, f"{wanted} requisites were named, captured: {status.requisites}")


def log_is_whole(rows: Sequence[ManifestRow], snapshots: int) -> None:
    """Numbers without gaps, sizes that add up, and every snapshot in it."""
    require([row.sequence for row in rows] == list(range(1, len(rows) + 1)), "the log has a gap")
    size = 0
    for row in rows:
        size += row.leaves
        require(row.tree_size == size, f"manifest {row.sequence} commits {row.tree_size} leaves, not {size}")
    require(size >= snapshots, f"{snapshots} snapshots were taken, and the log holds {size} leaves")


def report_looked_at_everything(report: Report, bundle: Bundle) -> None:
    """A clean report that was no vacuous pass."""
    bad = [finding.code for finding in report.findings if finding.severity is not Severity.NOTE]
    require(not bad, f"findings on a good bundle: {', '.join(bad)}")
    require(report.deep, "the check was asked to be deep, and was not")
    require(len(report.verdicts) == len(bundle.claims), "not every claim has a verdict")
    weak = [verdict.claim_id for verdict in report.verdicts if verdict.verdict is not Verdict.SUPPORTED]
    require(not weak, f"claims without enough support: {', '.join(weak)}")


def change_was_found(report: Report, change: Change) -> tuple[Finding, list[str]]:
    """The finding that names the changed text, and the codes of the errors that follow from it."""
    errors = [finding for finding in report.findings if finding.severity is Severity.ERROR]
    named = [finding for finding in errors if finding.code == TEXT_CHANGED]
    codes = sorted({finding.code for finding in errors} - {TEXT_CHANGED})
    require(len(named) == 1, f"one text was changed, and the report names {len(named)}", ", ".join(codes))
    require(named[0].path == change.path, f"the changed file is {change.path}, and the report names {named[0].path}")
    return named[0], codes
