"""JUnit XML, as CI servers read it: a suite a claim, a test for its verdict and one for each rule that it broke.

What bears on no claim is in the suite `bundle` (or `log`). A warning does not fail a test: it stands in `system-out`,
as `conflicted` of an ordinary claim does. What could not be looked at is `skipped`, never passed in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from schemas.records.finding import Finding, Report, Severity
from validator.bundle import BundleResult
from validator.formats.content import claims_of


def as_junit(report: Report, result: BundleResult | None) -> str:
    """One document, with a final LF."""
    of_claim: dict[str, list[Finding]] = {verdict.claim_id: [] for verdict in report.verdicts}
    other: list[Finding] = []
    for finding in report.findings:
        claims = [] if result is None else claims_of(finding, result)
        for claim in claims:
            of_claim.setdefault(claim, []).append(finding)
        if not claims:
            other.append(finding)
    root = ET.Element("testsuites", name=report.subject)
    whole = _suite(root, "log" if result is None else "bundle", other, "holds together")
    properties = ET.Element("properties")
    for name, value in (
        ("subject_sha256", report.subject_sha256),
        ("profile", report.profile),
        ("deep", str(report.deep).lower()),
        ("coverage_ppm", report.coverage_ppm),
        ("coverage_critical_ppm", report.coverage_critical_ppm),
        ("replayable_ppm", report.replayable_ppm),
    ):
        if value is not None:
            ET.SubElement(properties, "property", name=name, value=str(value))
    whole.insert(0, properties)
    for verdict in report.verdicts:
        title = f"{verdict.verdict} ({verdict.importance}, {len(verdict.groups)}/{verdict.required})"
        _suite(root, verdict.claim_id, of_claim.get(verdict.claim_id, []), title)
    _count(root, root.iter("testcase"))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, name: str, findings: Sequence[Finding], title: str) -> ET.Element:
    suite = ET.SubElement(root, "testsuite", name=name)
    rules: dict[str, list[Finding]] = {}
    for finding in findings:
        rules.setdefault(finding.code, []).append(finding)
    if not any(finding.severity is Severity.ERROR for finding in findings):
        ET.SubElement(suite, "testcase", classname=name, name=title)
    for code, own in rules.items():
        case = ET.SubElement(suite, "testcase", classname=name, name=code)
        _outcome(case, code, own)
    _count(suite, suite.iter("testcase"))
    return suite


def _outcome(case: ET.Element, code: str, findings: Sequence[Finding]) -> None:
    text = "\n".join(map(_said, findings))
    if any(finding.severity is Severity.ERROR for finding in findings):
        failure = ET.SubElement(case, "failure", type=code, message=findings[0].message)
        failure.text = text
    elif any(finding.inconclusive for finding in findings):
        ET.SubElement(case, "skipped", message=text)
    else:
        ET.SubElement(case, "system-out").text = text


def _said(finding: Finding) -> str:
    where = " ".join(part for part in (finding.path, finding.pointer, *finding.ids) if part)
    values = [
        f"{name}: {value}" for name, value in (("expected", finding.expected), ("actual", finding.actual)) if value
    ]
    return "; ".join([f"{finding.severity} {where}".strip(), finding.message, *values, finding.next_step])


def _count(suite: ET.Element, cases: Iterable[ET.Element]) -> None:
    listed = list(cases)
    suite.set("tests", str(len(listed)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in listed)))
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in listed)))
    suite.set("errors", "0")
