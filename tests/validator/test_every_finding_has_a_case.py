"""The registry of findings, the golden cases, and the list in the format's description are one list."""

import ast
import re
from pathlib import Path

import pytest

from schemas.findings import FindingKind
from schemas.records.finding import Severity

ELSEWHERE = {
    FindingKind.ATTESTATION_FAILED,  # of the command attestation: test_attestation.py
    FindingKind.ATTESTATION_INCONCLUSIVE,
    FindingKind.EXTRACTION_DIFFERS,  # takes the archive's extractor: test_reextract.py
    FindingKind.EXTRACTION_UNREPEATABLE,
    FindingKind.EXTRACTION_FIELD,
    FindingKind.BUNDLE_LOCATOR_UNCHECKED,  # only beside leaves that promise nothing: test_author_statements.py
    FindingKind.CLUSTER_EDGES_UNCHECKED,  # takes more texts than a case has: the same
    FindingKind.JUDGEMENT_UNRESOLVED,  # brings the agreement of both with it: a test of its own beside the cases
    FindingKind.WACZ_SIGNATURE,
    FindingKind.WACZ_SIGNER_UNCHECKED,
    FindingKind.WACZ_RESOURCE,  # of a packed bundle: test_packed_bundles.py
    FindingKind.BUNDLE_EMPTY,  # empties the verdicts too, so it has a test of its own
    FindingKind.INDEPENDENCE_UNLOGGED,  # the same: both are notes on it
    FindingKind.CLAIM_SET_ASIDE,  # stands in the good bundle's report: test_verdicts_and_sources.py
    FindingKind.INDEPENDENCE_COPIES_UNCHECKED,  # takes more texts than a case has: the same
    FindingKind.MANIFEST_ROOT_UNCHECKED,  # follows from another finding
    FindingKind.CHECKPOINT_NOT_GIVEN,  # notes on what was not asked for: test_options.py
    FindingKind.TIME_NOT_GIVEN,
    FindingKind.SCOPE_NOT_DEEP,
    FindingKind.ANSWER_EMPTY,  # has three answers of its own: test_answer_findings.py
}


@pytest.fixture(scope="module")
def cases(repository: Path) -> set[str]:
    """Names of the findings that the golden tables have a case for."""
    named: set[str] = set()
    for file in ("test_bundle_findings.py", "test_manifest_findings.py", "test_answer_findings.py"):
        parsed = ast.parse((repository / "tests/validator" / file).read_text(encoding="utf-8"))
        for node in ast.walk(parsed):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Case":
                kind = node.args[0]
                assert isinstance(kind, ast.Attribute)
                named.add(kind.attr)
    return named


@pytest.mark.parametrize("kind", FindingKind, ids=lambda kind: kind.code)
def test_every_finding_has_a_golden_case(kind: FindingKind, cases: set[str]) -> None:
    assert (kind.name in cases) != (kind in ELSEWHERE)


@pytest.mark.parametrize("kind", FindingKind, ids=lambda kind: kind.code)
def test_a_finding_says_what_it_means_and_what_to_do(kind: FindingKind) -> None:
    assert re.fullmatch(r"[a-z]+\.[a-z0-9-]+", kind.code)
    assert kind.description.endswith(".")
    assert kind.next_step.endswith(".")
    assert not kind.inconclusive or kind.severity is Severity.WARNING, "could not look is no verdict"


def test_codes_are_unique() -> None:
    assert len({kind.code for kind in FindingKind}) == len(FindingKind)


def test_the_format_lists_every_finding(repository: Path) -> None:
    readme = (repository / "schemas/README.md").read_text(encoding="utf-8")
    missing = [kind.code for kind in FindingKind if f"`{kind.code}`" not in readme]
    assert not missing
