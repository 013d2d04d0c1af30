"""SARIF 2.1.0 (OASIS): for code scanning in CI. Columns and offsets are Unicode code points.

`partialFingerprints` holds a key of our own, `citationGate/v1`, made of content, so that a finding is known again when
ids and offsets have moved; GitHub's own line hash is left to GitHub.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from schemas.findings import FindingKind
from schemas.records.finding import Finding, Report
from validator.bundle import DOCUMENT, BundleResult
from validator.formats.content import fingerprints
from validator.formats.places import Region, find_places
from validator.limits import LIMITS
from validator.place import Unavailable, read_all
from validator.version import VERSION

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT: Final = "citationGate/v1"
Json = dict[str, Any]


def as_sarif(report: Report, result: BundleResult | None) -> str:
    """One run with every rule, and a result for each finding. `result`: of a bundle; None for a log."""
    data = b"" if result is None else read_all(result.given.place, DOCUMENT, LIMITS.document)
    text = "" if isinstance(data, Unavailable) else data.decode("utf-8", "replace")
    places = find_places(text, {finding.pointer for finding in report.findings if finding.path is None})
    rules = {kind.code: index for index, kind in enumerate(FindingKind)}
    run: Json = {
        "tool": {
            "driver": {
                "name": "citevault-validate",
                "semanticVersion": VERSION,
                "rules": [_rule(kind) for kind in FindingKind],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": report.exit_code}],
        "results": [
            _result(finding, fingerprint, rules[finding.code], places, result)
            for finding, fingerprint in fingerprints(report, result)
        ],
        "properties": {
            "subject": report.subject,
            "profile": report.profile,
            "deep": report.deep,
            "coveragePpm": report.coverage_ppm,
            "coverageCriticalPpm": report.coverage_critical_ppm,
            "replayablePpm": report.replayable_ppm,
            "verdicts": {verdict.claim_id: verdict.verdict.value for verdict in report.verdicts},
        },
    }
    if result is not None:
        run["artifacts"] = [{"location": {"uri": DOCUMENT}, "hashes": {"sha-256": result.document_sha256}}]
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _rule(kind: FindingKind) -> Json:
    return {
        "id": kind.code,
        "shortDescription": {"text": kind.description},
        "help": {"text": kind.next_step},
        "defaultConfiguration": {"level": kind.severity.value},
    }


def _result(
    finding: Finding, fingerprint: str, rule: int, places: Mapping[str, Region], result: BundleResult | None
) -> Json:
    said = [finding.message]
    said += [f"Expected: {finding.expected}"] if finding.expected is not None else []
    said += [f"Actual: {finding.actual}"] if finding.actual is not None else []
    said += [f"Next: {finding.next_step}"]
    out: Json = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.severity.value,
        "message": {"text": "\n".join(said)},
        "locations": [_location(finding, places)],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        "properties": {"inconclusive": finding.inconclusive, "ids": list(finding.ids)},
    }
    related = [] if result is None else _passages(finding, result)
    if related:
        out["relatedLocations"] = related
    return out


def _location(finding: Finding, places: Mapping[str, Region]) -> Json:
    physical: Json = {"artifactLocation": {"uri": _uri(finding.path or DOCUMENT)}}
    region = places.get(finding.pointer) if finding.path is None else None
    if region is not None:
        physical["region"] = _region(region)
    out: Json = {"physicalLocation": physical}
    if finding.pointer:
        out["logicalLocations"] = [{"fullyQualifiedName": finding.pointer}]
    return out


def _region(region: Region) -> Json:
    return {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
        "charOffset": region.offset,
        "charLength": region.length,
    }


def _passages(finding: Finding, result: BundleResult) -> list[Json]:
    """The spans of the texts that the finding's edges name, whether or not the quote stands there."""
    edges = [result.given.evidence[i] for i in finding.ids if i in result.given.evidence]
    return [
        {
            "message": {"text": f"{edge.id} points here"},
            "physicalLocation": {
                "artifactLocation": {"uri": f"texts/{edge.snapshot_id}.txt"},
                "region": {"charOffset": edge.quote_start, "charLength": max(0, edge.quote_end - edge.quote_start)},
            },
        }
        for edge in edges
    ]


def _uri(path: str) -> str:
    """A relative path as a URI reference (RFC 3986); `/` and `@` stay."""
    from urllib.parse import quote

    return quote(path, safe="/@+=,~!$&'()*;")
