"""Findings on who signed what, which log was accepted before, and when."""

from __future__ import annotations

from schemas.findings.wording import error, note, warning

SIGNATURE_MISSING = error(
    "signature.missing",
    "A head has no signature beside it.",
    "Get the envelope from the archive.",
)
SIGNATURE_UNREADABLE = error(
    "signature.unreadable",
    "An envelope, its statement or its predicate cannot be read strictly.",
    "Get the envelope from the archive.",
)
SIGNATURE_INVALID = error(
    "signature.invalid",
    "A signature does not verify under the key that it names.",
    "Do not use the input; it or its signature was changed.",
)
SIGNATURE_SUBJECT = error(
    "signature.subject-differs",
    "A statement speaks of other bytes, another kind of thing, or says of them what is not so.",
    "Get the envelope that belongs to these bytes.",
)
SIGNATURE_UNTRUSTED = warning(
    "signature.untrusted-key",
    "A signature is by no trusted key (an error in strict, for a head with --trust, a bundle with --trust-author).",
    "Obtain the signer's key by another way and give it with --trust, an author's with --trust-author.",
)
SIGNATURE_KEY_MISSING = warning(
    "signature.key-missing",
    "The key of a signature is not at hand, so the signature could not be checked.",
    "Give the key with --trust, an author's with --trust-author.",
    inconclusive=True,
)
SIGNATURE_KEY_DIFFERS = warning(
    "signature.key-differs",
    "A key file does not hold the key that its name says: no signature can be checked with it (error in strict).",
    "Do not use the file: give the key with --trust, or get the bundle from its author again.",
)
SIGNATURE_NO_AUTHOR = note(
    "signature.no-author",
    "Nobody signed the bundle: a contradiction may have been dropped (an error in strict, with --trust-author).",
    "Ask the author for a signed bundle (`bundle build --sign`).",
)
ATTESTATION_FAILED = error(
    "attestation.not-passed",
    "The attested validation failed, or was under a laxer profile or less deep than is asked for.",
    "Validate the bundle again, as strictly as you need it, and have that attested.",
)
ATTESTATION_INCONCLUSIVE = warning(
    "attestation.inconclusive",
    "The attested validation found no error and could not look at everything: it neither passed nor failed.",
    "Ask its checker for what could not be looked at, or validate the bundle where all of it can be read.",
    inconclusive=True,
)
CHECKPOINT_NOT_GIVEN = note(
    "checkpoint.not-given",
    "No checkpoint was given: rollback and fork of the log were not checked.",
    "Keep a checkpoint and give it with --checkpoint.",
)
CHECKPOINT_ROLLBACK = error(
    "checkpoint.rollback",
    "The log is smaller than it was when the checkpoint was taken.",
    "Ask the publisher; entries of the log are gone.",
)
CHECKPOINT_FORK = error(
    "checkpoint.fork",
    "The log does not contain the state of the checkpoint.",
    "Ask the publisher; the log was rewritten.",
)
CHECKPOINT_NO_PROOF = warning(
    "checkpoint.no-proof",
    "The checkpoint is of another size and no consistency proof is at hand.",
    "Check the log itself: `citevault-validate manifest … --checkpoint FILE`.",
    inconclusive=True,
)
TIME_NOT_GIVEN = note(
    "time.not-given",
    "No time was given: dates in the future were not looked for.",
    "Give --time.",
)
TIME_FUTURE = error(
    "time.in-future",
    "A time lies after the time that was given.",
    "Check the clock that wrote it.",
)
TIME_ORDER = error(
    "time.built-before-capture",
    "The bundle says that it was built before a snapshot that it cites was retrieved.",
    "Build the bundle again, and check the clocks that wrote both times.",
)
TIME_AFTER_BUILT = error(
    "time.after-built",
    "A judgement, arbitration or manual group is of a later time than the bundle that holds it.",
    "Build the bundle again.",
)
TIME_TOO_OLD = error(
    "time.too-old",
    "Evidence rests on a snapshot that is older than --max-age allows.",
    "Archive the page again and cite the new snapshot.",
)
SCOPE_NOT_DEEP = note(
    "scope.not-deep",
    "WARC records, conversion records and quotes in payloads were not looked at.",
    "Run again with --deep.",
)
