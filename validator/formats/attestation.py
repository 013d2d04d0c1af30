"""A validation as a signed statement (in-toto test-result v0.1 in a DSSE envelope): what report generators ask for.

Signed with a key of the checker's own. It says which bundle was checked (by digest), under which profile and with
which policies, and what came of each claim. A failed validation is attested as failed, and one that could not look at
everything as inconclusive.
"""

from __future__ import annotations

from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from schemas.canonical import canonical_bytes
from schemas.dsse import Envelope, envelope_bytes, key_id, pae
from schemas.reading import DocumentError, read_document
from schemas.records.claim import Verdict
from schemas.records.finding import Report, Severity
from schemas.records.manifest import PAYLOAD_TYPE, STATEMENT_TYPE
from validator.bundle import DOCUMENT, BundleResult
from validator.limits import LIMITS
from validator.place import Unavailable, read_all
from validator.settings import RefusedInputError, Settings
from validator.version import VERSION

TEST_RESULT: Final = "https://in-toto.io/attestation/test-result/v0.1"
FILE: Final = "validation.dsse.json"
EXIT_INCONCLUSIVE: Final = 3


def load_signing_key(pem: bytes) -> Ed25519PrivateKey:
    """The checker's private key. Raises RefusedInputError."""
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError):
        raise RefusedInputError("--sign takes a PEM file with an unencrypted Ed25519 private key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise RefusedInputError("--sign: the key is not Ed25519")
    return key


def as_attestation(report: Report, result: BundleResult, settings: Settings, key: Ed25519PrivateKey) -> str:
    """The envelope's bytes as text. Raises RefusedInputError where the key is one that signed the log's head."""
    own = key_id(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    if own in _publishers(result) | set(settings.trusted.keys):
        raise RefusedInputError("--sign: this key signs the log; who checks takes a key of his own")
    payload = canonical_bytes(statement(report, result, settings))
    return envelope_bytes(payload, [(own, key.sign(pae(PAYLOAD_TYPE, payload)))]).decode("ascii") + "\n"


def statement(report: Report, result: BundleResult, settings: Settings) -> dict[str, Any]:
    """Subjects: the bundle's document, and each of its texts."""
    bundle = result.given.bundle
    texts = {s.text_path: s.text_sha256 for s in bundle.snapshots if s.text_path is not None and s.text_sha256}
    subjects = [{"name": DOCUMENT, "digest": {"sha256": result.document_sha256}}]
    subjects += [{"name": path, "digest": {"sha256": digest}} for path, digest in sorted(texts.items())]
    return {
        "_type": STATEMENT_TYPE,
        "subject": subjects[: LIMITS.subjects],
        "predicateType": TEST_RESULT,
        "predicate": _predicate(report, result, settings),
    }


def _predicate(report: Report, result: BundleResult, settings: Settings) -> dict[str, Any]:
    levels = {finding.severity for finding in report.findings}
    outcome = "FAILED" if report.exit_code else "WARNED" if Severity.WARNING in levels else "PASSED"
    codes = {
        level: sorted({f.code for f in report.findings if f.severity is level and not f.inconclusive})
        for level in (Severity.WARNING, Severity.ERROR)
    }
    passed = [f"{v.claim_id} {v.verdict}" for v in report.verdicts if v.verdict is Verdict.SUPPORTED]
    others = [f"{v.claim_id} {v.verdict}" for v in report.verdicts if v.verdict is not Verdict.SUPPORTED]
    checker: dict[str, Any] = {
        "name": "citevault-validate",
        "annotations": {
            "version": VERSION,
            "profile": report.profile,
            "deep": report.deep,
            "exit_code": report.exit_code,
            "time": settings.time,
            "max_age_seconds": settings.max_age_seconds,
            "human_sample_ppm": settings.human_sample_ppm,
            "checkpoint_size": None if settings.checkpoint is None else settings.checkpoint.tree_size,
            "trusted_keys": sorted({*settings.trusted.keys, *settings.trusted_authors.keys}),
            "coverage_ppm": report.coverage_ppm,
            "coverage_critical_ppm": report.coverage_critical_ppm,
            "replayable_ppm": report.replayable_ppm,
        },
    }
    policies = [{"name": p.id, "digest": {"sha256": p.sha256}} for p in result.given.bundle.policies]
    return {
        "result": outcome,
        "configuration": [checker, *policies],
        "passedTests": passed,
        "warnedTests": codes[Severity.WARNING],
        "failedTests": others + codes[Severity.ERROR],
        # in-toto has no fourth result, and who knows those three alone must not take this one.
        "inconclusive": report.exit_code == EXIT_INCONCLUSIVE,
        "inconclusiveTests": sorted({f.code for f in report.findings if f.inconclusive}),
    }


def _publishers(result: BundleResult) -> set[str]:
    """Ids of the keys that signed the head, as its envelope names them."""
    given, out = result.given, set()
    names = given.place.names("manifest/")
    for name in [] if isinstance(names, Unavailable) else [n for n in names if n.endswith(".dsse.json")][:10]:
        data = read_all(given.place, name, LIMITS.small_file)
        envelope = data if isinstance(data, Unavailable) else read_document(data, Envelope)
        if not isinstance(envelope, (Unavailable, DocumentError)):
            out |= {signature.keyid for signature in envelope.signatures}
    return out
