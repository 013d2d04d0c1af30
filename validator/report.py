"""A report as JSON or text. The same input gives the same bytes: no clock, no paths of this machine, fixed order."""

from __future__ import annotations

import json
from collections.abc import Set

from schemas.counted import counted, counted_things
from schemas.records.claim import Importance
from schemas.records.finding import Report, Severity
from validator.bundle import BundleResult
from validator.found import Found
from validator.manifest import LogState
from validator.said import archives_word
from validator.settings import Settings
from validator.unchecked import unchecked_fields

_MARK = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_ENDING = {
    0: "clean",
    1: "there are errors",
    3: "inconclusive: something could not be looked at",
}
NOT_PROVED = (
    "Checked is what was recorded and who signed it: not that the server sent it, and not that a claim is true."
)


def bundle_report(result: BundleResult, settings: Settings, found: Found) -> Report:
    """What the check of a bundle says as a whole."""
    return Report(
        schema="citevault/validation-report@1",
        subject=f"bundle {result.report_id}",
        subject_sha256=result.document_sha256,
        profile=settings.profile.value,
        deep=settings.deep,
        exit_code=found.exit_code,
        verdicts=result.derived.verdicts,
        coverage_ppm=result.derived.coverage.claims,
        coverage_critical_ppm=result.derived.coverage.critical,
        replayable_ppm=result.derived.coverage.replayable,
        checked=dict(sorted(found.checked.items())),
        unchecked=unchecked_fields(result.given, read_again=settings.re_extract),
        archives_word=archives_word(result.given, found, read_again=settings.re_extract),
        findings=tuple(found.findings),
    )


def log_report(state: LogState | None, settings: Settings, found: Found) -> Report:
    """What the check of a log says as a whole; its subject is the last head that was read."""
    return Report(
        schema="citevault/validation-report@1",
        subject=f"manifest log, heads 1 to {state.head.sequence}" if state else "manifest log",
        subject_sha256=state.head_sha256 if state else None,
        profile=settings.profile.value,
        deep=settings.deep,
        exit_code=found.exit_code,
        checked=dict(sorted(found.checked.items())),
        findings=tuple(found.findings),
    )


def as_json(report: Report) -> str:
    """One document, indented, with a final LF."""
    return json.dumps(report.model_dump(mode="json", by_alias=True), indent=2, ensure_ascii=False) + "\n"


def _shares(report: Report, passing: Set[str]) -> list[str]:
    """Coverage apart from verdicts, which it says nothing of, and of critical claims apart from all (R096)."""
    if report.coverage_ppm is None:
        return []
    cited = f"claims with at least one citation that holds: {_percent(report.coverage_ppm)}"
    if report.coverage_critical_ppm is not None:
        cited += f", of critical ones {_percent(report.coverage_critical_ppm)}"
    lines = [
        f"{cited} (not: that pass)",
        f"claims whose verdict passes and that no error names: {_passed(report, passing)}",
    ]
    if report.replayable_ppm is not None:
        lines.append(f"quotes whose text is handed on here: {_percent(report.replayable_ppm)}")
    return lines


def _percent(ppm: int) -> str:
    return f"{ppm / 10_000:.1f} %"


def _passed(report: Report, passing: Set[str]) -> str:
    """How many, of critical ones apart."""
    passes = [(each.importance is Importance.CRITICAL, each.claim_id in passing) for each in report.verdicts]
    critical = [passed for is_critical, passed in passes if is_critical]
    told = f"{sum(passed for _, passed in passes)} of {len(passes)}"
    return f"{told}, of critical ones {sum(critical)} of {len(critical)}" if critical else told


def as_text(report: Report, passing: Set[str] = frozenset()) -> str:
    """For people: findings first, then verdicts, then what was looked at. `passing`: ids of a bundle's claims that
    stand (`validator.passed`)."""
    lines = [f"{report.subject}, profile {report.profile}{', deep' if report.deep else ''}"]
    for finding in report.findings:
        where = " ".join(part for part in (finding.path, finding.pointer, *finding.ids) if part)
        doubt = " (could not look)" if finding.inconclusive else ""
        lines.append(f"{_MARK[finding.severity]}{doubt} {finding.code}{': ' + where if where else ''}")
        lines.append(f"    {finding.message}")
        if finding.expected is not None:
            lines.append(f"    expected: {finding.expected}")
        if finding.actual is not None:
            lines.append(f"    actual:   {finding.actual}")
        lines.append(f"    next:     {finding.next_step}")
    for verdict in report.verdicts:
        groups = f"{len(verdict.groups)}/{verdict.required} independent groups"
        against = f"; {len(verdict.contradicted_by)} against it" if verdict.contradicted_by else ""
        aside = f", {len(verdict.set_aside)} of them set aside" if verdict.set_aside else ""
        lines.append(f"{verdict.claim_id}: {verdict.verdict} ({verdict.importance}, {groups}{against}{aside})")
    lines += _shares(report, passing)
    looked_at = ", ".join(counted_things(n, what) for what, n in sorted(report.checked.items()))
    lines.append(f"looked at: {looked_at or 'nothing'}")
    if report.unchecked:
        lines.append(f"the author's word, which nothing here shows true: {' '.join(report.unchecked)}")
    if report.archives_word:
        lines.append(f"the archive's word, bound by its log and not read again here: {' '.join(report.archives_word)}")
    lines.append(NOT_PROVED)
    lines.append(f"{_ending(report)} (exit {report.exit_code})")
    return "\n".join(lines) + "\n"


def _ending(report: Report) -> str:
    """What the exit code means; what passes with warnings is not called clean."""
    warnings = sum(one.severity is Severity.WARNING for one in report.findings)
    if report.exit_code or not warnings:
        return _ENDING[report.exit_code]
    return f"no errors, {counted(warnings, 'warning')}"
