"""`citevault-validate selftest`: forge, judge, count. 100 % of the forgeries have to be refused.

A forgery is killed if the run ends with an error (or refuses the input) and the finding that the forgery is about is
among those reported: killed by chance is not killed. The good bundle and the good log have to pass, or a gate that
refuses everything would do best. And a canary, a false claim with a quote that its page does not have, has to fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

from schemas.canonical import canonical_sha256
from schemas.findings import FindingKind
from schemas.records.claim import Importance, Verdict
from schemas.records.manifest import Checkpoint
from validator.bundle import check_bundle
from validator.found import Found
from validator.manifest import check_manifest
from validator.selftest import mutants_archive, mutants_claims, mutants_described, mutants_log, mutants_quotes
from validator.selftest.document import CLAIMS, EDGES, ClaimPlan, EdgePlan
from validator.selftest.files import Files
from validator.selftest.forgery import Forgery, Stage
from validator.selftest.log import FOLDER, ForgedLog
from validator.selftest.signing import AUTHOR, PUBLISHER
from validator.settings import Profile, RefusedInputError, Settings

MUTANTS = (*mutants_quotes.MUTANTS, *mutants_claims.MUTANTS, *mutants_described.MUTANTS, *mutants_archive.MUTANTS)
LOG_MUTANTS = mutants_log.MUTANTS
REFUSED = "the input is refused"
CANARY = ClaimPlan("c-99", "The valve closes in 4 milliseconds.", Importance.CRITICAL)


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one forgery. Codes are those of errors and warnings."""

    name: str
    forger: str
    expected: str
    exit_code: int
    codes: tuple[str, ...]

    @property
    def killed(self) -> bool:
        if self.expected == REFUSED:
            return self.exit_code == 2
        return self.exit_code == 1 and self.expected in self.codes


@dataclass(frozen=True, slots=True)
class SelfTest:
    """All trials, and whether what is good passes and what is false fails."""

    trials: tuple[Trial, ...]
    good_bundle: int
    """Exit of the bundle that nobody touched; 0 is right."""
    good_log: int
    canary_failed: bool

    @property
    def killed(self) -> int:
        return sum(trial.killed for trial in self.trials)

    @property
    def exit_code(self) -> int:
        good = self.good_bundle == 0 and self.good_log == 0
        return 0 if good and self.canary_failed and self.killed == len(self.trials) else 1


def run() -> SelfTest:
    """Try everything, always in the same order and with the same result."""
    log = ForgedLog().made()
    checkpoint = _checkpoint(log)
    bundles = (
        _trial(m.name, m.stage.value, m.expected, lambda m=m: _bundle(Forgery().made(m.stage, m.edit)))  # type: ignore[misc]
        for m in MUTANTS
    )
    logs = (
        _trial(m.name, "the log's", m.expected, lambda m=m: _log(ForgedLog().made(m.edit, m.after), checkpoint))  # type: ignore[misc]
        for m in LOG_MUTANTS
    )
    return SelfTest(
        trials=tuple(chain(bundles, logs)),
        good_bundle=_bundle(Forgery().made()).exit_code,
        good_log=_log(log, checkpoint).exit_code,
        canary_failed=_canary_fails(),
    )


def _trial(name: str, forger: str, expected: FindingKind | None, check: Callable[[], Found]) -> Trial:
    code = REFUSED if expected is None else expected.code
    try:
        found = check()
    except RefusedInputError:
        return Trial(name, forger, code, 2, ())
    return Trial(name, forger, code, found.exit_code, tuple(sorted({f.code for f in found.findings})))


def _settings() -> Settings:
    """Everything is asked for, and by everybody's key."""
    return Settings(
        profile=Profile.STRICT,
        deep=True,
        trusted=PUBLISHER.trusted,
        trusted_authors=AUTHOR.trusted,
        time="2026-12-01T00:00:00Z",
    )


def _bundle(forgery: Forgery) -> Found:
    found = Found()
    check_bundle(Files(forgery.files), _settings(), found)
    return found


def _log(log: ForgedLog, checkpoint: Checkpoint) -> Found:
    """Without records: a log's own chain, tree and signatures."""
    found = Found()
    check_manifest(Files(log.files), FOLDER, None, replace(_settings(), deep=False, checkpoint=checkpoint), found)
    return found


def _checkpoint(log: ForgedLog) -> Checkpoint:
    head = log.heads[-1]
    return Checkpoint(
        schema="citevault/checkpoint@1",
        sequence=head["sequence"],
        tree_size=head["tree_size"],
        root_sha256=head["root_sha256"],
        head_sha256=canonical_sha256(head),
    )


def _canary_fails() -> bool:
    """A false claim, with a quote that would support it if its page had it."""

    def falsify(forgery: Forgery) -> None:
        edge = forgery.document["evidence"][-1]
        edge["quote"] = edge["quote"].replace("40", "4")
        forgery.judge(edge)

    forgery = Forgery(claims=(*CLAIMS, CANARY), edges=(*EDGES, EdgePlan(CANARY.id, "guide", 1)))
    found = Found()
    result = check_bundle(Files(forgery.made(Stage.DOCUMENT, falsify).files), _settings(), found)
    verdict = next(v.verdict for v in result.derived.verdicts if v.claim_id == CANARY.id)
    codes = {finding.code for finding in found.findings}
    wanted = {FindingKind.CLAIM_NOT_SUPPORTED.code, FindingKind.BUNDLE_QUOTE_DRIFTED.code}
    return found.exit_code == 1 and verdict is Verdict.UNSUPPORTED and wanted <= codes
