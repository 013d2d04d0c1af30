"""What a self-test says: for people, and as JSON."""

from __future__ import annotations

import json

from validator.selftest.run import SelfTest


def as_text(result: SelfTest) -> str:
    """Survivors first, since they are what matters."""
    lines = [
        f"survived: {trial.name} ({trial.forger}); expected {trial.expected}, "
        f"exit {trial.exit_code} with {' '.join(trial.codes) or 'nothing'}"
        for trial in result.trials
        if not trial.killed
    ]
    total = len(result.trials)
    lines.append(f"killed {result.killed} of {total} forgeries ({100 * result.killed / total:.1f} %)")
    lines.append(f"the good bundle exits {result.good_bundle}, the good log {result.good_log}")
    lines.append(f"the canary, a false claim, {'fails' if result.canary_failed else 'PASSES'}")
    lines.append("the gate bites" if result.exit_code == 0 else "do not rely on this installation")
    return "\n".join(lines) + "\n"


def as_json(result: SelfTest) -> str:
    """Every trial, in order."""
    document = {
        "killed": result.killed,
        "trials": [
            {
                "name": trial.name,
                "forger": trial.forger,
                "expected": trial.expected,
                "killed": trial.killed,
                "exit_code": trial.exit_code,
                "codes": list(trial.codes),
            }
            for trial in result.trials
        ],
        "good_bundle_exit": result.good_bundle,
        "good_log_exit": result.good_log,
        "canary_failed": result.canary_failed,
        "exit_code": result.exit_code,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
