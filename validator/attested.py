"""`citevault-validate attestation`: whether a checker that is trusted has passed this very bundle.

What report generators ask for before they take a bundle: `validation.dsse.json` beside it, signed by a key that the
caller names, over the bytes that lie here, with a result that is not FAILED, under the profile that is asked for.
One that could not look at everything is neither taken nor called failed.
"""

from __future__ import annotations

import hashlib
from typing import Final

from schemas.canonical import CanonicalError, canonical_bytes
from schemas.dsse import Envelope, Statement, pae
from schemas.findings import FindingKind
from schemas.judging import HUMAN_SAMPLE_PPM
from schemas.reading import DocumentError, read_document
from schemas.records.finding import Report, Severity
from validator.bundle import DOCUMENT
from validator.formats.attestation import FILE, TEST_RESULT
from validator.found import Found
from validator.limits import LIMITS
from validator.place import Place, Unavailable, read_all
from validator.settings import Profile, RefusedInputError, Settings
from validator.signature import Signers, check_signers

ORDER: Final = (Profile.PARAGRAPH, Profile.CLAIM, Profile.STRICT)
PASSED: Final = ("PASSED", "WARNED")
PASSED_OR_WARNED: Final = " or ".join(PASSED)
MAX_NAMED: Final = 10


def check_attestation(place: Place, settings: Settings, found: Found) -> Report:
    """Check it. `settings.trusted` are the checkers' keys. Raises RefusedInputError where there is no bundle."""
    if not settings.trusted.given:
        raise RefusedInputError("name the checker's key with --trust: a key that lies beside it says nothing")
    document = _digest(place, DOCUMENT)
    if isinstance(document, Unavailable):
        raise RefusedInputError(f"{DOCUMENT}: {document.kind.description} {document.detail}".strip())
    data = read_all(place, FILE, LIMITS.document)
    if isinstance(data, Unavailable):
        missing = data.kind is FindingKind.FILE_MISSING
        found.add(FindingKind.SIGNATURE_MISSING if missing else data.kind, path=FILE, detail=data.detail)
    else:
        _check(data, document, place, settings, found)
    return Report(
        schema="citevault/validation-report@1",
        subject="attestation of a bundle",
        subject_sha256=document,
        profile=settings.profile.value,
        deep=settings.deep,
        exit_code=found.exit_code,
        checked=dict(sorted(found.checked.items())),
        findings=tuple(found.findings),
    )


def _check(data: bytes, document: str, place: Place, settings: Settings, found: Found) -> None:
    envelope = read_document(data, Envelope)
    payload = None if isinstance(envelope, DocumentError) else envelope.payload_bytes()
    statement = None if payload is None else read_document(payload, Statement)
    if payload is None or isinstance(envelope, DocumentError) or not isinstance(statement, Statement):
        found.add(FindingKind.SIGNATURE_UNREADABLE, path=FILE, actual=statement or envelope)
        return
    subjects = {subject.name: subject.digest.sha256 for subject in statement.subject}
    if statement.predicate_type != TEST_RESULT or subjects.get(DOCUMENT) != document:
        found.add(
            FindingKind.SIGNATURE_SUBJECT,
            path=FILE,
            expected=f"{DOCUMENT} {document} {TEST_RESULT}",
            actual=f"{DOCUMENT} {subjects.get(DOCUMENT)} {statement.predicate_type}",
        )
        return
    signers = Signers("checker", "--trust", settings.trusted, Severity.ERROR)
    check_signers(envelope, pae(envelope.payload_type, payload), FILE, signers, {}, found)
    for name, digest in sorted(subjects.items()):
        found.looked_at("attested files")
        actual = _digest(place, name)
        if isinstance(actual, Unavailable):
            found.add(actual.kind, path=name, detail=actual.detail)
        elif actual != digest:
            found.add(FindingKind.SIGNATURE_SUBJECT, path=name, expected=digest, actual=actual)
    _result(statement, settings, found)


def _result(statement: Statement, settings: Settings, found: Found) -> None:
    """PASSED or WARNED, under this profile or a stricter one, and deeply if that is asked for."""
    given = statement.predicate.get("result")
    first = statement.predicate.get("configuration")
    checker = first[0] if isinstance(first, list) and first and isinstance(first[0], dict) else {}
    notes = checker.get("annotations")
    options = notes if isinstance(notes, dict) else {}
    profile = options.get("profile")
    sample = options.get("human_sample_ppm", HUMAN_SAMPLE_PPM)  # older checkers knew none, and no judgements of models
    sampled = not settings.strict or (type(sample) is int and sample >= settings.human_sample_ppm)
    deep = options.get("deep") is True or not settings.deep
    enough = profile in ORDER[ORDER.index(settings.profile) :] and deep and sampled
    if enough and given not in PASSED and statement.predicate.get("inconclusive") is True:
        unseen = statement.predicate.get("inconclusiveTests")
        codes = ", ".join(map(str, unseen[:MAX_NAMED])) if isinstance(unseen, list) else None
        found.add(FindingKind.ATTESTATION_INCONCLUSIVE, path=FILE, expected=PASSED_OR_WARNED, actual=codes)
    elif given not in PASSED or not enough:
        try:
            told = {"result": given, "profile": profile, "deep": options.get("deep"), "human_sample_ppm": sample}
            shown = canonical_bytes(told).decode()
        except CanonicalError:
            shown = "values that have no canonical form"
        found.add(
            FindingKind.ATTESTATION_FAILED,
            path=FILE,
            expected=f"{PASSED_OR_WARNED}, profile {settings.profile} or stricter{', deep' if settings.deep else ''}",
            actual=shown,
        )


def _digest(place: Place, name: str) -> str | Unavailable:
    stream = place.open(name, LIMITS.text)
    if isinstance(stream, Unavailable):
        return stream
    digest = hashlib.sha256()
    with stream:
        try:
            while piece := stream.read(LIMITS.piece):
                digest.update(piece)
        except OSError as error:
            return Unavailable(FindingKind.FILE_UNREADABLE, error.strerror or "")
    return digest.hexdigest()
